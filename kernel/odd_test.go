package kernel

import (
	"math"
	"slices"
	"testing"
	"time"
)

// ticker notes what its node's clocks show at each of its timers.
type ticker struct {
	Idle
	n     *Node
	every time.Duration
	t     *Timer
	fired []Time
	mono  []time.Duration
	wall  []time.Time
}

func (h *ticker) Start() { h.t = h.n.NewTimer(); h.t.Reset(h.every) }

func (h *ticker) Timer(*Timer) {
	h.fired = append(h.fired, h.n.Sim().Now())
	h.mono, h.wall = append(h.mono, h.n.Monotonic()), append(h.wall, h.n.Now())
	h.t.Reset(h.every)
}

// oddRun runs a ticker for a second; f happens at 105 ms and g at 505 ms.
func oddRun(t *testing.T, f, g func(n *Node)) *ticker {
	t.Helper()
	s := New(Config{Seed: 1})
	var h *ticker
	n := s.AddNode("n", func(n *Node) Handler { h = &ticker{n: n, every: 10 * time.Millisecond}; return h })
	s.After(105*time.Millisecond, func() { f(n) })
	s.After(505*time.Millisecond, func() { g(n) })
	s.RunFor(sec)
	s.Close()
	if s.Err() != nil || s.Failure() != nil {
		t.Fatal(s.Err(), s.Failure())
	}
	return h
}

func TestStoppedClocks(t *testing.T) {
	const ms = time.Millisecond
	stop := func(wall, mono bool) func(n *Node) { return func(n *Node) { n.StopClocks(wall, mono) } }
	h := oddRun(t, stop(true, false), stop(false, false))
	want(t, "timers with a stopped wall clock", len(h.fired), 100)
	want(t, "the wall clock while it stands", h.wall[30].Sub(epoch()), 105*ms)
	want(t, "the wall clock afterwards", h.wall[99].Sub(epoch()), 600*ms)

	h = oddRun(t, stop(false, true), stop(false, false))
	want(t, "timers with a stopped monotonic clock", len(h.fired), 60)
	want(t, "the first timer afterwards", h.fired[10], Time(510*ms))

	suspend := func(n *Node) { n.StopClocks(false, true); n.Pause() }
	wake := func(n *Node) { n.StopClocks(false, false); n.Resume() }
	h = oddRun(t, suspend, wake)
	want(t, "the first timer after a suspension", h.fired[10], Time(510*ms))
	h = oddRun(t, (*Node).Pause, (*Node).Resume)
	want(t, "the first timer after a pause", h.fired[10], Time(505*ms))

	h = oddRun(t, func(n *Node) { n.StopClocks(true, true); n.SetDrift(5) }, func(n *Node) { n.StopClocks(false, false) })
	want(t, "the drift set while the clocks stood", h.n.Drift(), int64(5))
	want(t, "timers", len(h.fired), 60)
}

func TestCoarseClocks(t *testing.T) {
	tick := func(n *Node) { n.SetTick(100 * time.Millisecond) }
	h := oddRun(t, tick, func(n *Node) { n.SetTick(0) })
	want(t, "a coarse clock", h.mono[25], 200*time.Millisecond)
	want(t, "a coarse wall clock", h.wall[25].Sub(epoch()), 200*time.Millisecond)
	want(t, "equal timestamps", h.wall[20], h.wall[28])
	want(t, "a timer", h.fired[25], Time(260*time.Millisecond))
	want(t, "a clock that is fine again", h.mono[60], 610*time.Millisecond)
	o := oddClock{tick: 10}
	for _, c := range [][2]time.Duration{{-1, -10}, {-10, -10}, {9, 0}, {math.MinInt64, math.MinInt64}, {math.MaxInt64, math.MaxInt64 - 7}} {
		want(t, "round", o.round(c[0]), c[1])
	}
}

// A tick must not take the monotonic clock back behind what it has shown.
func TestCoarseClocksDoNotGoBack(t *testing.T) {
	h := oddRun(t, func(n *Node) { n.SetTick(time.Second) }, func(n *Node) { n.SetTick(200 * time.Millisecond) })
	want(t, "the monotonic clock", slices.IsSorted(h.mono), true)
	want(t, "before it is coarse", h.mono[9], 100*time.Millisecond)
	want(t, "while a tick has not passed", h.mono[30], 105*time.Millisecond)
	want(t, "with another tick", h.mono[70], 600*time.Millisecond)
}

// Code that waits for what is left of a time must not be woken for ever in one
// instant.
func TestWaitingUntilATimeEnds(t *testing.T) {
	s := New(Config{Seed: 1, MaxEvents: 1000})
	woken := 0
	n := s.AddNode("n", Main(func(p *Proc) {
		for until := p.Node().Monotonic() + sec; p.Node().Monotonic() < until; woken++ {
			p.Sleep(until - p.Node().Monotonic())
		}
	}))
	if err := n.SetTimerError(sec, 0, s.Stream("early")); err != nil {
		t.Fatal(err)
	}
	s.RunFor(2 * sec)
	s.Close()
	if woken < 2 || woken > 40 {
		t.Errorf("woken %d times, want a few", woken)
	}
}

