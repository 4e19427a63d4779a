package docs

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var released = flag.Bool("released", false, "get-started: get the released modules, from the proxy of the environment, in place of this checkout")

// step is a fenced block of a guide: commands and what they print, or a file,
// or a change of one.
type step struct {
	lang, key, value string // of the fence: ```lang key=value
	text             string
	line             int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)(?: ([a-z]+)=(\\S+))?\n(.*?)^```$")

func steps(page string) []step {
	var list []step
	for _, m := range fence.FindAllStringSubmatchIndex(page, -1) {
		part := func(i int) string {
			if m[2*i] < 0 {
				return ""
			}
			return page[m[2*i]:m[2*i+1]]
		}
		list = append(list, step{part(1), part(2), part(3), part(4), 1 + strings.Count(page[:m[0]], "\n")})
	}
	return list
}

// follower does what a guide says, in a folder of its own.
type follower struct {
	t     *testing.T
	dir   string // where the guide begins
	state string // file with the shell's directory and variables
	env   []string
}

// The guide is followed word for word: its files are saved, its changes made,
// its commands run by a shell, and what they print is compared with what the
// guide shows. "…" in an output stands for anything, real times for others.
func TestGetStarted(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command and runs thousands of seeds")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the guide is for a POSIX shell")
	}
	f := follow(t)
	list := steps(read(t, "guides/get-started.md"))
	skipped := "release"
	if *released {
		skipped = "clone"
	}
	ran := 0
	for i, s := range list {
		switch {
		case s.key == "with" && s.value == skipped:
		case s.lang == "sh":
			ran++
			var shown step
			if i+1 < len(list) && list[i+1].lang == "text" {
				shown = list[i+1]
			}
			f.run(s, shown)
		case s.key == "save" && s.lang == "go":
			f.save(s)
		case s.key == "save" && s.lang == "diff":
			f.change(s)
		case s.lang != "text":
			t.Errorf("line %d: what is a block of %s %s?", s.line, s.lang, s.key)
		}
		if t.Failed() {
			return // the next steps build on this one
		}
	}
	if ran < 8 {
		t.Errorf("only %d blocks of commands were found; the pattern may be wrong", ran)
	}
}

// follow makes the folder: in place of a clone one whose go.work names the
// modules of this checkout, so that what is built already need not be again.
func follow(t *testing.T) *follower {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, dir: dir, state: filepath.Join(dir, "state")}
	if !*released {
		checkout, err := filepath.Abs(root(t))
		if err != nil {
			t.Fatal(err)
		}
		work := strings.ReplaceAll(read(t, filepath.Join(checkout, "go.work")), "./", checkout+"/")
		work = strings.ReplaceAll(work, checkout+"/cmd-faultline", "./cmd-faultline")
		f.write("go.work", work)
		f.write("go.work.sum", read(t, filepath.Join(checkout, "go.work.sum")))
		if err := os.Symlink(filepath.Join(checkout, "cmd-faultline"), filepath.Join(dir, "cmd-faultline")); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "FAULTLINE_"), name == "TMPDIR", name == "GOBIN", name == "PWD", name == "GOWORK" && !*released:
		case name == "PATH":
			f.env = append(f.env, "PATH="+filepath.Join(dir, "bin")+string(os.PathListSeparator)+value)
		default:
			f.env = append(f.env, v)
		}
	}
	f.env = append(f.env, "TMPDIR="+dir, "GOBIN="+filepath.Join(dir, "bin"), "STATE="+f.state)
	return f
}

func (f *follower) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// save writes a file of the guide's module.
func (f *follower) save(s step) {
	f.t.Helper()
	f.write(filepath.Join("kv", s.value), s.text)
	if formatted, err := format.Source([]byte(s.text)); err != nil || string(formatted) != s.text {
		f.t.Errorf("line %d: %s is not formatted: %v", s.line, s.value, err)
	}
}

// change applies a diff to a file: the lines that it has must be there, once.
func (f *follower) change(s step) {
	f.t.Helper()
	var old, changed strings.Builder
	for line := range strings.Lines(s.text) {
		if line[0] != '+' {
			old.WriteString(line[1:])
		}
		if line[0] != '-' {
			changed.WriteString(line[1:])
		}
	}
	name := filepath.Join("kv", s.value)
	text := read(f.t, filepath.Join(f.dir, name))
	if n := strings.Count(text, old.String()); n != 1 {
		f.t.Fatalf("line %d: %s has %d times\n%s", s.line, s.value, n, old.String())
	}
	f.write(name, strings.Replace(text, old.String(), changed.String(), 1))
}

// shell goes on where the block before has ended.
const shell = `if [ -f "$STATE" ]; then . "$STATE"; fi
trap 'export -p >"$STATE"; echo "cd \"$PWD\"" >>"$STATE"' EXIT
set -ae
`

// run runs a block of commands. It must fail if the guide shows a failure, and
// only then.
func (f *follower) run(s, shown step) {
	f.t.Helper()
	cmd := exec.Command("sh", "-c", shell+strings.ReplaceAll(s.text, "/tmp/faultline/", f.dir+"/faultline/"))
	cmd.Dir, cmd.Env = f.dir, f.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	got := strings.ReplaceAll(out.String(), f.dir+"/faultline/", "/tmp/faultline/")
	if fails := strings.Contains(shown.text, "--- FAIL"); (err != nil) != fails {
		f.t.Fatalf("line %d: the commands\n%send with %v, and the guide shows a failure: %v; they print\n%s", s.line, s.text, err, fails, got)
	}
	if missing := lacks(got, shown.text, shown.key == "numbers"); missing != "" {
		f.t.Errorf("line %d: the commands\n%sprint\n%sand lack the line that the guide shows here or after the one before:\n%s", s.line, s.text, got, missing)
	}
}

// lacks returns the first line that is shown and not printed in its place. A
// line "…" stands for any lines; without it, lines follow each other. With vary,
// all numbers may be others.
func lacks(printed, shown string, vary bool) string {
	lines := strings.Split(strings.TrimRight(printed, "\n"), "\n")
	anywhere, shrunk := true, false
	for want := range strings.Lines(shown) {
		want = strings.TrimRight(want, " \n")
		if want == "…" {
			anywhere = true
			continue
		}
		switch {
		case strings.Contains(want, "shrunk run") || strings.Contains(want, "shrunk: "):
			shrunk = true
		case strings.Contains(want, "seed: ") || strings.Contains(want, "replay: "):
			shrunk = false
		}
		at := 0
		for anywhere && at < len(lines) && !alike(want, lines[at], vary || shrunk) {
			at++
		}
		if at >= len(lines) || !alike(want, lines[at], vary || shrunk) {
			return want
		}
		lines, anywhere = lines[at+1:], false
	}
	return ""
}

var (
	// realTime matches how long something took, and how much was tried in it.
	realTime = regexp.MustCompile(`\([0-9.]+s\)|in [0-9.]+m?s, [0-9]+ runs( \(not searched to the end.*\))?|\t[0-9.]+s$|[0-9]+ runs near it`)
	// chance matches what a shrunk run may have otherwise.
	chance = regexp.MustCompile(`[0-9]+(\.[0-9]+)?(ms|s)?|alice|bob|\(lose-all\)|\(torn\)|\(keep-[a-z]+\)|\(ordered\)|profile=[a-z-]+|\s+`)
	plural = regexp.MustCompile(`s\b`)
)

// alike reports whether a printed line is the one that is shown.
func alike(shown, printed string, vary bool) bool {
	shown, printed = realTime.ReplaceAllString(shown, "#"), realTime.ReplaceAllString(strings.TrimRight(printed, " "), "#")
	if vary {
		shown, printed = chance.ReplaceAllString(shown, "#"), chance.ReplaceAllString(printed, "#")
		shown, printed = plural.ReplaceAllString(shown, ""), plural.ReplaceAllString(printed, "")
	}
	pattern := "^" + strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".*") + "$"
	return regexp.MustCompile(pattern).MatchString(printed)
}

// What stands for anything does, and nothing else.
func TestLacks(t *testing.T) {
	const printed = "a 1.5s\n--- FAIL: TestX (0.12s)\nshrunk: 1 fault in 1.2s, 3 runs\nbob 3\nseed: 7\nok  \tp\t2.000s\n"
	for _, c := range []struct {
		shown string
		vary  bool
		want  string
	}{
		{"", false, ""},
		{"a 1.5s\n--- FAIL: TestX (9.99s)\n…\nok  \tp\t1.234s\n", false, ""},
		{"a 1.6s\n", false, "a 1.6s"},
		{"a 1.6s\n", true, ""},
		{"a 1.5s\nbob 3\n", false, "bob 3"},
		{"a …s\n…\nshrunk: 2 faults in 9ms, 1 runs\nalice 44\nseed: 7\n", false, ""},
		{"…\nshrunk: 2 faults in 9ms, 1 runs\nalice 44\nseed: 8\n", false, "seed: 8"},
		{"…\nc\n", true, "c"},
	} {
		if got := lacks(printed, c.shown, c.vary); got != c.want {
			t.Errorf("lacks(…, %q, %v) is %q, want %q", c.shown, c.vary, got, c.want)
		}
	}
	if fmt.Sprint(steps("x\n```sh with=y\nz\n```\n")) != "[{sh with y z\n 2}]" {
		t.Error("the fence is not read")
	}
}
