package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Near a pin are schedules with the same faults at the same times: of full
// length, with other fates, seeds and targets.
func TestNeighbours(t *testing.T) {
	opt, err := Options{}.complete(false)
	if err != nil {
		t.Fatal(err)
	}
	pin := &fault.Schedule{Seed: 7, Duration: 3 * time.Second, Quiet: time.Second,
		Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill, At: 900 * time.Millisecond, Target: fault.Target{Group: "servers"}, Nodes: []string{"n1"}, Outcome: fault.Fired}},
		Choices: []kernel.Choice{{Point: pointJitter, Value: 1}, {Point: pointClients, Value: int64(loadClosed)}, {Point: "setup/servers", Value: 2},
			{Point: "net/a>b/drop", N: 5, Value: 1}, {Point: "work/c/op", N: 3, Value: 1e6}}}
	var hits, seeds, anew int
	n := 0
	numbers := map[uint64]bool{}
	for s, how := range neighbours(pin, opt) {
		n++
		if len(s.Faults) != 1 || s.Faults[0].At != pin.Faults[0].At || s.Duration != opt.Duration || s.Quiet != opt.quiet() || loadOf(s) != loadFree {
			t.Errorf("%s: it is %+v", how, s)
		}
		if len(s.Faults[0].Nodes) == 0 {
			anew++
		}
		if s.Seed != pin.Seed {
			seeds++
		}
		for _, c := range s.Choices {
			switch c.Point {
			case "net/a>b/drop":
				numbers[c.N] = true
				hits++
			case "setup/servers":
				if c.Value != 2 || c.N != 0 {
					t.Errorf("%s: the setup is another: %+v", how, c)
				}
			default:
				t.Errorf("%s: it has the choice %+v", how, c)
			}
		}
	}
	if n != mostNeighbours || seeds < n/3 || anew < n/5 || len(numbers) < 8 || hits < n/2 {
		t.Errorf("%d neighbours, %d with other seeds, %d aimed anew, %d numbers of the lost message", n, seeds, anew, len(numbers))
	}
	draws := map[uint64]bool{}
	for s, how := range neighbours(&fault.Schedule{Seed: 7, Faults: pin.Faults}, opt) {
		if strings.Contains(how, "fates") {
			t.Errorf("%s, where there are none", how)
		}
		draws[s.Seed] = true
	}
	if len(draws) != mostNeighbours {
		t.Errorf("without fates there are %d seeds in %d neighbours", len(draws), mostNeighbours)
	}
	if pin.Faults[0].Nodes == nil || pin.Choices[3].N != 5 {
		t.Error("the pin was changed")
	}
}

// A pin whose fate has lost its message says how far it came, and finds the
// failure beside it.
func TestPinFindsItsFailureNearBy(t *testing.T) {
	first := runScenario(t, "nth-message", "FAULTLINE_SHRINK=5s", "FAULTLINE_SEEDS=30")
	pins := pinIn(t, first, "schedule.min.json")
	o := runScenarioArgs(t, "nth-message", nil, "SCENARIO_DIR="+pins, "FAULTLINE_SEEDS=1")
	o.wants(t, "/pin=it", "replayed 1 of 1 entries", `invariant "the fourth" failed`)
	// Two more messages before it: it is known by its name.
	o = runScenarioArgs(t, "nth-message-more", nil, "SCENARIO_DIR="+pins, "FAULTLINE_SEEDS=1")
	o.wants(t, "/pin=it", "replayed 1 of 1 entries", `invariant "the fourth" failed`)
	// All later, too: it is looked for by its number.
	o = runScenarioArgs(t, "nth-message-edited", nil, "SCENARIO_DIR="+pins, "FAULTLINE_SEEDS=1")
	o.wants(t, "/pin=it", "the pin does not lead to its failure any more: replayed 0 of 1 entries", "with fates 2 later it does (run ", `invariant "the fourth" failed`, "/it.json")
	if !o.failed || strings.Contains(o.text, "passes now") {
		t.Errorf("the pin has passed:\n%s", o.text)
	}
	o = runScenarioArgs(t, "nth-message-mended", nil, "SCENARIO_DIR="+pins, "FAULTLINE_SEEDS=1")
	if o.wants(t, "passes now; it was recorded with"); o.failed || strings.Contains(o.text, "near it") {
		t.Errorf("the mended pin has failed, or was not believed although all of it came up:\n%s", o.text)
	}
	o = runScenarioArgs(t, "nth-message-edited-mended", nil, "SCENARIO_DIR="+pins, "FAULTLINE_SEEDS=1")
	if o.wants(t, "the pin passes, but 1 of its 1 entries met nothing, so the code has changed around it", "it passes too, in 48 runs", "passes now; it was recorded with"); o.failed {
		t.Errorf("the mended pin has failed:\n%s", o.text)
	}
}

