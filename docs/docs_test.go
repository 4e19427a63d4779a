package docs

import (
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/simdisk"
)

// root is the folder of the workspace. Outside of it, where only this module
// was fetched, the pages of the other modules are not there to be compared.
func root(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join("..", "go.work")); err != nil {
		t.Skip("not in the workspace")
	}
	return ".."
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// pages returns the Markdown files that this module answers for.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{filepath.Join(root(t), "README.md"), filepath.Join(root(t), "llms.txt")}
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

var goBlock = regexp.MustCompile("(?ms)^```go(?: file=(\\S+))?\n(.*?)^```$")

// A block of Go code is in the file that it names, word for word; one that
// names none is at least Go.
func TestCodeBlocks(t *testing.T) {
	named := 0
	for _, page := range pages(t) {
		for _, m := range goBlock.FindAllStringSubmatch(read(t, page), -1) {
			file, code := m[1], m[2]
			if file == "" {
				if _, err := format.Source([]byte(code)); err != nil {
					t.Errorf("%s: this is not Go: %v\n%s", page, err, code)
				}
				continue
			}
			named++
			if !strings.Contains(read(t, filepath.Join(root(t), filepath.FromSlash(file))), code) {
				t.Errorf("%s: this is not in %s any more:\n%s", page, file, code)
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d blocks name a file; the pattern may be wrong", named)
	}
}

var codeBlock = regexp.MustCompile("(?ms)^```.*?^```$|^    [^\n]*$")

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Links between files of the repository lead somewhere, headings included.
func TestLinks(t *testing.T) {
	for _, page := range pages(t) {
		prose := codeBlock.ReplaceAllString(read(t, page), "")
		for _, m := range link.FindAllStringSubmatch(prose, -1) {
			target, heading, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			path := page
			if target != "" {
				path = filepath.Join(filepath.Dir(page), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: link to %s: %v", page, m[1], err)
			} else if heading != "" && !slices.Contains(anchors(read(t, path)), heading) {
				t.Errorf("%s: link to %s: no such heading", page, m[1])
			}
		}
	}
}

var notInAnchor = regexp.MustCompile(`[^a-z0-9 -]`)

func anchors(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if title := strings.TrimLeft(line, "#"); title != line {
			plain := notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
			list = append(list, strings.ReplaceAll(plain, " ", "-"))
		}
	}
	return list
}

// rows returns the cells of the tables of a page, without backquotes.
func rows(text string) [][]string {
	var list [][]string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.TrimSpace(c), "`", "")
		}
		list = append(list, cells)
	}
	return list
}

// The table of environment variables says what the code takes.
func TestEnvironmentTable(t *testing.T) {
	var got, want []string
	for _, r := range rows(read(t, "reference/environment.md")) {
		if strings.HasPrefix(r[0], "FAULTLINE_") {
			got = append(got, r[0]+": "+r[1])
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root(t), "faultline", "env.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.CompositeLit); ok && len(lit.Elts) == 3 {
			name, nameOK := text(lit.Elts[0])
			takes, takesOK := text(lit.Elts[1])
			if _, apply := lit.Elts[2].(*ast.FuncLit); nameOK && takesOK && apply {
				want = append(want, "FAULTLINE_"+name+": "+takes)
			}
		}
		return true
	})
	if len(want) == 0 {
		t.Fatal("no settings found in faultline/env.go")
	}
	compare(t, "reference/environment.md", got, want)
}

func text(e ast.Expr) (string, bool) {
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(lit.Value)
	return s, err == nil
}

func compare(t *testing.T, page string, got, want []string) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s lacks a row: %s", page, w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("%s has a row that the code does not: %s", page, g)
		}
	}
}

var recordKind = regexp.MustCompile(`"((?:node|clock|net|stream|disk|fault|op)/[a-z-]+)"`)

// The trace page has every kind of record that the modules write.
func TestTraceKinds(t *testing.T) {
	page := read(t, "reference/trace.md")
	found := 0
	check := func(kind string) {
		found++
		if !strings.Contains(page, "`"+kind+"`") {
			t.Errorf("reference/trace.md lacks %s", kind)
		}
	}
	for _, file := range []string{"kernel/sim.go", "simnet/trace.go", "simnet/stream/record.go", "simnet/stream/effect.go", "simdisk/record.go", "fault/inject.go", "faultline/world.go"} {
		for _, m := range recordKind.FindAllStringSubmatch(read(t, filepath.Join(root(t), filepath.FromSlash(file))), -1) {
			check(m[1])
		}
	}
	for k := simdisk.Kind(0); k.String() != "unknown"; k++ {
		check("disk/" + k.String())
	}
	if found < 45 {
		t.Errorf("only %d kinds found in the code; the pattern may be wrong", found)
	}
}

