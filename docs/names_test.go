package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	apiName  = regexp.MustCompile(`^pkg \S*?([a-z]+), (?:func|type|const|var) ([A-Z]\w*)`)
	apiOf    = regexp.MustCompile(`^pkg \S+, func \(\w+ \*?([A-Z]\w*)(?:\[[^]]*\])?\) ([A-Z]\w*)`)
	apiField = regexp.MustCompile(`^pkg \S+, type ([A-Z]\w*)(?:\[[^]]*\])? (?:struct|interface), (?:embedded )?([A-Z]\w*)`)
	nameSpan = regexp.MustCompile(`^([A-Za-z]+)\.([A-Z]\w*)(?:\(\))?$`)
)

// exported returns what the modules export, as pkg.Name and Type.Name, and the
// names of the packages.
func exported(t *testing.T) (names map[string]bool, packages map[string]bool) {
	names, packages = map[string]bool{}, map[string]bool{}
	files, err := filepath.Glob(filepath.Join(root(t), "api", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings of the API: %v", err)
	}
	for _, f := range files {
		for line := range strings.Lines(read(t, f)) {
			if m := apiName.FindStringSubmatch(line); m != nil {
				names[m[1]+"."+m[2]] = true
				packages[m[1]] = true
			}
			for _, pattern := range []*regexp.Regexp{apiOf, apiField} {
				if m := pattern.FindStringSubmatch(line); m != nil {
					names[m[1]+"."+m[2]] = true
				}
			}
		}
	}
	return names, packages
}

// embeds are the types whose methods another type of that name has too.
var embeds = map[string][]string{"Node": {"kernel.Node"}, "Client": {"Proc"}}

// A name of the API in a code span is one that is exported: `World.Judge`,
// `fault.Default()`. Names of other packages are let be.
func TestNamesInDocs(t *testing.T) {
	names, packages := exported(t)
	types := map[string]bool{}
	for n := range names {
		typ, _, _ := strings.Cut(n, ".")
		types[typ] = true
	}
	found := 0
	for _, page := range everyPage(t) {
		if strings.HasSuffix(page, "CHANGELOG.md") {
			continue // it speaks of what was
		}
		prose := codeBlock.ReplaceAllString(read(t, page), "")
		for _, span := range codeSpan.FindAllStringSubmatch(prose, -1) {
			m := nameSpan.FindStringSubmatch(span[1])
			if m == nil || !packages[m[1]] && !types[m[1]] {
				continue
			}
			found++
			name := m[1] + "." + m[2]
			if !names[name] && !slices.ContainsFunc(embeds[m[1]], func(e string) bool { return names[e+"."+m[2]] }) {
				t.Errorf("%s: %s is not exported", page, name)
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d names were found; the pattern may be wrong", found)
	}
}

var pathSpan = regexp.MustCompile(`^[a-z][\w.-]*(/[\w.-]+)+/?$`)

// A path in a code span that begins with a folder of the repository is there.
func TestPathsInDocs(t *testing.T) {
	found := 0
	for _, page := range everyPage(t) {
		for _, span := range codeSpan.FindAllStringSubmatch(codeBlock.ReplaceAllString(read(t, page), ""), -1) {
			top, _, _ := strings.Cut(span[1], "/")
			if !pathSpan.MatchString(span[1]) {
				continue
			}
			if s, err := os.Stat(filepath.Join(root(t), top)); err != nil || !s.IsDir() || isKind(span[1]) {
				continue
			}
			found++
			if _, err := os.Stat(filepath.Join(root(t), filepath.FromSlash(span[1]))); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
	if found < 8 {
		t.Errorf("only %d paths were found; the pattern may be wrong", found)
	}
}

// isKind reports whether it is a kind of records, not a path, or a tag.
func isKind(span string) bool {
	return regexp.MustCompile(`^(fault/(fire|end|skip|quiet)|[a-z-]+/v[0-9.]+)$`).MatchString(span)
}

var (
	plainWord = regexp.MustCompile(`^[a-z]+$`)
	symbol    = regexp.MustCompile(`(?:\.Sym|field)\("([a-z]+)"`)
)

// The trace page names no kind and no attribute that no code writes, and lacks
// none of those that are written by name.
func TestTraceAttributes(t *testing.T) {
	code, page := look(t).code, read(t, "reference/trace.md")
	for _, r := range rows(strings.ReplaceAll(page, "`, `", "`; `")) {
		if len(r) != 3 || r[0] == "kind" || strings.HasPrefix(r[0], "---") {
			continue
		}
		for _, kind := range strings.Split(r[0], "; ") {
			if short := strings.TrimPrefix(kind, "disk/"); !strings.Contains(code, `"`+kind+`"`) && !strings.Contains(code, `"`+short+`"`) {
				t.Errorf("reference/trace.md: no code writes records of %s", kind)
			}
		}
		attrs, _, _ := strings.Cut(r[2], " (")
		for _, a := range strings.Split(attrs, "; ") {
			if plainWord.MatchString(a) && !strings.Contains(code, `"`+a+`"`) {
				t.Errorf("reference/trace.md: no code writes an attribute %q of %s", a, r[0])
			}
		}
	}
	for _, module := range []string{"kernel", "simnet", "simnet/stream", "simdisk", "fault", "faultline"} {
		files, err := filepath.Glob(filepath.Join(root(t), module, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			for _, m := range symbol.FindAllStringSubmatch(read(t, f), -1) {
				if m[1] != "nil" && !strings.Contains(page, "`"+m[1]+"`") {
					t.Errorf("reference/trace.md lacks %s, which %s writes", m[1], f)
				}
			}
		}
	}
}

// The list of files in the page about replays is that of the module artifact,
// and each has a schema if it is JSON.
func TestFilesTable(t *testing.T) {
	var got []string
	for _, r := range rows(read(t, "guides/replay.md")) {
		if len(r) == 2 && strings.Contains(r[0], ".") && !strings.Contains(r[0], " of ") {
			for _, name := range strings.Split(r[0], ", ") {
				if name != "…" && !strings.Contains(name, ".min.") || name == "schedule.min.json" {
					got = append(got, name)
				}
			}
		}
	}
	var want []string
	files := read(t, filepath.Join(root(t), "artifact", "files.go"))
	for _, m := range regexp.MustCompile(`\tw?[A-Z]\w*File\s+= "([a-z.]+)"`).FindAllStringSubmatch(files, -1) {
		if !strings.Contains(m[1], ".min.") || m[1] == "schedule.min.json" { // the others have one row
			want = append(want, m[1])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if len(want) < 10 || !slices.Equal(got, want) {
		t.Errorf("guides/replay.md has the files %v, artifact %v", got, want)
	}
}

// Each schema is in the list of schemas, and the list has no other.
func TestSchemasTable(t *testing.T) {
	files, err := filepath.Glob("reference/schemas/*.schema.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	page := read(t, "reference/schemas/README.md")
	for _, f := range files {
		if !strings.Contains(page, "]("+filepath.Base(f)+")") {
			t.Errorf("reference/schemas/README.md lacks %s", filepath.Base(f))
		}
	}
	schemas := ""
	for _, f := range files {
		schemas += read(t, f)
	}
	formats := regexp.MustCompile(`[a-z]Format += "(faultline/[a-z]+)"|formatName += "(faultline/[a-z]+)"`).FindAllStringSubmatch(look(t).code, -1)
	for _, m := range formats {
		if name := m[1] + m[2]; !strings.Contains(schemas, `"`+name+`"`) {
			t.Errorf("there is no schema of the format %s", name)
		}
	}
	if len(formats) < 3 {
		t.Errorf("only %d formats were found; the pattern may be wrong", len(formats))
	}
}

var required = regexp.MustCompile(`(?m)^(?:require )?\s*(\S+) v\S+( // indirect)?$`)

// The table of modules in the README has each module that can be imported or
// installed, and what its go.mod requires.
func TestModuleTable(t *testing.T) {
	told := map[string]string{}
	for _, r := range rows(read(t, filepath.Join(root(t), "README.md"))) {
		if m := regexp.MustCompile(`^\[([a-z-]+)\]`).FindStringSubmatch(r[0]); m != nil && len(r) == 3 {
			told[m[1]] = r[2]
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\t\./(\S+)$`).FindAllStringSubmatch(read(t, filepath.Join(root(t), "go.work")), -1) {
		name := m[1]
		needs, ok := told[name]
		if !ok && !strings.HasSuffix(name, "test") {
			t.Errorf("README.md: the table of modules lacks %s", name)
		}
		if !ok || strings.Contains(needs, "all ") || strings.Contains(needs, "those below") {
			continue
		}
		var direct []string
		for _, r := range required.FindAllStringSubmatch(read(t, filepath.Join(root(t), name, "go.mod")), -1) {
			if ours, yes := strings.CutPrefix(r[1], "github.com/hmdsefi/faultline/"); yes && r[2] == "" {
				direct = append(direct, ours)
			}
		}
		for _, d := range direct {
			if !slices.Contains(strings.Split(needs, ", "), d) {
				t.Errorf("README.md: %s requires %s, and the table does not say it", name, d)
			}
		}
		if strings.Contains(needs, "standard library") != (len(required.FindAllString(read(t, filepath.Join(root(t), name, "go.mod")), -1)) == 0) {
			t.Errorf("README.md: does %s need more than the standard library?", name)
		}
	}
}

// The phrases that the guide to reading a failure explains are those that are
// printed.
func TestPhrases(t *testing.T) {
	page, code := read(t, "guides/read-a-failure.md"), look(t).code
	for _, phrase := range []string{
		"with the least of all that it draws", "the network has no jitter", "with other parts of the schedule: ", "needed: without one of them it passes",
		"decided by ", "from then on nearly every continuation fails", "the nearest run that passes, without ", "keeps change ",
		"unsynced disk operations", "what happened in the shrunk run, ", "It seems to be about ", "Since then",
	} {
		short, _, _ := strings.Cut(phrase, ", without")
		if !strings.Contains(code, phrase) || !strings.Contains(page, strings.TrimSpace(short)) {
			t.Errorf("%q is printed: %v; in the page: %v", phrase, strings.Contains(code, phrase), strings.Contains(page, strings.TrimSpace(short)))
		}
	}
}
