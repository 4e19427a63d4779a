package kernel

import (
	"testing"
	"time"
)

// The next event is told by its time, node and proc, also past those of a node that
// is paused, and telling it changes nothing.
func TestUpcoming(t *testing.T) {
	run := func(ask bool) [32]byte {
		s := New(Config{Seed: 1, MaxEvents: 3})
		main := func(name string, d time.Duration) *Node {
			return s.AddNode(name, Main(func(p *Proc) { p.Sleep(d); p.Node().Log("late") }))
		}
		main("n2", 2*time.Second)
		n1 := main("n1", time.Second)
		s.At(Time(time.Millisecond), n1.Pause)
		if _, n, proc, ok := s.Upcoming(); ask && (!ok || n == nil || proc != "") {
			t.Errorf("at first %v, %q, %v", n, proc, ok)
		}
		s.Run()
		return s.Hash()
	}
	if run(true) != run(false) {
		t.Error("the run is another")
	}
	s := New(Config{Seed: 1})
	n2 := s.AddNode("n2", Main(func(p *Proc) { p.Sleep(2 * time.Second) }))
	n1 := s.AddNode("n1", Main(func(p *Proc) { p.Sleep(time.Second) }))
	s.RunUntil(Time(time.Millisecond))
	if at, n, proc, ok := s.Upcoming(); !ok || at != Time(time.Second) || n != n1 || proc == "" {
		t.Errorf("at %v, %v, %q, %v", at, n, proc, ok)
	}
	n1.Pause()
	if at, n, _, ok := s.Upcoming(); !ok || at != Time(2*time.Second) || n != n2 {
		t.Errorf("with n1 paused at %v, %v, %v", at, n, ok)
	}
	n2.Kill()
	if _, _, _, ok := s.Upcoming(); ok {
		t.Error("there is one, of a node that is down or paused")
	}
}
