package fault

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Rules at named points draw from the names that the run has; where it has none
// they draw nothing. Naming points moves no other fault.
func TestNamedPoints(t *testing.T) {
	atPoint := func(f Fault) bool { return f.When.Point != "" }
	names := map[string]int{}
	for seed := range uint64(100) {
		without, _ := plan(t, seed, Default())
		if slices.ContainsFunc(without, atPoint) {
			t.Fatalf("seed %d: a fault at a point, although none is named", seed)
		}
		known := Known{Roles: []string{"leader"}, Points: []string{"elected", "applied"}}
		with, drawn, err := Plan(kernel.NewStream(seed, "plan"), Default(), 20*time.Second, known)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range with {
			if atPoint(f) {
				names[f.When.Point]++
				if f.Target.Pick != Self {
					t.Errorf("seed %d: %s hits %+v", seed, f.ID, f.Target)
				}
			}
		}
		if with = slices.DeleteFunc(with, atPoint); !reflect.DeepEqual(with, without) {
			t.Fatalf("seed %d: naming points has moved other faults", seed)
		}
		if len(drawn) != len(Default()) {
			t.Fatalf("seed %d: %d intensities", seed, len(drawn))
		}
	}
	if len(names) != 2 || names["elected"] < 100 || names["applied"] < 100 {
		t.Errorf("drawn: %v", names)
	}
}

// A trigger at a point that is not among those that are named is an error.
func TestUnknownPoint(t *testing.T) {
	f := Fault{Kind: Kill, When: Trigger{Point: "recieved"}, Target: Target{Nodes: []string{"n1"}}}
	for _, named := range [][]string{nil, {"received"}} {
		s := newSystem(t, kernel.Config{}, 3)
		s.in.Points(named...)
		if err := s.in.Arm([]Fault{f}, Options{}); (err != nil) != (named != nil) {
			t.Errorf("with the points %v: %v", named, err)
		}
		s.sim.Close()
	}
}

// A one-way cut with a Count reaches so many of the peers, and other ones with
// another seed.
func TestOneWayToSomePeers(t *testing.T) {
	hit := map[string]bool{}
	for seed := range uint64(20) {
		s := newSystem(t, kernel.Config{Seed: seed}, 5)
		f := Fault{Kind: OneWay, At: at(10), For: at(50), Target: Target{Nodes: []string{"n2"}}, Peers: []string{"@servers"}, Count: 2}
		if err := s.in.Arm([]Fault{f}, Options{}); err != nil {
			t.Fatal(err)
		}
		s.sim.RunFor(at(20))
		reach := s.net.Reaches("n2")
		if got := s.in.Active(); len(got) != 1 || got[0].Kind != OneWay || !slices.Equal(got[0].Nodes, []string{"n2"}) {
			t.Fatalf("active: %+v", got)
		}
		var open []string
		for _, n := range s.nodes {
			if s.net.CanReachQuorum(n.Name(), []string{n.Name(), "n2"}) {
				open = append(open, n.Name())
			}
		}
		if len(open) != 3 { // itself and two
			t.Fatalf("seed %d: n2 is open both ways to %v; it reaches %v", seed, open, reach)
		}
		hit[fmt.Sprint(open)] = true
		s.sim.RunFor(at(60))
		if got := s.in.Active(); len(got) != 0 {
			t.Fatalf("active: %+v", got)
		}
		s.sim.Close()
	}
	if len(hit) < 4 {
		t.Errorf("over 20 seeds: %v", hit)
	}
}