// The table of kinds has every kind, in the order of the code.
func TestKindsTable(t *testing.T) {
	var got, want []string
	for _, r := range rows(read(t, "reference/faults.md")) {
		if len(r) == 4 && r[0] != "kind" && !strings.HasPrefix(r[0], "---") {
			got = append(got, r[0])
		}
	}
	for _, k := range fault.Kinds() {
		want = append(want, string(k))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the kinds are %v, want %v", got, want)
	}
}

// The table of default rules is what fault.Default returns.
func TestDefaultRulesTable(t *testing.T) {
	var want []string
	for _, r := range fault.Default() {
		want = append(want, "| "+strings.Join(ruleRow(r), " | ")+" |")
	}
	page := read(t, "reference/faults.md")
	for _, w := range want {
		if !strings.Contains(page, w+"\n") {
			t.Errorf("reference/faults.md lacks the rows\n%s", strings.Join(want, "\n"))
			return
		}
	}
	got := 0
	for _, r := range rows(page) {
		if len(r) == 11 && r[0] != "rule" && !strings.HasPrefix(r[0], "---") {
			got++
		}
	}
	if got != len(want) {
		t.Errorf("reference/faults.md has %d rules, fault.Default %d", got, len(want))
	}
}

func number(r fault.Range) string {
	if r == (fault.Range{}) {
		return ""
	}
	return fmt.Sprintf("%d to %d", r.Min, r.Max)
}

func whens(r fault.Rule) string {
	var list []string
	for _, w := range r.Whens {
		if w.Point == fault.AnyPoint {
			list = append(list, "a named point")
			continue
		}
		when := "before "
		if w.After {
			when = "after "
		}
		list = append(list, when+w.Op)
	}
	if list == nil {
		return ""
	}
	if r.Nth == (fault.Range{}) {
		return strings.Join(list, ", ")
	}
	return "match " + number(r.Nth) + " of: " + strings.Join(list, ", ")
}

func ruleRow(r fault.Rule) []string {
	span := func(s fault.Span) string {
		if s == (fault.Span{}) {
			return ""
		}
		return s.Min.String() + " to " + s.Max.String()
	}
	rate := number(r.Rate)
	var profiles []string
	for _, p := range r.Profiles {
		if p == "" {
			p = "plain"
		}
		profiles = append(profiles, p)
	}
	var picks []string
	for _, p := range r.Picks {
		picks = append(picks, string(p))
	}
	name := r.Name
	if name == "" {
		name = string(r.Kind)
	}
	return []string{"`" + name + "`", fmt.Sprint(r.Weight), r.Every.String(), span(r.For),
		strings.Join(picks, ", "), strings.Join(r.Peers, ", "), rate, span(r.Amount), number(r.Count), strings.Join(profiles, ", "), whens(r)}
}

// The table of planted bugs is what their sweep has found.
func TestPlantedBugsTable(t *testing.T) {
	var got, want []string
	for _, r := range rows(read(t, "reference/faults.md")) {
		if len(r) == 8 && r[0] != "kind" && !strings.HasPrefix(r[0], "---") {
			got = append(got, strings.Join([]string{r[0], r[5], r[6], r[7], r[3], strings.ReplaceAll(r[4], ", ", " ")}, "\t"))
		}
	}
	found := read(t, filepath.Join(root(t), "fault", "testdata", "planted.txt"))
	for line := range strings.Lines(found) {
		want = append(want, strings.TrimSuffix(line, "\n"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("reference/faults.md has\n%s\nthe sweep found\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

var kindConstant = regexp.MustCompile(`\tKind[A-Z][a-z]* += "([a-z]+)"`)

// The page of failures has every kind that there is, and no other; what it
// quotes of errors is in the code.
func TestFailuresPage(t *testing.T) {
	var want, got []string
	for _, file := range []string{"kernel/failure.go", "faultline/check.go"} {
		for _, m := range kindConstant.FindAllStringSubmatch(read(t, filepath.Join(root(t), filepath.FromSlash(file))), -1) {
			want = append(want, m[1])
		}
	}
	var code strings.Builder
	for _, module := range []string{"faultline", "fault", "artifact"} {
		files, err := filepath.Glob(filepath.Join(root(t), module, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			code.WriteString(read(t, f))
		}
	}
	quoted := 0
	for _, r := range rows(read(t, "reference/failures.md")) {
		switch {
		case len(r) == 3 && r[0] != "kind" && !strings.HasPrefix(r[0], "---"):
			got = append(got, r[0])
		case len(r) == 2 && r[0] != "it says" && !strings.HasPrefix(r[0], "---"):
			quoted++
			if !strings.Contains(code.String(), r[0]) {
				t.Errorf("reference/failures.md: no error says %q", r[0])
			}
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("reference/failures.md has the kinds %v, the code %v", got, want)
	}
	if quoted < 5 {
		t.Errorf("only %d errors are quoted; the pattern may be wrong", quoted)
	}
}