// A pin of faults at fixed times alone cannot notice that the code has moved, so it is
// tried near by when it passes, in a few runs.
func TestPinOfFaultsIsTriedNearBy(t *testing.T) {
	by := fault.Schedule{Seed: 7, Duration: time.Second, Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill,
		At: 505 * time.Millisecond, For: time.Millisecond, Target: fault.Target{Nodes: []string{"n1"}}}}}
	file := filepath.Join(t.TempDir(), "by-hand.json")
	if err := os.WriteFile(file, by.Encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	pins := pinIn(t, runScenario(t, "killed", "FAULTLINE_SCHEDULE="+file, "FAULTLINE_SHRINK=off"), artifact.ScheduleFile)
	o := runScenario(t, "killed-late", "SCENARIO_DIR="+pins)
	o.wants(t, "/pin=it", "the pin does not lead to its failure any more: replayed 1 of 1 entries; the last that came up is of 505ms, and the failure was at 1s",
		"but with its faults 100ms later it does (run 9 near it): ", `final "nothing is lost" failed at 1.1s`)
	if !o.failed || strings.Contains(o.text, "passes now") {
		t.Errorf("the pin has passed:\n%s", o.text)
	}
	const blind = "no entry of the pin tells whether the code has changed around it; "
	o = runScenario(t, "killed-mended", "SCENARIO_DIR="+pins)
	if o.wants(t, "passes now; it was recorded with", blind+"near it (its faults earlier and later, other draws) it passes too, in 16 runs"); o.failed {
		t.Errorf("the mended pin has failed:\n%s", o.text)
	}
	o = runScenario(t, "killed-late", "SCENARIO_DIR="+pins, "FAULTLINE_SHRINK=off")
	if o.wants(t, "passes now; it was recorded with", blind+"nothing near it was tried"); o.failed {
		t.Errorf("the pin has failed although nothing near it is tried:\n%s", o.text)
	}
}

// A pin is blind if no entry came up at its time, or a fault at a fixed time is later
// than those that did. Triggers follow the code.
func TestIsBlind(t *testing.T) {
	at := func(f fault.Fault) *fault.Schedule {
		f.At, f.Outcome = 300*time.Millisecond, fault.Fired
		return &fault.Schedule{Faults: []fault.Fault{f}}
	}
	for _, c := range []struct {
		name string
		pin  *fault.Schedule
		told time.Duration
		want bool
	}{
		{"nothing is compared", &fault.Schedule{}, 0, true},
		{"choices only", &fault.Schedule{}, time.Millisecond, false},
		{"a fault after the last choice", at(fault.Fault{}), 200 * time.Millisecond, true},
		{"a fault before it", at(fault.Fault{}), 400 * time.Millisecond, false},
		{"a trigger", at(fault.Fault{When: fault.Trigger{Op: "sync"}}), 200 * time.Millisecond, false},
	} {
		if got := isBlind(c.pin, c.told); got != c.want {
			t.Errorf("%s: blind is %v", c.name, got)
		}
	}
}

