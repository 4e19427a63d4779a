package fault

import (
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

func TestUneditedScheduleReplaysToTheSameHash(t *testing.T) {
	seen := map[Kind]int{}
	choices := 0
	for seed := range uint64(60) {
		sch, hash := planSeed(t, seed, busy())
		for _, f := range sch.Faults {
			if f.Outcome == Fired {
				seen[f.Kind]++
			}
		}
		choices += len(sch.Choices)
		s, again := replay(t, sch)
		if again != hash {
			t.Errorf("seed %d: replay has hash %s, the run had %s", seed, again, hash)
		}
		if left := s.sim.UnmetChoices(); len(left) > 0 {
			t.Errorf("seed %d: %d choices met nothing, first %+v", seed, len(left), left[0])
		}
		if got := s.in.Faults(); !slices.EqualFunc(got, sch.Faults, func(a, b Fault) bool {
			return a.ID == b.ID && a.Outcome == b.Outcome && slices.Equal(a.Nodes, b.Nodes)
		}) {
			t.Errorf("seed %d: outcomes differ in the replay", seed)
		}
	}
	if choices < 1000 {
		t.Errorf("only %d choices in all seeds: the test shows nothing", choices)
	}
	for _, r := range Default() {
		if seen[r.Kind] == 0 {
			t.Errorf("no %s fault fired in any seed", r.Kind)
		}
	}
}

// Taking one fault out of a schedule must leave what happened before it, and
// the choices of all the others.
func TestEditedScheduleKeepsTheRest(t *testing.T) {
	sch, _ := planSeed(t, 7, busy())
	for i, f := range sch.Faults {
		edited := *sch
		edited.Faults = slices.Delete(slices.Clone(sch.Faults), i, i+1)
		full, _ := replay(t, sch)
		s, _ := replay(t, &edited)
		n := 0
		next, stop := pullRecords(s.sim)
		for r := range full.sim.Records() {
			if r.Time >= kernel.Time(f.At) {
				break
			}
			other, ok := next()
			if !ok || other.Kind != r.Kind || other.Time != r.Time || other.Event != r.Event {
				t.Fatalf("without %s at %v: record %d at %v differs", f.ID, f.At, r.Index, r.Time)
			}
			n++
		}
		stop()
		if n == 0 && f.At > 1e7 {
			t.Errorf("no record before %s", f.ID)
		}
	}
}

func TestScheduleWithoutChoicesDrawsNone(t *testing.T) {
	sch, _ := planSeed(t, 3, busy().Only(Loss, Duplicate, Delay))
	if len(sch.Choices) == 0 {
		t.Fatal("the seed made no choices")
	}
	sch.Choices = nil
	s, _ := replay(t, sch)
	if n := len(s.sim.Choices()); n > 0 {
		t.Errorf("%d choices were made in a replay without any", n)
	}
	for _, f := range s.in.Faults() {
		if f.Outcome == Fired {
			t.Errorf("%s counts as fired, and no message met it", f.ID)
		}
	}
}
