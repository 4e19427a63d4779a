package cli

import (
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
)

// reference returns the sections of the page about the command, by the command
// that their heading names. Outside of the workspace there is no such page.
func reference(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "reference", "cli.md"))
	if os.IsNotExist(err) {
		t.Skip("not in the workspace")
	}
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for i, part := range strings.Split(string(data), "\n## ") {
		heading, text, _ := strings.Cut(part, "\n")
		if i > 0 {
			sections[heading] = text
		}
	}
	return sections
}

// every returns all commands that a user sees, by their paths.
func every() map[string]*cobra.Command {
	all := map[string]*cobra.Command{}
	var add func(c *cobra.Command)
	add = func(c *cobra.Command) {
		if c.HasParent() && !c.Hidden {
			all[c.CommandPath()] = c
		}
		for _, sub := range c.Commands() {
			add(sub)
		}
	}
	add(newRoot(&session{Env: Env{Out: io.Discard, Err: io.Discard}}))
	return all
}

var (
	flagRow  = regexp.MustCompile("(?m)^\\| (?:`-[a-z]`, )?`--([a-z-]+)")
	fieldRow = regexp.MustCompile("(?m)^\\| ((?:`[a-z]+`(?:, )?)+) \\|")
	word     = regexp.MustCompile("`([a-z]+)`")
)

func TestReferenceNamesEveryCommandAndFlag(t *testing.T) {
	sections, commands := reference(t), every()
	for path := range sections {
		if path != "faultline help" && commands[path] == nil {
			t.Errorf("cli.md is about %q, and there is no such command", path)
		}
	}
	for path, c := range commands {
		section, ok := sections[path]
		if !ok {
			t.Errorf("cli.md has no section %q", path)
			continue
		}
		var told, has []string
		for _, m := range flagRow.FindAllStringSubmatch(section, -1) {
			told = append(told, m[1])
		}
		for _, f := range ownFlags(c) {
			has = append(has, f.Name)
			if f.Shorthand != "" && !strings.Contains(section, "`-"+f.Shorthand+"`, `--"+f.Name) {
				t.Errorf("cli.md, %s: -%s is not told beside --%s", path, f.Shorthand, f.Name)
			}
		}
		if !slices.Equal(told, has) {
			t.Errorf("%s: cli.md has the options %v, the command has %v", path, told, has)
		}
	}
}

// The names of JSON fields are promises: each one is in the page, and no other.
func TestReferenceNamesEveryField(t *testing.T) {
	printed := map[string][]any{
		"faultline show": {showJSON{}, lastJSON{}}, "faultline explain": {explainJSON{}, stepJSON{}}, "faultline trace": {countJSON{}},
		"faultline diff": {diffJSON{}, sideJSON{}, lineJSON{}}, "faultline render": {renderJSON{}}, "faultline schedule check": {checkJSON{}},
		"faultline pin": {pinJSON{}}, "faultline list": {listJSON{}}, "faultline clean": {cleanJSON{}}, "faultline version": {versionJSON{}},
	}
	for path, section := range reference(t) {
		want := map[string]bool{}
		for _, v := range printed[path] {
			for i := range reflect.TypeOf(v).NumField() {
				name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
				want[name] = true
			}
		}
		_, table, _ := strings.Cut(section, "| field | is |\n")
		got := map[string]bool{}
		for _, row := range fieldRow.FindAllStringSubmatch(table, -1) {
			for _, m := range word.FindAllStringSubmatch(row[1], -1) {
				got[m[1]] = true
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: cli.md has the fields %v, the command prints %v", path, got, want)
		}
	}
}

// Each command has a page that shows how it is called, its options and, unless
// it only prints one thing, examples.
func TestEveryCommandHasHelp(t *testing.T) {
	for path, c := range every() {
		text := page(c)
		if !strings.HasPrefix(text, "Usage:\n    "+path) {
			t.Errorf("the page of %s does not begin with its usage: %.60q", path, text)
		}
		if c.Name() != "version" && !strings.Contains(text, "\nExamples:\n    ") {
			t.Errorf("the page of %s has no examples", path)
		}
		if c.Short == "" {
			t.Errorf("%s has no short text", path)
		}
		for _, f := range ownFlags(c) {
			if !strings.Contains(text, "--"+f.Name) {
				t.Errorf("the page of %s does not tell --%s", path, f.Name)
			}
		}
		if strings.Contains(text, "{") {
			t.Errorf("the page of %s has a placeholder left", path)
		}
		for line := range strings.Lines(text) {
			if len(line) > 90 {
				t.Errorf("the page of %s has a long line: %s", path, line)
			}
		}
	}
}

// Examples are of commands and options that exist.
func TestExamplesCanBeParsed(t *testing.T) {
	call := regexp.MustCompile(`(?m)^    (?:[A-Z]+=\S+ |source <\()?faultline ([a-z][^#|>)]*)`)
	for path, c := range every() {
		_, examples, _ := strings.Cut(page(c), "Examples:\n")
		for _, m := range call.FindAllStringSubmatch(examples, -1) {
			root := newRoot(&session{Env: Env{Out: io.Discard, Err: io.Discard}})
			var args []string
			for _, a := range strings.Fields(m[1]) {
				args = append(args, strings.Trim(a, `'"$(`))
			}
			found, rest, err := root.Find(args)
			if err != nil || !found.HasParent() {
				t.Errorf("%s: the example %q names no command", path, m[1])
				continue
			}
			if err := found.ParseFlags(rest); err != nil {
				t.Errorf("%s: the example %q: %v", path, m[1], err)
			}
		}
	}
}

func TestRecordedDir(t *testing.T) {
	for command, want := range map[string]string{
		"cd /src/kv && go test .":                     "/src/kv",
		"cd '/my src/it'\\''s' && FAULTLINE_SEED=1 x": "/my src/it's",
		"go test .":             "",
		"cd $HOME && go test .": "",
		"cd 'open && x":         "",
		"cd a; rm -r b && c":    "",
	} {
		if got := recordedDir(artifact.Replay{Command: command}); got != want {
			t.Errorf("%s: got %q, want %q", command, got, want)
		}
	}
}

// The page of render and the reference tell every view.
func TestEveryViewIsTold(t *testing.T) {
	text, section := page(every()["faultline render"]), reference(t)["faultline render"]
	for _, name := range viewNames() {
		if !strings.Contains(text, "\n    "+name+" ") {
			t.Errorf("the page of render does not tell %s", name)
		}
		if !strings.Contains(section, "`"+name+"`") {
			t.Errorf("cli.md does not tell %s", name)
		}
	}
}
