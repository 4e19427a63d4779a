package faultline

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// Shrinking goes on from an artifact, with what was learnt before.
func TestShrinkGoesOn(t *testing.T) {
	first := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK=off")
	dir := first.dir(t)
	if _, err := os.Stat(filepath.Join(dir, artifact.MinimalFile)); err == nil {
		t.Fatal("it was shrunk")
	}
	o := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK_DIR="+dir, "FAULTLINE_SEED=1")
	if o.failed {
		t.Fatal(o.text)
	}
	o.wants(t, " -> 1 fault, 1 choice in ")
	small, err := os.ReadFile(filepath.Join(dir, artifact.MinimalFile))
	if err != nil {
		t.Fatal(err)
	}
	o = runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK_DIR="+dir)
	o.wants(t, " -> 1 fault, 1 choice in ")
	runs := 0
	for _, line := range strings.Split(o.text, "\n") {
		if _, after, ok := strings.Cut(line, " -> 1 fault, 1 choice in "); ok {
			words := strings.Fields(after)
			for _, c := range words[1] {
				runs = runs*10 + int(c-'0')
			}
		}
	}
	if runs == 0 || runs > 8 {
		t.Errorf("it took %d runs although all was known:\n%s", runs, o.text)
	}
	again, err := os.ReadFile(filepath.Join(dir, artifact.MinimalFile))
	if err != nil || string(again) != string(small) {
		t.Errorf("the result is another: %s\n%s (%v)", again, small, err)
	}
}

// What passes now, or is not there, is not shrunk, and the artifact stays.
func TestShrinkRefuses(t *testing.T) {
	first := runScenario(t, "invariant-late", "FAULTLINE_SHRINK=off")
	dir := first.dir(t)
	o := runScenario(t, "invariant-mended", "FAULTLINE_SHRINK_DIR="+dir)
	if o.wants(t, "there is nothing to shrink: the run passes now; it was recorded with invariant | few messages"); !o.failed {
		t.Error("it looks like a success")
	}
	if r := first.report(t); r.Result != artifact.Failed {
		t.Errorf("the artifact is of a %s", r.Result)
	}
	o = runScenario(t, "invariant-late", "FAULTLINE_SHRINK_DIR="+t.TempDir())
	o.wants(t, "FAULTLINE_SHRINK_DIR: ")
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.CopyFS(moved, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	runScenario(t, "invariant-late", "FAULTLINE_SHRINK_DIR="+moved).wants(t, "is not where its test leaves it; move it to <any directory>/")
}

// A search that is killed at any moment leaves a valid artifact, and the next
// one goes on.
func TestShrinkIsKilled(t *testing.T) {
	first := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK=off")
	dir := first.dir(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	learnt := 0
	for _, after := range []time.Duration{150, 300, 600} {
		cmd := exec.Command(exe, "-test.run=^TestScenario$")
		cmd.Env = append(cleanEnv(), "SCENARIO=crash-and-loss", "FAULTLINE_SHRINK_DIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(after * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if a, err := artifact.Read(dir); err != nil || a.Report.Failure == nil || a.Schedule == nil {
			t.Fatalf("killed after %v ms the artifact is broken: %v", int(after), err)
		}
		if data, err := os.ReadFile(filepath.Join(dir, artifact.ShrinkFile)); err == nil {
			n := strings.Count(string(data), `"verdict"`)
			if n < learnt {
				t.Errorf("after %v ms less is known than before", int(after))
			}
			learnt = n
		}
	}
	if learnt == 0 {
		t.Error("nothing was learnt")
	}
	runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK_DIR="+dir).wants(t, " -> 1 fault, 1 choice in ")
}

// A schedule in a test's source runs the Run that it is of, below another name
// and whatever else is asked for, and the command that replays it is the test.
func TestReproduces(t *testing.T) {
	o := runScenario(t, "reproduce", "FAULTLINE_SEED=5")
	o.wants(t, "--- SKIP: TestScenario/#00/other", "/it/schedule=0x0000000000000009", `invariant "no kill" failed at 0.31`, "-count=1 -run '^TestScenario$/^#00$/^it$' .")
	if !o.failed || strings.Contains(o.text, "/seed=") {
		t.Error(o.text)
	}
	for line := range strings.Lines(o.text) {
		if strings.Contains(line, "replay:   ") && strings.Contains(line, "FAULTLINE_") {
			t.Errorf("the replay command needs a file that is gone: %s", line)
		}
	}
}