// Around a blind pin its faults come later and earlier, all by the same, in a run that is
// no longer than the options say. Those of a script stay.
func TestAround(t *testing.T) {
	opt, err := Options{}.complete(false)
	if err != nil {
		t.Fatal(err)
	}
	pin := &fault.Schedule{Seed: 7, Duration: 3 * time.Second, Quiet: time.Second, Choices: []kernel.Choice{}, Faults: []fault.Fault{
		{ID: "kill#1", Kind: fault.Kill, At: 60 * time.Millisecond, Target: fault.Target{Group: "servers"}, Nodes: []string{"n1"}, Outcome: fault.Fired},
		{ID: "kill#2", Kind: fault.Kill, At: 999 * time.Millisecond, Target: fault.Target{Group: "servers"}, Nodes: []string{"n1"}, Outcome: fault.Fired}}}
	count := func(scripted bool) (moved, all int) {
		for s, how := range around(pin, opt, scripted) {
			all++
			if err := s.Validate(); err != nil || s.Duration > opt.Duration {
				t.Errorf("%s: it lasts %v: %v", how, s.Duration, err)
			}
			if s.Faults[1].At-s.Faults[0].At != 939*time.Millisecond {
				t.Errorf("%s: the faults are at %v and %v", how, s.Faults[0].At, s.Faults[1].At)
			}
			if s.Faults[0].At != 60*time.Millisecond {
				moved++
			}
		}
		return moved, all
	}
	if moved, all := count(false); moved != 10 || all != 14 { // 100 and 200ms earlier is before the start
		t.Errorf("%d schedules with faults at other times of %d", moved, all)
	}
	if moved, all := count(true); moved != 0 || all != fewNeighbours {
		t.Errorf("of a script: %d schedules with faults at other times of %d", moved, all)
	}
	if pin.Faults[0].At != 60*time.Millisecond || pin.Duration != 3*time.Second {
		t.Error("the pin was changed")
	}
}

// Pins share the time for looking near them.
func TestPinsShareTheirTime(t *testing.T) {
	c := &campaign{opt: Options{ShrinkBudget: time.Hour}, jobs: jobs{first: make([]job, 20)}}
	var all time.Duration
	for range c.jobs.first {
		share := c.nearShare()
		all, c.near = all+share, c.near+share
		c.sum.pins++
	}
	if all > pinTime || all < pinTime-time.Millisecond {
		t.Errorf("20 pins take %v, want %v", all, pinTime)
	}
	c.near, c.sum.pins = 0, 19
	if share := c.nearShare(); share != pinTime {
		t.Errorf("the last one may take %v of what is left", share)
	}
}

// What shrinking has left is not shrunk again, nor is what has a shrunk schedule
// already, unless it is asked for.
func TestReplaysAreNotShrunkAgain(t *testing.T) {
	first := runScenario(t, "nth-message", "FAULTLINE_SHRINK=5s", "FAULTLINE_SEEDS=30")
	dir := first.dir(t)
	small := filepath.Join(dir, artifact.MinimalFile)
	const left = "shrunk:   this schedule is what shrinking has left; FAULTLINE_SHRINK=20s shrinks it again"
	before := "shrunk:   before, to 0 faults, 1 choice in " + small + "; FAULTLINE_SHRINK=20s shrinks it again"
	pins := pinIn(t, first, artifact.MinimalFile)
	seed := "FAULTLINE_SEED=" + first.report(t).Seed.String()
	for _, c := range []struct{ env, want string }{
		{"FAULTLINE_SCHEDULE=" + small, left},
		{"SCENARIO_DIR=" + pins, left},
		{"FAULTLINE_SCHEDULE=" + filepath.Join(dir, artifact.ScheduleFile), before},
		{"FAULTLINE_REPLAY=" + dir, before},
		{seed, before},
	} {
		o := runScenario(t, "nth-message", c.env, "FAULTLINE_ARTIFACTS="+first.root)
		if o.wants(t, `invariant "the fourth" failed`, c.want); !o.failed || strings.Contains(o.text, " -> ") {
			t.Errorf("%s: it has passed, or was shrunk again:\n%s", c.env, o.text)
		}
	}
	o := runScenario(t, "nth-message", seed, "FAULTLINE_ARTIFACTS="+first.root, "FAULTLINE_SHRINK=5s")
	o.wants(t, " -> 0 faults, 1 choice in ")
	o = runScenario(t, "nth-message-other", "FAULTLINE_SCHEDULE="+small, "FAULTLINE_ARTIFACTS="+first.root)
	if o.wants(t, `invariant "the fourth" failed`); strings.Contains(o.text, left) {
		t.Errorf("another failure was taken for the one that was shrunk:\n%s", o.text)
	}
}
