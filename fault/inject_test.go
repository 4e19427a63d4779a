package fault

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// script runs a script on three chatters for a second.
func script(t *testing.T, faults ...Fault) *system {
	t.Helper()
	s := newSystem(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, 3)
	if err := s.in.Arm(faults, Options{}); err != nil {
		t.Fatal(err)
	}
	s.run(t, time.Second)
	return s
}

func at(ms int) time.Duration { return time.Duration(ms) * time.Millisecond }

// kinds counts the records of each kind that are about a node.
func (s *system) kinds(node string) map[string]int {
	out := map[string]int{}
	for r := range s.sim.Records() {
		if node == "" || r.Node == node {
			out[r.Kind]++
		}
	}
	return out
}

func (s *system) outcome(i int) Outcome { return s.in.Faults()[i].Outcome }

func (s *system) dropped(reason string) int {
	n := 0
	for r := range s.sim.Records() {
		if a, ok := r.Get("reason"); ok && r.Kind == "net/drop" && a.Value() == reason {
			n++
		}
	}
	return n
}

// longest returns the longest time between a delivery and its cause.
func (s *system) longest() time.Duration {
	sent := map[uint64]kernel.Time{}
	var most time.Duration
	for r := range s.sim.Records() {
		switch r.Kind {
		case "net/send":
			sent[r.Event] = r.Time
		case "net/deliver":
			most = max(most, r.Time.Sub(sent[r.Cause]))
		}
	}
	return most
}

func TestRoleIsResolvedWhenTheFaultFires(t *testing.T) {
	f := Fault{Kind: Pause, At: at(100), For: at(100), Target: Target{Group: "servers", Role: "first"}}
	s := script(t, f)
	if got := s.in.Faults()[0].Nodes; fmt.Sprint(got) != "[n1]" {
		t.Errorf("hit %v, want n1", got)
	}
	s = script(t, Fault{Kind: Kill, At: at(50), Target: Target{Nodes: []string{"n1"}}}, f)
	if got := s.outcome(1); got != NoTarget {
		t.Errorf("with n1 down: %q, want no-target", got)
	}
}

func TestBudgetLeavesAMajority(t *testing.T) {
	kill := func(ms int) Fault {
		return Fault{Kind: Kill, At: at(ms), For: at(500), Target: Target{Group: "servers"}}
	}
	for _, budget := range []bool{true, false} {
		s := newSystem(t, kernel.Config{Seed: 1}, 5)
		if err := s.in.Arm([]Fault{kill(10), kill(20), kill(30), kill(700)}, Options{Budget: budget}); err != nil {
			t.Fatal(err)
		}
		s.run(t, time.Second)
		var got []string
		for _, f := range s.in.Faults() {
			got = append(got, string(f.Outcome))
		}
		want := "fired fired skipped fired"
		if !budget {
			want = "fired fired fired fired"
		}
		if strings.Join(got, " ") != want {
			t.Errorf("budget %v: %v, want %s", budget, got, want)
		}
	}
}

func TestBudgetCountsTheSmallerSideOfAPartition(t *testing.T) {
	s := newSystem(t, kernel.Config{Seed: 1}, 5)
	most := Fault{Kind: Partition, At: at(10), For: at(500), Target: Target{Nodes: []string{"n1", "n2", "n3", "n4"}}}
	one := Fault{Kind: Kill, At: at(20), For: at(500), Target: Target{Nodes: []string{"n1"}}}
	two := Fault{Kind: Kill, At: at(30), For: at(500), Target: Target{Nodes: []string{"n2"}}}
	if err := s.in.Arm([]Fault{most, one, two}, Options{Budget: true}); err != nil {
		t.Fatal(err)
	}
	s.run(t, time.Second)
	if s.outcome(0) != Fired || s.outcome(1) != Fired || s.outcome(2) != Skipped {
		t.Errorf("outcomes %v", s.in.Faults())
	}
}

func TestQuietPhaseBringsEverythingBack(t *testing.T) {
	s := newSystem(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, 5)
	faults := []Fault{
		{Kind: Kill, At: at(10), Target: Target{Nodes: []string{"n1"}}},
		{Kind: Pause, At: at(10), Target: Target{Nodes: []string{"n2"}}},
		{Kind: Isolate, At: at(10), Target: Target{Nodes: []string{"n3"}}},
		{Kind: ClockDrift, At: at(10), Rate: 1000, Target: Target{Nodes: []string{"n4"}}},
		{Kind: Loss, At: at(10), Rate: 1_000_000},
		{Kind: Kill, When: Trigger{Point: "received", Node: "n5", Nth: 300}},
	}
	if err := s.in.Arm(faults, Options{Quiet: at(500)}); err != nil {
		t.Fatal(err)
	}
	s.sim.RunFor(at(520))
	before := s.net.Stats()
	s.run(t, at(480))
	for _, n := range s.nodes {
		if n.State() != kernel.Up || n.Drift() != 0 {
			t.Errorf("%s is %v with drift %d", n.Name(), n.State(), n.Drift())
		}
	}
	if after := s.net.Stats(); after.Lost() != before.Lost() {
		t.Errorf("%d messages were lost in the quiet phase", after.Lost()-before.Lost())
	}
	if got := s.outcome(5); got != "" {
		t.Errorf("a fault fired in the quiet phase: %q", got)
	}
}

