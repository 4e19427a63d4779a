package faultline

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
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
	if runs == 0 || runs > 16 { // to record what is found, and guesses that fail
		t.Errorf("it took %d runs although all was known:\n%s", runs, o.text)
	}
	again, err := os.ReadFile(filepath.Join(dir, artifact.MinimalFile))
	if err != nil || string(again) != string(small) {
		t.Errorf("the result is another: %s\n%s (%v)", again, small, err)
	}
}

// The same failure, run again without shrinking, leaves the shrunk schedule alone.
func TestShrunkScheduleStays(t *testing.T) {
	root := t.TempDir()
	runScenario(t, "crash-and-loss", "FAULTLINE_ARTIFACTS="+root)
	o := runScenario(t, "crash-and-loss", "FAULTLINE_ARTIFACTS="+root, "FAULTLINE_SHRINK=off")
	o.wants(t, "artifact: "+root)
	found, err := filepath.Glob(filepath.Join(root, "*", "*", "*", artifact.MinimalFile))
	if err != nil || len(found) != 1 {
		t.Errorf("it has left %q, %v", found, err)
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
	for _, after := range []time.Duration{150, 300, 600, 2000, 6000, 15000} { // the later ones only on a busy machine
		if after > 600 && learnt > 0 {
			break
		}
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

// A test that replays nothing is no success, but with -short it may say that it
// leaves itself out.
func TestReproduceOfNothingFails(t *testing.T) {
	for _, c := range []struct {
		how    string
		args   []string
		failed bool
		want   string
	}{
		{"skips", nil, true, "faultline: nothing was replayed: the test was skipped, see above"},
		{"skips", []string{"-test.short"}, false, "set KV_ADDR"},
		{"runs nothing", []string{"-test.short"}, true, "faultline: nothing was replayed: no Run of the test is that of the schedule"},
	} {
		o := runScenarioArgs(t, "reproduce", c.args, "REPRODUCED="+c.how)
		if o.wants(t, c.want); o.failed != c.failed {
			t.Errorf("%s %q: failed %v\n%s", c.how, c.args, o.failed, o.text)
		}
	}
}

// Processes share a list of seeds without a gap and without a seed twice.
func TestShards(t *testing.T) {
	for seeds := range 30 {
		for n := 1; n < 8; n++ {
			seen := map[int]bool{}
			for k := range n {
				first, every, count := (&environment{shard: k, shards: n}).shardOf(seeds)
				for i := range count {
					at := first + i*every
					if at >= seeds || at%n != k || seen[at] {
						t.Fatalf("shard %d/%d of %d seeds runs %d", k, n, seeds, at)
					}
					seen[at] = true
				}
			}
			if len(seen) != seeds {
				t.Fatalf("%d shards run %d of %d seeds", n, len(seen), seeds)
			}
		}
	}
	o := runScenario(t, "pass", "FAULTLINE_SEEDS=5", "FAULTLINE_SHARD=1/2")
	o.wants(t, "faultline: 2 runs, 0 failed", "FAULTLINE_SHARD=1/2")
	o = runScenario(t, "pass", "FAULTLINE_SEEDS=3", "FAULTLINE_SHARD=5/30")
	o.wants(t, "--- SKIP", "nothing was run: the list has 3 seeds, so that none is of shard 5/30; use fewer shards or more seeds")
	runScenario(t, "pass", "FAULTLINE_SHARD=2/2").wants(t, `FAULTLINE_SHARD="2/2" is not valid (out of range); it takes k/n with k from 0 to n-1`)
}

// Several candidates at once, in processes, lead to a smaller schedule that fails
// in the same way.
func TestShrinksInParallel(t *testing.T) {
	o := runScenario(t, "slow-crash-and-loss", "FAULTLINE_SHRINK=3s", "FAULTLINE_PARALLEL=2")
	whole, err := loadSchedule(filepath.Join(o.dir(t), artifact.ScheduleFile))
	if err != nil {
		t.Fatal(err)
	}
	small, err := loadSchedule(filepath.Join(o.dir(t), artifact.MinimalFile))
	if err != nil {
		t.Fatalf("%v\n%s", err, o.text)
	}
	if tallyOf(small).all() >= tallyOf(whole).all() || small.Expect.Check != whole.Expect.Check {
		t.Errorf("%v became %v, which fails %q", tallyOf(whole), tallyOf(small), small.Expect.Check)
	}
	runScenario(t, "slow-crash-and-loss", "FAULTLINE_SHRINK=off", "FAULTLINE_SCHEDULE="+filepath.Join(o.dir(t), artifact.MinimalFile)).
		wants(t, `invariant "no loss after a crash" failed`)
}

// A process says of a schedule what a run in this one does.
func TestCrew(t *testing.T) {
	first := runScenario(t, "crash-and-loss", "FAULTLINE_SHRINK=off")
	whole, err := loadSchedule(filepath.Join(first.dir(t), artifact.ScheduleFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SCENARIO", "crash-and-loss")
	w := &crew{place: place{test: "TestScenario/#00", dir: "."}, width: 2, dir: t.TempDir()}
	s := &shrinker{failure: &kernel.Failure{Kind: whole.Expect.Kind, Check: whole.Expect.Check, Message: "n2 is in boot 2 and a message was lost"}}
	none := *whole
	none.Faults, none.Choices = nil, nil
	broken := *whole
	broken.Faults = []fault.Fault{{Kind: "meteor"}}
	out, ok := w.verdicts(s, []*fault.Schedule{whole, &none, &broken})
	if !slices.Equal(out, []shrink.Verdict{shrink.Same, shrink.Gone, shrink.Gone}) || !slices.Equal(ok, []bool{true, true, false}) {
		t.Errorf("verdicts %v, %v", out, ok)
	}
}
