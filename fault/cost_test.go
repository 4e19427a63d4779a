package fault

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Faults that are not going on cost nothing: a run whose faults come later, or
// are over, makes the same events, the same trace and as many allocations as one
// without an injector. Nothing looks at its points, messages, operations or events
// unless a fault waits for one.
func TestWhatIsOffCostsNothing(t *testing.T) {
	const part = 200 * time.Millisecond
	measure := func(faults []Fault) (events uint64, allocs float64, hash [32]byte) {
		s := newSystem(t, kernel.Config{Seed: 5}, 3)
		defer s.sim.Close()
		if faults != nil {
			if err := s.in.Arm(faults, Options{Quiet: time.Hour}); err != nil {
				t.Fatal(err)
			}
			if n := len(s.in.points) + len(s.in.ops) + len(s.in.mail) + len(s.in.waiting); n != 0 {
				t.Errorf("%d faults wait for something", n)
			}
		}
		s.sim.RunFor(2 * time.Second)
		allocs = testing.AllocsPerRun(5, func() { s.sim.RunFor(part) })
		return s.sim.Event(), allocs, s.sim.Hash()
	}
	var later, over []Fault
	for _, tr := range traits() {
		f := Fault{Kind: tr.kind, At: time.Minute, For: time.Second, Target: Target{Group: "servers"}, Rate: 1000, Amount: time.Millisecond}
		switch {
		case tr.on == onStream || tr.kind == Upgrade:
			continue // the system has neither
		case tr.kind == Loss || tr.kind == Latency || tr.kind == OneWay || tr.kind == Bandwidth || tr.kind == SlowDisk || tr.kind == SyncFail:
			g := f
			g.At, g.For, g.Target = time.Millisecond, 2*time.Millisecond, Target{Nodes: []string{"n3"}}
			over = append(over, g)
		}
		later = append(later, f)
	}
	events, allocs, hash := measure(nil)
	gotEvents, gotAllocs, gotHash := measure(later)
	if gotEvents != events || gotHash != hash {
		t.Errorf("with %d faults to come: %d events, %x; without any %d, %x", len(later), gotEvents, gotHash, events, hash)
	}
	if gotAllocs > allocs+2 {
		t.Errorf("with %d faults to come: %v allocations in %v; without any %v", len(later), gotAllocs, part, allocs)
	}
	if _, gotAllocs, _ = measure(over); gotAllocs > allocs+2 {
		t.Errorf("after %d faults: %v allocations in %v; without any %v", len(over), gotAllocs, part, allocs)
	}
}
