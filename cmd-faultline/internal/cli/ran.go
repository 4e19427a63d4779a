package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
)

const resultsVariable = "FAULTLINE_RESULTS"

// witness tells whether a command has run a seed of a test: go test says ok as
// well when the test skips itself.
type witness struct {
	test, seed string
	file       string // where the test appends a line for each run
	before     int64  // size of file when the command was started
	temporary  bool
}

// watch makes a command leave word of what it runs. What the user wants to be
// told in FAULTLINE_RESULTS still gets there.
func watch(run *exec.Cmd, r *artifact.Report, seed artifact.Hex64) (*witness, error) {
	w := &witness{test: r.Test, seed: seed.String(), file: strings.TrimSpace(os.Getenv(resultsVariable))}
	if w.file != "" {
		if !filepath.IsAbs(w.file) {
			w.file = filepath.Join(cmp.Or(run.Dir, recordedDir(r.Replay)), w.file)
		}
		if info, err := os.Stat(w.file); err == nil {
			w.before = info.Size()
		}
		return w, nil
	}
	f, err := os.CreateTemp("", "faultline-results-*.jsonl")
	if err != nil {
		return nil, err
	}
	w.file, w.temporary = f.Name(), true
	if run.Env == nil {
		run.Env = os.Environ()
	}
	run.Env = append(run.Env, resultsVariable+"="+w.file)
	return w, f.Close()
}

func (w *witness) close() {
	if w.temporary {
		_ = os.Remove(w.file)
	}
}

// saw reports whether the command has run the seed.
func (w *witness) saw() (bool, error) {
	f, err := os.Open(w.file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if _, err := f.Seek(w.before, io.SeekStart); err != nil {
		return false, err
	}
	lines := json.NewDecoder(f)
	for {
		var l struct{ Test, Seed string }
		switch err := lines.Decode(&l); {
		case err == io.EOF:
			return false, nil
		case err != nil:
			return false, fmt.Errorf("%s: %w", w.file, err)
		case l.Test == w.test && l.Seed == w.seed:
			return true, nil
		}
	}
}

// nothingRun is the error of a command that has ended well and has run no seed;
// otherwise is what it says if the test gives no reason.
// The test's reason to skip itself is printed with -v only, so that the command
// is run once more, which is quick.
func (s *session) nothingRun(run *exec.Cmd, test, otherwise string) error {
	again := exec.CommandContext(s.context(), run.Args[0], run.Args[1:]...)
	again.WaitDelay, again.Dir = run.WaitDelay, run.Dir
	env := run.Env
	if env == nil {
		env = os.Environ()
	}
	flags, _ := exec.CommandContext(s.context(), "go", "env", "GOFLAGS").Output()
	again.Env = append(env[:len(env):len(env)], strings.TrimSpace("GOFLAGS="+strings.TrimSpace(string(flags))+" -v"))
	var out bytes.Buffer
	again.Stdout, again.Stderr = &out, &out
	_ = again.Run() // what it says counts
	if reason, ok := skipReason(out.String(), test); ok {
		return fmt.Errorf("nothing was run: the test was skipped: %s", artifact.Visible(reason))
	}
	if strings.Contains(out.String(), noTests) {
		return fmt.Errorf("nothing was run: there is no test %s any more", test)
	}
	return errors.New("nothing was run: " + otherwise)
}

const noTests = "[no tests to run]"

var skipLine = regexp.MustCompile(`(?m)^ *--- SKIP: (\S+) \(.*\)$`)

// skipReason finds in the output of go test -v why a test, or one above or
// below it, has skipped itself.
func skipReason(out, test string) (string, bool) {
	for _, at := range skipLine.FindAllStringSubmatchIndex(out, -1) {
		name := out[at[2]:at[3]]
		if name != test && !strings.HasPrefix(name, test+"/") && !strings.HasPrefix(test, name+"/") {
			continue
		}
		before := out[:at[0]]
		if i := strings.LastIndex(before, "\n=== "); i >= 0 {
			before = before[i+1:]
		}
		var said []string
		for line := range strings.Lines(before) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- ") {
				said = append(said, line)
			}
		}
		return cmp.Or(strings.Join(said, " "), "it gives no reason"), true
	}
	return "", false
}
