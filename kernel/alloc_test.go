package kernel

import (
	"testing"
	"time"
)

// pooled is an event that schedules itself again, as the hot paths do.
type pooled struct {
	s *Sim
	n *Node
	k Sym
}

func (e *pooled) Fire() {
	e.s.Emit(e.k).Int(e.k, int64(e.s.now)).Done()
	e.s.Schedule(e.s.now.Add(1000), e.n, AnyBoot, e)
}

// steadyRuns are runs that go on for ever, by the kind of their events.
var steadyRuns = map[string]func(s *Sim, n *Node){
	"scheduled event": func(s *Sim, n *Node) {
		for i := range 16 {
			s.Schedule(Time(i), n, AnyBoot, &pooled{s, n, s.Sym("hop")})
		}
	},
	"timer": func(s *Sim, n *Node) {
		for i := range 16 {
			var tm *Timer
			tm = n.NewTimerFunc(func() { tm.Reset(time.Duration(1000 + i)) })
			tm.Reset(time.Duration(i))
		}
	},
	"timer put off": func(s *Sim, n *Node) {
		var election, tick *Timer
		election = n.NewTimerFunc(func() {})
		tick = n.NewTimerFunc(func() { election.Reset(10_000); tick.Reset(1000); election.Reset(5000); election.Reset(10_000) })
		tick.Reset(1)
	},
	"proc sleep": func(s *Sim, n *Node) {
		for range 16 {
			n.Go("p", func(p *Proc) {
				for {
					p.Sleep(1000)
				}
			})
		}
	},
	"world proc sleep": func(s *Sim, n *Node) {
		s.Go("p", func(p *Proc) {
			for {
				p.Sleep(500)
			}
		})
	},
	"message to a proc": func(s *Sim, n *Node) {
		q := n.Go("q", func(p *Proc) {
			for {
				p.RecvTimeout(1e6)
			}
		})
		var tm *Timer
		tm = n.NewTimerFunc(func() { q.Deliver("x", nil); tm.Reset(1000) })
		tm.Reset(1)
	},
	"invariant": func(s *Sim, n *Node) {
		s.Invariant("i", func(*Node) error { return nil })
		s.Schedule(1, n, AnyBoot, &pooled{s, n, s.Sym("hop")})
	},
	"log": func(s *Sim, n *Node) {
		var tm *Timer
		tm = n.NewTimerFunc(func() { n.Log("said", Int("x", 1), Str("y", "z")); n.Point("here"); tm.Reset(1000) })
		tm.Reset(1)
	},
	"pause": func(s *Sim, n *Node) {
		var tm *Timer
		tm = n.NewTimerFunc(func() { tm.Reset(500) })
		tm.Reset(1)
		s.Schedule(1, nil, Device, &stopAndGo{s, n})
	},
}

// stopAndGo pauses and resumes a node in turns.
type stopAndGo struct {
	s *Sim
	n *Node
}

func (e *stopAndGo) Fire() {
	if e.n.State() == Paused {
		e.n.Resume()
	} else {
		e.n.Pause()
	}
	e.s.Schedule(e.s.now.Add(1500), nil, Device, e)
}

// TestNoAllocations: an event of the kernel allocates nothing in the steady
// state.
func TestNoAllocations(t *testing.T) {
	for name, plant := range steadyRuns {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			defer s.Close()
			n := s.AddNode("n", func(*Node) Handler { return Idle{} })
			s.RunFor(0)
			plant(s, n)
			s.RunFor(1_000_000)
			first := s.Event()
			allocs := testing.AllocsPerRun(5, func() { s.RunFor(400_000) })
			if events := (s.Event() - first) / 6; events < 300 {
				t.Fatalf("only %d events in each part", events)
			}
			// A list may still grow: checkpoints, or a bucket of the queue that
			// has not been used before.
			if allocs > 2 {
				t.Errorf("%v allocations in a part", allocs)
			}
		})
	}
}
