package kernel

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a handler made of functions, for tests.
type script struct {
	start   func()
	receive func(from string, msg any)
	timer   func(t *Timer)
}

func (h *script) Start() {
	if h.start != nil {
		h.start()
	}
}

func (h *script) Receive(from string, msg any) {
	if h.receive != nil {
		h.receive(from, msg)
	}
}

func (h *script) Timer(t *Timer) {
	if h.timer != nil {
		h.timer(t)
	}
}

// inertWords returns what the inert records of a run are about.
func inertWords(s *Sim) []string {
	var out []string
	for r := range s.Records() {
		if r.Kind == "inert" {
			a, _ := r.Get("what")
			out = append(out, a.Text)
		}
	}
	return out
}

// watcher notes the changes of a node.
type watcher struct{ seen []string }

func (w *watcher) NodeChanged(n *Node, c Change) {
	w.seen = append(w.seen, fmt.Sprintf("%d:%v:%d", c, n.State(), n.Boot()))
}

func TestLifecycle(t *testing.T) {
	s := New(Config{Level: LevelFull})
	made := 0
	n := s.AddMachine("n", func(*Node) Handler { made++; return Idle{} })
	w := &watcher{}
	n.Watch(w)
	want(t, "state", n.State(), Down)
	want(t, "boot", n.Boot(), 0)
	s.After(0, func() {})
	s.RunFor(0) // from here on what has no effect is inert, not a setup error
	n.Kill()    // inert
	n.PowerLoss()
	n.Pause()
	n.Resume()
	n.Start()
	n.Start() // inert: it is starting
	n.Kill()  // inert: not up yet
	s.RunFor(0)
	want(t, "made", made, 1)
	n.Start() // inert: it is up
	n.Resume()
	n.Pause()
	n.Pause()
	want(t, "alive while paused", n.Alive(), true)
	n.Resume()
	n.Kill()
	want(t, "handler while down", n.Handler(), nil)
	n.Start()
	s.RunFor(0)
	n.PowerLoss()
	want(t, "changes", strings.Join(w.seen, " "),
		"1:down:0 2:up:1 3:paused:1 4:up:1 0:down:1 2:up:2 1:down:2")
	want(t, "inert", strings.Join(inertWords(s), " "), "kill pause resume start kill start resume pause")
	mustBeEmpty(t, s)
}

