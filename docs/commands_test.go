package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// everyPage returns the Markdown files of the whole workspace, and llms.txt.
func everyPage(t *testing.T) []string {
	t.Helper()
	list := pages(t)
	for _, pattern := range []string{"*.md", "*/README.md"} {
		found, err := filepath.Glob(filepath.Join(root(t), pattern))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, found...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

var (
	shBlock   = regexp.MustCompile("(?ms)^ *```sh[^\n]*\n(.*?)^ *```$")
	codeSpan  = regexp.MustCompile("`([^`\n]+)`")
	comment   = regexp.MustCompile(`(?m)(^|\s)#\s.*$`)
	separator = regexp.MustCompile(`&&|\|\||;|\||\n`)
	quoted    = regexp.MustCompile(`'[^'\n]*'`)
	assigned  = regexp.MustCompile(`^([A-Za-z_]+)=\S*\s*`)
)

// commandsOf returns the single commands of a page: those in its blocks of
// shell, and those that a code span shows.
func commandsOf(page string) []string {
	var text []string
	for _, m := range shBlock.FindAllStringSubmatch(page, -1) {
		text = append(text, strings.ReplaceAll(m[1], "\\\n", " "))
	}
	for _, m := range codeSpan.FindAllStringSubmatch(shBlock.ReplaceAllString(page, ""), -1) {
		for _, start := range []string{"go ", "faultline ", "GOWORK=off ", ".ci/run ", "FAULTLINE_"} {
			if strings.HasPrefix(m[1], start) && strings.Contains(m[1], " ") {
				text = append(text, m[1])
				break
			}
		}
	}
	var list []string
	for _, s := range text {
		s = quoted.ReplaceAllStringFunc(s, func(q string) string { return strings.ReplaceAll(q, "|", "\x00") })
		for _, c := range separator.Split(comment.ReplaceAllString(s, ""), -1) {
			if c = strings.TrimSpace(c); c != "" {
				list = append(list, strings.ReplaceAll(c, "\x00", "|"))
			}
		}
	}
	return list
}

// world is what commands in the docs may name.
type world struct {
	root   string
	flags  map[string][]string // of the faultline command, by the path of each of its commands
	code   string              // all Go code, and the script of the CI
	tests  map[string]string   // the test files of each folder
	shared []string            // flags of all commands of faultline
}

func look(t *testing.T) *world {
	w := &world{root: root(t), flags: map[string][]string{}, tests: map[string]string{}}
	flag := regexp.MustCompile("`(-[a-z]|--[a-z-]+)\\b")
	for i, part := range strings.Split(read(t, "reference/cli.md"), "\n## ") {
		heading, text, _ := strings.Cut(part, "\n")
		var found []string
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			found = append(found, m[1])
		}
		if i == 0 {
			w.shared = found
		} else {
			w.flags[heading] = found
		}
	}
	var code strings.Builder
	code.WriteString(read(t, filepath.Join(w.root, ".ci", "run")))
	err := filepath.WalkDir(w.root, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".go") {
			text := read(t, path)
			rel, err := filepath.Rel(w.root, filepath.Dir(path))
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "_test.go") {
				w.tests[filepath.ToSlash(rel)] += text
			}
			if rel != "docs" { // what these tests look for is in them
				code.WriteString(text)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	w.code = code.String()
	return w
}

// Each command in the docs is one that there is, with flags, tests, folders and
// variables that there are.
func TestCommandsInDocs(t *testing.T) {
	w, n := look(t), 0
	for _, page := range everyPage(t) {
		for _, c := range commandsOf(read(t, page)) {
			n++
			if wrong := w.wrong(c); wrong != "" {
				t.Errorf("%s: %s: %s", page, c, wrong)
			}
		}
	}
	if n < 100 {
		t.Errorf("only %d commands were found; the pattern may be wrong", n)
	}
}

// readers are programs that are not ours.
var readers = []string{"cd", "mkdir", "export", "gofmt", "git", "cat", "cp", "sh", "bash", "claude", "dlv", "for", "do", "done", "echo", "source", "source <(faultline"}

// wrong says what a command names that there is not.
func (w *world) wrong(command string) string {
	command = strings.TrimPrefix(command, "do ")
	command = strings.TrimPrefix(command, "export ")
	for m := assigned.FindStringSubmatch(command); m != nil; m = assigned.FindStringSubmatch(command) {
		if !w.variable(m[1]) {
			return "no code reads " + m[1]
		}
		command = command[len(m[0]):]
	}
	words := strings.Fields(command)
	switch {
	case len(words) == 0 || slices.Contains(readers, words[0]):
		return ""
	case words[0] == "faultline":
		return w.wrongFaultline(words)
	case words[0] == ".ci/run":
		for _, lane := range words[1:] {
			if lane != "-list" && !strings.Contains(w.code, "\nlane_"+lane+"()") {
				return "there is no lane " + lane
			}
		}
		return ""
	case words[0] == "go" && len(words) > 1:
		return w.wrongGo(words)
	}
	return "what is " + words[0] + "?"
}

// variable reports whether some code reads a variable of the environment, or Go
// or the shell does.
func (w *world) variable(name string) bool {
	if short, ours := strings.CutPrefix(name, "FAULTLINE_"); ours && strings.Contains(w.code, `{"`+short+`", "`) {
		return true
	}
	return strings.HasPrefix(name, "GO") || name == "DIR" || strings.Contains(w.code, `"`+name+`"`)
}

func (w *world) wrongFaultline(words []string) string {
	path := "faultline"
	for _, word := range words[1:] {
		if _, ok := w.flags[path+" "+word]; !ok {
			break
		}
		path += " " + word
	}
	if _, ok := w.flags[path]; !ok {
		return "there is no command " + strings.Join(words[:min(2, len(words))], " ")
	}
	for _, word := range words {
		name, _, _ := strings.Cut(word, "=")
		if strings.HasPrefix(name, "-") && len(name) > 1 && !slices.Contains(w.flags[path], name) && !slices.Contains(w.shared, name) {
			return path + " has no option " + name
		}
	}
	return ""
}

// theirs are folders of the reader.
var theirs = []string{".", "./...", "./kv", "./mine", "./patches", "..."}

func (w *world) wrongGo(words []string) string {
	folder, pattern, from, before := "", "", w.root, ""
	for _, word := range words {
		word = strings.Trim(word, "'")
		path, ours := strings.CutPrefix(word, "github.com/hmdsefi/faultline/")
		switch {
		case before == "-C":
			from = filepath.Join(w.root, word)
		case before == "-run" && words[1] == "test":
			pattern = word
		case before == "-patches", before == "-package", before == "-dropuse", slices.Contains(theirs, word):
		case ours:
			if !w.module(path) {
				return "there is no " + word
			}
		case strings.HasPrefix(word, "./"):
			folder = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
			if _, err := os.Stat(filepath.Join(from, filepath.FromSlash(folder))); err != nil {
				return "there is no folder " + word
			}
		case testFlag.MatchString(word):
			if name := testFlag.FindStringSubmatch(word)[1]; !strings.Contains(w.code, `("`+name+`", `) {
				return "no test has a flag " + name
			}
		}
		before = word
	}
	if folder == "" {
		return ""
	}
	return w.wrongPattern(folder, pattern)
}

// testFlag matches a flag of a test of ours: with a dot, or one of those.
var testFlag = regexp.MustCompile(`^-([a-z]+\.[a-z]+|histories|patches|released)\b`)

// module reports whether a path below the repository, with a version, is one
// that can be got; a name after a dot is for go doc.
func (w *world) module(path string) bool {
	path, version, released := strings.Cut(path, "@")
	path, _, _ = strings.Cut(path, ".")
	_, err := os.Stat(filepath.Join(w.root, filepath.FromSlash(path)))
	return err == nil && (!released || version == "v0.1.0")
}

var testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Example)\w*)\(`)

// wrongPattern says if no test in a folder is called what go test -run is given.
func (w *world) wrongPattern(folder, pattern string) string {
	top, _, _ := strings.Cut(pattern, "/")
	if top == "" || top == "^$" {
		return ""
	}
	name, err := regexp.Compile(top)
	if err != nil {
		return "the pattern is not valid"
	}
	for _, m := range testFunc.FindAllStringSubmatch(w.tests[folder], -1) {
		if name.MatchString(m[1]) {
			return ""
		}
	}
	return "no test in " + folder + " matches " + top
}

// What is wrong with a command is seen.
func TestWrongCommands(t *testing.T) {
	w := look(t)
	for command, want := range map[string]string{
		"faultline schedule drop DIR --choices 'net/*'":      "",
		"faultline show DIR --colour":                        "faultline show has no option --colour",
		"faultline fix DIR":                                  "there is no command faultline fix",
		"FAULTLINE_SEADS=3 go test ./...":                    "no code reads FAULTLINE_SEADS",
		"go test -run '^TestNone$' ./docs/examples/kv":       "no test in docs/examples/kv matches ^TestNone$",
		"go test -run '^TestKV$' ./docs/example/kv":          "there is no folder ./docs/example/kv",
		"go test ./harness-etcdraft -raft.sweeps=3":          "no test has a flag raft.sweeps",
		"go get github.com/hmdsefi/faultline/kernels@v0.1.0": "there is no github.com/hmdsefi/faultline/kernels@v0.1.0",
		"go get github.com/hmdsefi/faultline/kernel@v0.2.0":  "there is no github.com/hmdsefi/faultline/kernel@v0.2.0",
		"GOWORK=off go run -C scripts ./houserule":           "there is no folder ./houserule",
		".ci/run rule":      "there is no lane rule",
		"faultine show DIR": "what is faultine?",
		"go install github.com/hmdsefi/faultline/faultline@v0.1.0": "",
	} {
		if got := w.wrong(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
}
