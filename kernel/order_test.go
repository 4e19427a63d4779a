package kernel

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// burst schedules k events for each node at one instant, in an order that
// differs from run to run of the loop, and returns who ran in which order.
func burst(seed uint64, names []string, k int) []string {
	s := New(Config{Seed: seed})
	var got []string
	for _, name := range names {
		n := s.AddMachine(name, func(*Node) Handler { return Idle{} })
		for i := range k {
			s.Schedule(10, n, Device, Func(func() { got = append(got, fmt.Sprint(name, i)) }))
		}
	}
	s.Run()
	return got
}

func without(list []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return strings.HasPrefix(s, prefix) })
}

func TestOrderIsSeeded(t *testing.T) {
	names := []string{"a", "b", "c"}
	first := burst(1, names, 5)
	if !slices.Equal(first, burst(1, names, 5)) {
		t.Error("the same seed gave another order")
	}
	orders := map[string]bool{}
	firsts := map[string]int{}
	for seed := range uint64(600) {
		got := burst(seed, names, 1)
		orders[strings.Join(got, " ")] = true
		firsts[got[0]]++
	}
	want(t, "orders of three events", len(orders), 6)
	for who, n := range firsts {
		if n < 140 || n > 260 { // 200 expected, deviation 11.5
			t.Errorf("%s is first in %d of 600 runs", who, n)
		}
	}
}

// TestOrderIsIndependent takes a node away: the others keep their order.
func TestOrderIsIndependent(t *testing.T) {
	for seed := range uint64(50) {
		all := burst(seed, []string{"a", "b", "c"}, 6)
		less := burst(seed, []string{"a", "c"}, 6)
		if !slices.Equal(without(all, "b"), less) {
			t.Fatalf("seed %d: without b the order of a and c is\n%v\nwith it\n%v", seed, less, all)
		}
	}
}

// TestOrderIgnoresTimersMechanics checks that asking for the next event, or
// re-arming a timer more lazily, does not change an order.
func TestOrderIgnoresTimersMechanics(t *testing.T) {
	run := func(look bool) []string {
		s := New(Config{Seed: 5})
		n := s.AddNode("n", func(*Node) Handler { return Idle{} })
		s.RunFor(0)
		var got []string
		tm := n.NewTimerFunc(func() { got = append(got, "timer") })
		tm.Reset(5)
		tm.Reset(20)
		if look {
			s.Next()
			s.RunFor(6)
			s.Next()
		} else {
			s.RunFor(6)
		}
		for i := range 8 {
			s.Schedule(20, n, ThisBoot, Func(func() { got = append(got, fmt.Sprint(i)) }))
		}
		s.Run()
		return got
	}
	if a, b := run(false), run(true); !slices.Equal(a, b) {
		t.Errorf("Next changed the order from %v to %v", a, b)
	}
}

func TestScheduleKeyed(t *testing.T) {
	s := New(Config{})
	var got []int
	for _, i := range []int{3, 1, 2, 0} {
		s.ScheduleKeyed(5, nil, Device, uint32(i), Func(func() { got = append(got, i) }))
	}
	s.Run()
	want(t, "order", fmt.Sprint(got), "[0 1 2 3]")
}

func TestSchedulePastIsNow(t *testing.T) {
	s := New(Config{})
	var at Time = -1
	s.After(10, func() { s.At(3, func() { at = s.Now() }) })
	s.Run()
	want(t, "time", at, 10)
}

func TestScopes(t *testing.T) {
	s := New(Config{Level: LevelFull})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	var got []string
	note := func(what string) Event {
		return Func(func() { got = append(got, fmt.Sprint(what, " ", n.State(), n.Boot())) })
	}
	s.Schedule(10, n, ThisBoot, note("this"))
	s.Schedule(11, n, AnyBoot, note("any"))
	s.Schedule(12, n, Device, note("device"))
	n.Kill()
	s.Schedule(13, n, ThisBoot, note("dead"))
	s.RunFor(11)
	n.Start()
	s.RunFor(20)
	want(t, "runs", strings.Join(got, ", "), "any down 1, device up 2")
	mustBeEmpty(t, s)
}