func TestTimersEarlyAndLate(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ early, late, least, most time.Duration }{
		{0, 5 * ms, 10 * ms, 15 * ms}, {5 * ms, 0, 5 * ms, 10 * ms}, {20 * ms, 20 * ms, 0, 30 * ms},
	} {
		h := oddRun(t, func(n *Node) { n.SetTimerError(c.early, c.late, NewStream(1, "x")) }, func(n *Node) {
			if n.TimerErrors() < 20 {
				t.Errorf("%d timers were counted", n.TimerErrors())
			}
			n.SetTimerError(0, 0, Stream{})
		})
		var gaps []time.Duration
		for i, at := range h.fired {
			if i > 11 && at < Time(505*ms) {
				gaps = append(gaps, at.Sub(h.fired[i-1]))
			}
			if i > 0 && at > Time(540*ms) {
				want(t, "an exact timer", at.Sub(h.fired[i-1]), 10*ms)
			}
		}
		if slices.Min(gaps) < c.least || slices.Max(gaps) > c.most || slices.Max(gaps)-slices.Min(gaps) < (c.most-c.least)/2 {
			t.Errorf("up to %v early and %v late: from %v to %v", c.early, c.late, slices.Min(gaps), slices.Max(gaps))
		}
	}
	e := timerError{late: math.MaxInt64, early: math.MaxInt64}
	for range 50 {
		if e.shift(math.MaxInt64) < 0 || e.shift(0) < 0 {
			t.Fatal("a shifted duration has wrapped around")
		}
	}
}

func TestOddClocksRefuse(t *testing.T) {
	oddRun(t, func(n *Node) {
		for _, err := range []error{n.SetTick(-1), n.SetTimerError(-1, 0, Stream{}), n.SetTimerError(0, -1, Stream{}), n.SetCost(-1)} {
			if err == nil {
				t.Error("a negative duration was accepted")
			}
		}
	}, func(*Node) {})
}

// A slow node works off what comes up in order, one event per cost.
func TestSlowNode(t *testing.T) {
	const ms = time.Millisecond
	s := New(Config{Level: LevelFull})
	type served struct {
		at  Time
		msg any
	}
	var got []served
	n := s.AddNode("n", Main(func(p *Proc) {
		for {
			_, msg := p.Recv()
			got = append(got, served{s.Now(), msg})
		}
	}))
	s.After(1, func() { n.SetCost(10 * ms) })
	for i := range 5 {
		s.After(ms, func() {
			s.Schedule(s.Now().Add(time.Duration(i)), n, AnyBoot, Func(func() { n.Deliver("x", i) }))
		})
	}
	s.After(35*ms, func() { n.SetCost(0) })
	s.RunFor(100 * ms)
	want(t, "messages", len(got), 5)
	for i, g := range got {
		want(t, "message", g.msg, any(i))
		at := Time(ms) + Time(time.Duration(i)*10*ms)
		if i == 4 {
			at = Time(35 * ms)
		}
		want(t, "served at", g.at, at)
	}
	s.Close()
}

// Stopped timers, crashes and pauses of a slow node: what is void does not run,
// what counts does, at most one event per cost.
func TestSlowNodeAgainstTheOdds(t *testing.T) {
	const ms = time.Millisecond
	for seed := range uint64(50) {
		s := New(Config{Seed: seed})
		var last Time
		var lastBoot int
		runs := 0
		n := s.AddNode("n", func(n *Node) Handler {
			work := func() {
				if n.Cost() > 0 && n.Boot() == lastBoot && s.Now() < last.Add(n.Cost()) {
					t.Fatalf("seed %d: two events at %v and %v", seed, last, s.Now())
				}
				last, lastBoot = s.Now(), n.Boot()
				runs++
			}
			n.SetCost(3 * ms)
			var a, b *Timer
			a = n.NewTimerFunc(func() { work(); a.Reset(2 * ms); b.Stop(); b.Reset(ms) })
			b = n.NewTimerFunc(func() { work(); a.Reset(ms) })
			a.Reset(ms)
			b.Reset(ms)
			n.Go("p", func(p *Proc) {
				work()
				for {
					p.Sleep(5 * ms)
					work()
				}
			})
			return Idle{}
		})
		q := Seq{Stream: NewStream(seed, "odds")}
		for range 40 {
			s.After(time.Duration(q.Between(1, int64(sec))), []func(){n.Kill, n.Start, n.Start, n.Pause, n.Resume, n.Resume}[q.Below(6)])
		}
		s.RunFor(sec)
		s.Close()
		if s.Failure() != nil || runs < 20 {
			t.Fatalf("seed %d: %d runs, %v", seed, runs, s.Failure())
		}
	}
}

func TestAfterEvents(t *testing.T) {
	s := New(Config{})
	calls, crashed := 0, false
	n := s.AddNode("n", func(n *Node) Handler { return &ticker{n: n, every: sec} })
	s.AfterEvents(func(at *Node) {
		calls++
		if s.Now() == Time(3*sec) && !crashed {
			crashed = true
			n.Kill()
		}
	})
	s.RunFor(10 * sec)
	want(t, "calls", calls, int(s.Event()))
	want(t, "the node", n.State(), Down)
	want(t, "statistics of invariants", len(s.InvariantStats()), 0)
	s.Close()
}
