package fault

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Before the ninth operation eight have happened, after it nine.
func TestMessageTriggers(t *testing.T) {
	for _, row := range []struct {
		op, record string
		after      bool
		want       int
	}{
		{"send", "net/send", false, 8}, {"send", "net/send", true, 9},
		{"receive", "net/deliver", false, 8}, {"receive", "point", true, 9},
	} {
		f := Fault{Kind: Kill, When: Trigger{Op: row.op, Message: "in?", After: row.after, Node: "n2", Nth: 9}}
		s := script(t, f)
		if got := s.in.Faults()[0]; got.Outcome != Fired || fmt.Sprint(got.Nodes) != "[n2]" {
			t.Errorf("%+v: %+v", row, got)
		}
		if got := s.kinds("n2")[row.record]; got != row.want {
			t.Errorf("%+v: %d records", row, got)
		}
	}
}

func TestStateTrigger(t *testing.T) {
	s := newSystem(t, kernel.Config{Seed: 1}, 3)
	asked := 0
	s.in.State("n1 has 50", func() bool {
		asked++
		h, ok := s.nodes[0].Handler().(*chatter)
		return ok && h.got >= 50
	})
	hit := Fault{Kind: Kill, At: at(100), When: Trigger{State: "n1 has 50"}, Target: Target{Nodes: []string{"n2"}}}
	again := hit
	again.When.Nth = 2 // it stays true, so it becomes true once only
	again.ID = "again"
	if err := s.in.Arm([]Fault{hit, again}, Options{}); err != nil {
		t.Fatal(err)
	}
	s.sim.RunFor(at(90))
	for s.nodes[1].Alive() && s.sim.Step() {
	}
	if got := s.nodes[0].Handler().(*chatter).got; got != 50 || s.sim.Now() < kernel.Time(at(100)) {
		t.Errorf("n2 was killed at %v, when n1 had %d", s.sim.Now(), got)
	}
	s.sim.RunFor(time.Second)
	if s.outcome(1) != "" || asked == 0 {
		t.Errorf("the second match: %q", s.outcome(1))
	}
	s.sim.Close()
	s = newSystem(t, kernel.Config{}, 3)
	if err := s.in.Arm([]Fault{hit}, Options{}); err == nil {
		t.Error("an unknown state was accepted")
	}
}

// A chance is drawn for each match: in one of a hundred on average, it fires
// around the hundredth.
func TestChanceTrigger(t *testing.T) {
	fired, early := 0, 0
	for seed := range uint64(40) {
		s := newSystem(t, kernel.Config{Seed: seed}, 3)
		f := Fault{Kind: Kill, When: Trigger{Point: "received", Chance: 10_000}, Target: Target{Nodes: []string{"n1"}}}
		if err := s.in.Arm([]Fault{f}, Options{}); err != nil {
			t.Fatal(err)
		}
		s.run(t, time.Second)
		if s.outcome(0) == Fired {
			fired++
			if p := s.in.planned[0]; p.matches <= 69 { // half of them, by ln 2
				early++
			}
		}
	}
	if fired < 39 || early < 10 || early > 30 {
		t.Errorf("fired in %d of 40 seeds, in %d before the median", fired, early)
	}
}

// A fault that hits the node of its match is recorded with the match on that
// node alone, whoever could have been hit before.
func TestSelfIsReplayedByItsNode(t *testing.T) {
	f := Fault{Kind: Kill, When: Trigger{Point: "received", Nth: 7}, Target: Target{Group: "servers", Role: "first", Pick: Self}}
	s := script(t, f)
	got := s.in.Faults()[0]
	if got.Outcome != Fired || fmt.Sprint(got.Nodes) != "[n1]" || got.When.Node != "n1" || got.When.Nth != 7 {
		t.Fatalf("%+v", got)
	}
	again := script(t, got)
	if a, b := s.sim.Hash(), again.sim.Hash(); a != b {
		t.Error("the recorded fault does otherwise")
	}
}