// What is asked of a node before the run has begun would have no effect.
func TestSetupCallsOnANodeAreErrors(t *testing.T) {
	for what, call := range map[string]func(n *Node){
		"timer": func(n *Node) { n.AfterFunc(1, func() {}) },
		"go":    func(n *Node) { n.Go("p", func(*Proc) {}) },
		"kill":  func(n *Node) { n.Kill() },
		"pause": func(n *Node) { n.Pause() },
	} {
		s := New(Config{})
		call(s.AddNode("n", func(*Node) Handler { return Idle{} }))
		want(t, what, message(s.Err()), fmt.Sprintf("kernel: %q was asked of node n before the run, when it has not started; do it in the program's Start or in an event", what))
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestSelfCrash(t *testing.T) {
	crashes := map[string]func(n *Node, h *script){
		"in Start":   func(n *Node, h *script) { h.start = n.Kill },
		"in Receive": func(n *Node, h *script) { h.receive = func(string, any) { n.Kill() } },
		"in Timer": func(n *Node, h *script) {
			h.start = func() { n.NewTimer().Reset(1) }
			h.timer = func(*Timer) { n.Kill() }
		},
		"in AfterFunc": func(n *Node, h *script) { h.start = func() { n.AfterFunc(1, n.PowerLoss) } },
		"in a proc": func(n *Node, h *script) {
			h.start = func() { n.Go("p", func(p *Proc) { n.Kill(); p.Sleep(1); panic("went on after the crash") }) }
		},
		"at a point": func(n *Node, h *script) { h.start = func() { n.AfterFunc(1, func() { n.Point("here") }) } },
	}
	for name, plant := range crashes {
		t.Run(name, func(t *testing.T) {
			s := New(Config{Level: LevelFull})
			s.OnPoint(func(n *Node, p string) { n.Kill() })
			first := true
			n := s.AddNode("n", func(n *Node) Handler {
				h := &script{}
				if first {
					plant(n, h)
				}
				first = false
				return h
			})
			s.After(5, func() {
				n.Deliver("x", 1)
				want(t, "state after", n.State(), Down)
				n.Start()
			})
			mustStop(t, s.Run(), StopIdle)
			want(t, "boot", n.Boot(), 2)
			if f := s.Failure(); f != nil {
				t.Error(f)
			}
			mustBeEmpty(t, s)
		})
	}
}

// TestSelfCrashIsInertToTheEnd asks everything of a node that has just crashed
// itself, within the same event.
func TestSelfCrashIsInertToTheEnd(t *testing.T) {
	s := New(Config{Level: LevelFull})
	ran := 0
	n := s.AddNode("n", func(n *Node) Handler {
		return &script{start: func() {
			tm := n.NewTimerFunc(func() { ran++ })
			n.Kill()
			tm.Reset(1)
			n.AfterFunc(1, func() { ran++ })
			n.Go("p", func(*Proc) { ran++ })
			n.Log("said")
			n.Point("reached")
			s.Schedule(5, n, ThisBoot, Func(func() { ran++ }))
			want(t, "delivered", n.Deliver("x", 1), false)
		}}
	})
	s.Run()
	want(t, "things that ran", ran, 0)
	for r := range s.Records() {
		if r.Kind == "said" || r.Kind == "point" {
			t.Errorf("a dead node wrote %q", line(r))
		}
	}
	want(t, "inert", strings.Join(inertWords(s), " "), "timer timer go schedule")
	_ = n
	mustBeEmpty(t, s)
}

func TestCrashWhileBeingMade(t *testing.T) {
	t.Run("by its factory", func(t *testing.T) {
		s := New(Config{})
		n := s.AddNode("n", func(n *Node) Handler {
			n.Kill()
			return &script{start: func() { t.Error("a dead program was started") }}
		})
		s.Run()
		want(t, "handler", n.Handler(), nil)
	})
	t.Run("by a listener", func(t *testing.T) {
		s := New(Config{})
		n := s.AddNode("n", func(n *Node) Handler { t.Error("a program was made"); return Idle{} })
		n.Watch(lifecycleFunc(func(n *Node, c Change) {
			if c == Started {
				want(t, "delivered to nobody", n.Deliver("x", 1), false)
				n.Kill()
			}
		}))
		s.Run()
		want(t, "state", n.State(), Down)
	})
}

type lifecycleFunc func(n *Node, c Change)

func (f lifecycleFunc) NodeChanged(n *Node, c Change) { f(n, c) }

func TestKillWhilePaused(t *testing.T) {
	s := New(Config{})
	var got []string
	n := s.AddNode("n", func(n *Node) Handler {
		return &script{receive: func(_ string, m any) { got = append(got, fmt.Sprint(m, " boot ", n.Boot())) }}
	})
	s.RunFor(0)
	n.AfterFunc(sec, func() { got = append(got, "timer") })
	deliver := func(at time.Duration, m any) {
		s.Schedule(Time(at), n, AnyBoot, Func(func() {
			if !n.Deliver("x", m) {
				got = append(got, fmt.Sprint(m, " lost"))
			}
		}))
	}
	deliver(sec, 1)
	deliver(20*sec, 2)
	n.Pause()
	s.RunFor(10 * sec)
	n.Kill()
	n.Start()
	s.RunFor(20 * sec)
	want(t, "events", strings.Join(got, ", "), "1 lost, 2 boot 2")
	mustBeEmpty(t, s)
}

// TestPauseBurst holds many messages, from other events of the same instants,
// and checks that they keep their order, ahead of new ones.
func TestPauseBurst(t *testing.T) {
	s := New(Config{Seed: 9})
	var got []int
	n := s.AddNode("n", func(n *Node) Handler {
		return &script{receive: func(_ string, m any) { got = append(got, m.(int)) }}
	})
	s.RunFor(0)
	n.Pause()
	for i := range 500 {
		s.Schedule(Time(i), n, AnyBoot, Func(func() { n.Deliver("x", i) }))
	}
	for i := range 50 {
		s.Schedule(1000, n, AnyBoot, Func(func() { n.Deliver("x", 500+i) }))
	}
	s.At(1000, n.Resume)
	s.Run()
	want(t, "messages", len(got), 550)
	if !slices.IsSorted(got[:500]) || slices.Max(got[:500]) != 499 {
		t.Errorf("the messages of the pause came out of order: %v", got)
	}
}

func TestRestartGivesFreshState(t *testing.T) {
	s := New(Config{Seed: 3})
	var draws []uint64
	n := s.AddNode("n", func(n *Node) Handler {
		return &script{start: func() { draws = append(draws, n.Rand().Uint64(), n.Stream("x").At(0)) }}
	})
	for range 3 {
		s.RunFor(sec)
		n.PowerLoss()
		n.Start()
	}
	s.RunFor(sec)
	want(t, "starts", len(draws)/2, 4)
	slices.Sort(draws)
	want(t, "different draws", len(slices.Compact(draws)), 8)
	want(t, "monotonic clock", n.Monotonic(), 4*sec)
}

func TestSetFactory(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	made := false
	n.SetFactory(func(*Node) Handler { made = true; return Idle{} })
	want(t, "made before the restart", made, false)
	n.Kill()
	n.Start()
	s.RunFor(0)
	want(t, "made", made, true)
	n.SetFactory(nil)
	mustContain(t, s.Failure().Error(), `SetFactory of node "n" was given no factory`)
}

// TestSetupErrors checks each message; a run with one does not start.
func TestSetupErrors(t *testing.T) {
	idle := func(*Node) Handler { return Idle{} }
	ok := func(*Node) error { return nil }
	cases := []struct {
		name, wanted string
		cfg          Config
		do           func(s *Sim)
	}{
		{"time", "kernel: Config.MaxTime is -1s; it must not be negative", Config{MaxTime: -sec}, nil},
		{"level", "kernel: Config.Level is 9; use LevelHash, LevelFull or LevelOff", Config{Level: 9}, nil},
		{"separator", "kernel: a node cannot be called \"a/b\"; use at least one letter or digit, and no space, control character, /, > or *", Config{}, func(s *Sim) { s.AddNode("a/b", idle) }},
		{"no name", "kernel: a node cannot be called \"\"; use at least one letter or digit, and no space, control character, /, > or *", Config{}, func(s *Sim) { s.AddNode("", idle) }},
		{"not UTF-8", `kernel: a node cannot be called "a\xff": it is not valid UTF-8`, Config{}, func(s *Sim) { s.AddNode("a\xff", idle) }},
		{"line separator", `kernel: a node cannot be called "a\u2028": U+2028 in it is a control character`, Config{}, func(s *Sim) { s.AddNode("a\u2028", idle) }},
		{"turned text", `kernel: a node cannot be called "a\u202eb": U+202E in it is a control character`, Config{}, func(s *Sim) { s.AddNode("a\u202eb", idle) }},
		{"turned check name", `kernel: an invariant cannot be called "a\u2066b": U+2066 in it is a control character`, Config{}, func(s *Sim) { s.Invariant("a\u2066b", ok) }},
		{"no check", `kernel: the invariant "i" has no check`, Config{}, func(s *Sim) { s.Invariant("i", nil) }},
		{"choice point", `kernel: a choice point cannot be called "p\xff": it is not valid UTF-8`, Config{}, func(s *Sim) { s.ChoicePoint("p\xff") }},
		{"same name", `kernel: two nodes are called "a"; names must be unique`, Config{}, func(s *Sim) { s.AddNode("a", idle); s.AddNode("a", idle) }},
		{"no factory", `kernel: node "a" has no factory`, Config{}, func(s *Sim) { s.AddNode("a", nil) }},
		{"no check name", "kernel: an invariant has an empty name; give each check one", Config{}, func(s *Sim) { s.Invariant("", ok) }},
		{"same check name", `kernel: two invariants are called "i"; names must be unique`, Config{}, func(s *Sim) { s.Invariant("i", ok); s.Invariant("i", ok) }},
		{"replayed default", `kernel: Config.Replay: choice 3 at "p" is 0, the default; leave it out`, Config{Replay: []Choice{{Point: "p", N: 3}}}, nil},
		{"replayed twice", `kernel: Config.Replay: choice 3 at "p" is given twice`, Config{Replay: []Choice{{Point: "p", N: 3, Value: 1}, {Point: "p", N: 3, Value: 2}}}, nil},
		{"own", "mine", Config{}, func(s *Sim) { s.Misuse(errors.New("mine")) }},
	}
	for _, c := range cases {
		s := New(c.cfg)
		ran := false
		s.After(0, func() { ran = true })
		if c.do != nil {
			c.do(s)
		}
		if err := s.Err(); err == nil || err.Error() != c.wanted {
			t.Errorf("%s: the error is %q, want %q", c.name, err, c.wanted)
		}
		mustStop(t, s.Run(), StopSetup)
		if ran {
			t.Errorf("%s: the run started", c.name)
		}
	}
	s := New(Config{MaxTime: -1})
	s.AddNode("", nil)
	want(t, "two errors", s.Err().Error(), "2 setup errors:\n\tkernel: Config.MaxTime is -1ns; it must not be negative\n\tkernel: a node cannot be called \"\"; use at least one letter or digit, and no space, control character, /, > or *")
}

func TestMisuseDuringTheRun(t *testing.T) {
	cases := map[string]struct {
		wanted string
		do     func(s *Sim, n *Node)
	}{
		"node":      {`two nodes are called "n"`, func(s *Sim, n *Node) { s.AddNode("n", func(*Node) Handler { return Idle{} }) }},
		"invariant": {"empty name", func(s *Sim, n *Node) { s.Invariant("", nil) }},
		"handler":   {`the factory of node "m" returned no handler`, func(s *Sim, n *Node) { s.AddNode("m", func(*Node) Handler { return nil }) }},
		"Run":       {"called while an event runs", func(s *Sim, n *Node) { want(t, "reason", s.RunFor(sec).Reason, StopBusy) }},
		"Step":      {"called while an event runs", func(s *Sim, n *Node) { want(t, "Step", s.Step(), false) }},
		"Close":     {"called while an event runs", func(s *Sim, n *Node) { s.Close() }},
		"Enter":     {"called while an event runs", func(s *Sim, n *Node) { want(t, "Enter", s.Enter(n, 1, nil), errBusy) }},
		"AdvanceTo": {"called while an event runs", func(s *Sim, n *Node) { want(t, "AdvanceTo", s.AdvanceTo(MaxTime), errBusy) }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			n := s.AddNode("n", func(*Node) Handler { return Idle{} })
			s.After(sec, func() { c.do(s, n) })
			s.After(2*sec, func() { t.Error("the run went on") })
			mustStop(t, s.Run(), StopFailed)
			f := s.Failure()
			want(t, "kind", f.Kind, KindMisuse)
			mustContain(t, f.Message, c.wanted)
		})
	}
}