func TestTriggers(t *testing.T) {
	point := Fault{Kind: Kill, When: Trigger{Point: "received", Node: "n2", Nth: 5}, For: at(10)}
	s := script(t, point)
	if got := s.in.Faults()[0]; got.Outcome != Fired || fmt.Sprint(got.Nodes) != "[n2]" {
		t.Errorf("at a point: %+v", got)
	}
	received := 0
	for r := range s.sim.Records() {
		if r.Node == "n2" && r.Kind == "point" {
			received++
		}
		if r.Kind == "node/kill" {
			break
		}
	}
	if received != 5 {
		t.Errorf("killed at match %d, want 5", received)
	}

	sync := Fault{Kind: PowerLoss, When: Trigger{Op: "sync", File: "log", Node: "n3", Nth: 3}, For: at(10), Profile: "lose-all"}
	after := sync
	after.When.After = true
	for _, c := range []struct {
		fault Fault
		want  int // entries that are left of those that were appended
	}{{sync, 2}, {after, 3}} {
		s := newSystem(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, 3)
		if err := s.in.Arm([]Fault{c.fault}, Options{}); err != nil {
			t.Fatal(err)
		}
		for s.in.Faults()[0].Outcome != Fired && s.sim.Step() {
		}
		data, _ := readDurable(s, 2, "log")
		// The directory was never synced, so the file may not have a name;
		// what counts is that the crash came at the right side of the sync.
		if got := len(data) / len("entry"); len(data) > 0 && got != c.want {
			t.Errorf("after=%v: %d entries are durable, want %d", c.fault.When.After, got, c.want)
		}
		if s.nodes[2].Alive() {
			t.Errorf("after=%v: n3 is still up", c.fault.When.After)
		}
	}
}

func TestArmRefuses(t *testing.T) {
	n1 := Target{Nodes: []string{"n1"}}
	for _, c := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Kind: "fire"}, `unknown kind "fire"; the kinds are kill, power-loss,`},
		{Fault{Kind: Kill, At: -1, Target: n1}, "At is -1ns; it must not be negative"},
		{Fault{Kind: Kill, For: -1, Target: n1}, "For is -1ns; it must not be negative"},
		{Fault{Kind: Kill, At: at(900), Target: n1}, "At is 900ms, in the quiet phase, which begins at 800ms; nothing happens then"},
		{Fault{Kind: Kill}, "it has no target; name nodes or a group"},
		{Fault{Kind: Kill, Target: Target{Nodes: []string{"n9"}}}, `unknown node "n9"; the nodes are [n1 n2 n3]`},
		{Fault{Kind: Kill, Target: Target{Nodes: []string{"@servers"}}}, `"@servers" is a group; name it in Target.Group`},
		{Fault{Kind: Isolate, Target: n1, Peers: []string{"@kings"}}, `group "kings" in Peers has no nodes; add some before the faults are armed`},
		{Fault{Kind: Kill, Target: Target{Group: "masters"}}, `group "masters" has no nodes; add some before the faults are armed`},
		{Fault{Kind: Kill, Target: Target{Group: "servers", Role: "king"}}, `unknown role "king"; the roles are [first]`},
		{Fault{Kind: Kill, Target: Target{Group: "servers", Pick: "many"}}, `unknown Target.Pick "many"; use one, minority, half, majority, all or self`},
		{Fault{Kind: Loss, Rate: 1_000_001}, "Rate is 1000001; a loss fault takes parts per million, 0 to 1000000"},
		{Fault{Kind: SlowDisk, Target: n1}, "Rate is 0; a slow-disk fault takes a factor, 1 to 1000000"},
		{Fault{Kind: ClockDrift, Target: n1, Rate: -600_000}, "Rate is -600000; a clock-drift fault takes parts per million, -500000 to 1000000"},
		{Fault{Kind: PowerLoss, Target: n1, Profile: "some"}, `Profile is "some"; a power-loss fault takes lose-all, keep-all, keep-prefix, keep-subset, torn`},
		{Fault{Kind: SyncFail, Target: n1, Profile: "some"}, `Profile is "some"; a sync-fail fault takes drop-dirty, keep-dirty, next-handle, late-error, lie, no-space, go-read-only`},
		{Fault{Kind: Kill, When: Trigger{Point: "a", Op: "sync"}}, `When has both a point ("a") and an operation ("sync"); use one`},
		{Fault{Kind: Kill, When: Trigger{Point: "a", Nth: -1}}, "When.Nth is -1; it must not be negative"},
	} {
		s := newSystem(t, kernel.Config{}, 3)
		err := s.in.Arm([]Fault{c.fault}, Options{Quiet: at(800)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.fault, err, c.want)
		}
		if len(s.in.Faults()) > 0 {
			t.Errorf("%+v: armed although refused", c.fault)
		}
	}
	s := newSystem(t, kernel.Config{}, 3)
	if err := s.in.Arm(nil, Options{Quiet: -1}); err == nil {
		t.Error("a negative quiet time was accepted")
	}
}
