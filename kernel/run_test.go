package kernel

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ticking is a run with a world event each second, for ever.
func ticking(cfg Config) (*Sim, *int) {
	s := New(cfg)
	n := 0
	var tick func()
	tick = func() { n++; s.After(sec, tick) }
	s.After(sec, tick)
	return s, &n
}

func TestStopReasons(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		s := New(Config{})
		s.After(5*sec, func() {})
		r := s.Run()
		mustStop(t, r, StopIdle)
		want(t, "time", r.Time, Time(5*sec))
		want(t, "events", r.Events, 1)
	})
	t.Run("idle below a limit on time", func(t *testing.T) {
		s := New(Config{MaxTime: time.Hour})
		s.After(5*sec, func() {})
		r := s.Run()
		mustStop(t, r, StopIdle)
		want(t, "time", r.Time, Time(5*sec))
	})
	t.Run("time", func(t *testing.T) {
		s, n := ticking(Config{MaxTime: 10 * sec})
		r := s.RunFor(3500 * time.Millisecond)
		mustStop(t, r, StopTime)
		want(t, "time", r.Time, Time(3500*time.Millisecond))
		want(t, "events at the bound", *n, 3)
		mustStop(t, s.RunUntil(Time(5*sec)), StopTime)
		want(t, "events up to and including", *n, 5)
		r = s.RunUntil(Time(sec)) // has passed
		mustStop(t, r, StopTime)
		want(t, "time does not go back", r.Time, Time(5*sec))
		r = s.RunFor(-sec)
		want(t, "nor for less than nothing", r.Time, Time(5*sec))
		r = s.Run()
		mustStop(t, r, StopTime)
		want(t, "time at the limit", r.Time, Time(10*sec))
		want(t, "events", *n, 10)
	})
	t.Run("time passes without events", func(t *testing.T) {
		r := New(Config{}).RunFor(sec)
		mustStop(t, r, StopTime)
		want(t, "time", r.Time, Time(sec))
	})
	t.Run("events", func(t *testing.T) {
		s, n := ticking(Config{MaxEvents: 7})
		r := s.Run()
		mustStop(t, r, StopEvents)
		want(t, "time", r.Time, Time(7*sec))
		want(t, "events", *n, 7)
	})
	t.Run("failed", func(t *testing.T) {
		s, n := ticking(Config{})
		s.Invariant("three", func(*Node) error {
			if *n == 3 {
				return errors.New("reached three")
			}
			return nil
		})
		mustStop(t, s.RunFor(time.Hour), StopFailed)
		mustStop(t, s.RunFor(time.Hour), StopFailed)
		want(t, "Step", s.Step(), false)
		want(t, "failure", s.Failure().Error(), `invariant "three" failed at 3s, event 3: reached three`)
		want(t, "time", s.Now(), Time(3*sec))
		s.Fail(Failure{Message: "second"})
		want(t, "the first counts", s.Failure().Message, "reached three")
	})
	t.Run("asked", func(t *testing.T) {
		s, n := ticking(Config{})
		s.At(Time(4*sec+1), s.Stop)
		mustStop(t, s.RunFor(time.Hour), StopAsked)
		want(t, "events", *n, 4)
		mustStop(t, s.RunFor(sec), StopTime) // goes on
		want(t, "events", *n, 5)
	})
	for r, word := range []string{"idle", "time", "events", "failed", "asked", "setup", "busy"} {
		want(t, "word", Stop(r).String(), word)
	}
}

func TestPanics(t *testing.T) {
	places := map[string]func(s *Sim){
		"factory": func(s *Sim) { s.AddNode("n", func(*Node) Handler { panic("boom") }) },
		"handler": func(s *Sim) { s.AddNode("n", func(*Node) Handler { return &script{start: blowUp} }) },
		"timer": func(s *Sim) {
			s.AddNode("n", func(n *Node) Handler { return &script{start: func() { n.AfterFunc(sec, blowUp) }} })
		},
		"point": func(s *Sim) {
			s.OnPoint(func(*Node, string) { blowUp() })
			s.AddNode("n", func(n *Node) Handler { return &script{start: func() { n.Point("p") }} })
		},
		"check": func(s *Sim) {
			s.AddNode("n", func(*Node) Handler { return Idle{} })
			s.Invariant("explodes", func(*Node) error { blowUp(); return nil })
		},
	}
	for name, plant := range places {
		t.Run(name, func(t *testing.T) {
			s := New(Config{Level: LevelFull})
			plant(s)
			mustStop(t, s.Run(), StopFailed)
			f := s.Failure()
			want(t, "kind", f.Kind, KindPanic)
			want(t, "message", f.Message, "boom")
			want(t, "node", f.Node, "n")
			want(t, "current node", s.Current(), nil)
			mustContain(t, f.Stack, "_test.go")
			if name == "check" {
				want(t, "check", f.Check, "explodes")
			}
			if _, err := readTrace(s.trace.kept); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestInvariantsByNode(t *testing.T) {
	var clock int64
	s := New(Config{Stopwatch: func() int64 { clock += 3; return clock }})
	var seen []string
	mk := func(name string) *Node {
		return s.AddNode(name, func(n *Node) Handler { return &script{start: func() { n.AfterFunc(sec, func() {}) }} })
	}
	a, b := mk("a"), mk("b")
	s.After(5*sec, func() {})
	count := map[string]int{}
	s.Invariant("all", func(n *Node) error {
		if n == nil {
			seen = append(seen, "world")
		} else {
			seen = append(seen, n.Name())
		}
		return nil
	})
	s.Invariant("only a", func(n *Node) error { count["a"]++; want(t, "node", n, a); return nil }, a)
	s.Invariant("a or b", func(n *Node) error { count["ab"]++; return nil }, a, b)
	s.Run()
	want(t, "events seen", len(seen), 5)
	want(t, "last", seen[4], "world")
	want(t, "only a", count["a"], 2)
	want(t, "a or b", count["ab"], 4)
	want(t, "stats", fmt.Sprint(s.InvariantStats()), "[{all 5 15} {only a 2 6} {a or b 4 12}]")
}

// TestInvariantsStopAtFirst: later checks of the same event do not run.
func TestInvariantsStopAtFirst(t *testing.T) {
	s := New(Config{})
	s.After(1, func() {})
	s.Invariant("first", func(*Node) error { return errors.New("no") })
	s.Invariant("second", func(*Node) error { t.Error("ran after a failure"); return nil })
	mustStop(t, s.Run(), StopFailed)
}

// TestSteppingFromOutside drives a run by Next, Step and AdvanceTo and gets
// the hash that Run gives.
func TestSteppingFromOutside(t *testing.T) {
	build := func() *Sim {
		s, _ := ticking(Config{MaxTime: 20 * sec})
		s.AddNode("n", Main(func(p *Proc) {
			for {
				p.Sleep(700 * time.Millisecond)
			}
		}))
		return s
	}
	stepped := build()
	for {
		next, ok := stepped.Next()
		if !ok || next > Time(20*sec) {
			break
		}
		before := stepped.Event()
		if err := stepped.AdvanceTo(next - (next-stepped.Now())/2); err != nil {
			t.Fatal(err)
		}
		want(t, "Step", stepped.Step(), true)
		want(t, "time", stepped.Now(), next)
		want(t, "event", stepped.Event(), before+1)
	}
	want(t, "hash", stepped.Hash(), build().Run().Hash)

	next, _ := stepped.Next()
	for _, bad := range []Time{stepped.Now() - 1, next + 1, MaxTime + 1, -1} {
		if err := stepped.AdvanceTo(bad); err == nil {
			t.Errorf("AdvanceTo %v was allowed", bad)
		}
	}
	stepped.Close()
	want(t, "Step after Close", stepped.Step(), false)
}

func TestEnter(t *testing.T) {
	s := New(Config{Level: LevelFull})
	settled, checked := 0, 0
	s.cfg.Settle = func() bool { settled++; return false }
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.Invariant("i", func(n *Node) error { checked++; return nil })
	if err := s.Enter(n, 1, func() { t.Error("entered a node that is down") }); err == nil || err.Error() != "kernel: cannot enter boot 1 of node n: it is down, boot 0" {
		t.Errorf("the error is %v", err)
	}
	s.RunFor(sec)
	settled, checked = 0, 0
	err := s.Enter(n, 1, func() {
		want(t, "node", s.Current(), n)
		want(t, "event", s.Event(), 2)
		n.AfterFunc(sec, func() { n.Log("later") })
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "settled", settled, 1)
	want(t, "checked", checked, 1)
	s.RunFor(2 * sec)
	last := lines(s)[s.RecordCount()-1]
	want(t, "record", last, "2s       e3<-2 n/1 later")
	for _, bad := range []struct {
		n    *Node
		boot int
	}{{n, 0}, {n, 2}, {nil, 1}, {New(Config{}).AddMachine("x", nil), 0}} {
		if s.Enter(bad.n, bad.boot, nil) == nil {
			t.Errorf("entered boot %d of %v", bad.boot, bad.n)
		}
	}
	n.Pause()
	if s.Enter(n, 1, nil) == nil {
		t.Error("entered a paused node")
	}
	n.Resume()
	if err := s.Enter(n, 1, blowUp); err != nil {
		t.Error(err)
	}
	want(t, "kind", s.Failure().Kind, KindPanic)
	want(t, "after a failure", s.Enter(n, 1, nil), errFailed)
}

// TestSettle plays a program beside the simulator: it is asked after each
// event and when nothing is left, and it may add work then.
func TestSettle(t *testing.T) {
	var s *Sim
	calls, added := 0, 0
	s = New(Config{Settle: func() bool {
		calls++
		if s.Pending() == 0 && added < 3 {
			added++
			s.After(sec, func() {})
			return true
		}
		return false
	}})
	s.After(sec, func() {})
	r := s.Run()
	mustStop(t, r, StopIdle)
	want(t, "events", r.Events, 4)
	want(t, "time", r.Time, Time(4*sec))
	if calls < 5 {
		t.Errorf("Settle was called %d times", calls)
	}
}

// TestBusy calls the simulator from a second goroutine while an event runs. It
// is turned away, and the run says so. Under -race this also checks that the
// second caller reads nothing that the first one writes.
func TestBusy(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	inside, tried := make(chan bool), make(chan bool)
	s.After(sec, func() {
		close(inside)
		<-tried
	})
	s.After(2*sec, func() { t.Error("the run went on") })
	var wg sync.WaitGroup
	wg.Go(func() {
		<-inside
		want(t, "Run", s.Run(), Result{Reason: StopBusy})
		want(t, "RunFor", s.RunUntil(5), Result{Reason: StopBusy})
		want(t, "Step", s.Step(), false)
		want(t, "Enter", s.Enter(n, 1, nil), errBusy)
		want(t, "AdvanceTo", s.AdvanceTo(1), errBusy)
		s.Close()
		close(tried)
	})
	mustStop(t, s.RunFor(time.Hour), StopFailed)
	wg.Wait()
	want(t, "kind", s.Failure().Kind, KindMisuse)
	mustContain(t, s.Failure().Message, "one caller at a time")
}

// TestHandOver lets many goroutines drive one run in turns.
func TestHandOver(t *testing.T) {
	s := busyRun(Config{Seed: 2}, 100)
	for range 50 {
		done := make(chan bool)
		go func() {
			defer close(done)
			s.RunFor(time.Millisecond)
			_ = s.Enter(s.Node("n0"), s.Node("n0").Boot(), func() {})
		}()
		<-done
	}
	goexit(s.Close)
	if f := s.Failure(); f != nil {
		t.Error(f)
	}
}

func TestProgress(t *testing.T) {
	var p atomic.Uint64
	s, _ := ticking(Config{Progress: &p, MaxEvents: 9})
	s.At(Time(3*sec+1), func() { want(t, "progress", p.Load(), s.Event()) })
	s.Run()
	want(t, "progress", p.Load(), 9)
}

func TestChoices(t *testing.T) {
	play := func(cfg Config) *Sim {
		s := New(cfg)
		a, b := s.ChoicePoint("a"), s.ChoicePoint("b")
		for n := range uint64(20) {
			s.After(time.Duration(n), func() {
				for _, p := range []*ChoicePoint{a, b} {
					v := int64(0)
					if p.Replaying() || p.Stream().PPM(n, 300_000) {
						v = p.Settle(n, int64(p.Stream().Below(n, 100))+1)
					}
					s.Log("chose", Int("v", v))
				}
			})
		}
		s.Run()
		return s
	}
	first := play(Config{Seed: 6, Level: LevelFull})
	made := first.Choices()
	if len(made) < 4 {
		t.Fatalf("only %d choices", len(made))
	}
	for i, c := range made {
		if c.Value == 0 || c.Time != Time(c.N) || i > 0 && c.Time < made[i-1].Time {
			t.Errorf("choice %d is %+v", i, c)
		}
	}
	want(t, "choices at LevelHash", len(play(Config{Seed: 6}).Choices()), 0)

	again := play(Config{Seed: 6, Level: LevelFull, Replay: made})
	want(t, "hash of the replay", again.Hash(), first.Hash())
	want(t, "choices of the replay", fmt.Sprint(again.Choices()), fmt.Sprint(made))
	want(t, "unmet", len(again.UnmetChoices()), 0)

	edited := append([]Choice{{Point: "a", N: 999, Value: 1}, {Point: "gone", N: 1, Value: 1}}, made[2:]...)
	some := play(Config{Seed: 6, Level: LevelFull, Replay: edited})
	want(t, "choices of the edited replay", fmt.Sprint(some.Choices()), fmt.Sprint(made[2:]))
	want(t, "unmet", fmt.Sprint(some.UnmetChoices()), "[{a 999 1 0s 0} {gone 1 1 0s 0}]")

	want(t, "choices of an empty replay", len(play(Config{Seed: 6, Level: LevelFull, Replay: []Choice{}}).Choices()), 0)
}

// TestChoicesByName gives choices by what they are about: they are made where that
// comes up, whatever number it has there, and go before what is given by number.
func TestChoicesByName(t *testing.T) {
	play := func(given []Choice, about ...uint64) (made []int64, s *Sim) {
		s = New(Config{Level: LevelFull, Replay: given})
		p := s.ChoicePoint("p")
		for i, of := range about {
			made = append(made, p.SettleOf(uint64(i+1), of, 0))
		}
		return made, s
	}
	if a := (Choice{Point: "p", N: 1, Value: 7, Time: 5, Of: 100}).Identity(); a != (Choice{Point: "p", Of: 100}) {
		t.Errorf("found by %+v", a)
	}
	if b := (Choice{Point: "p", N: 1, Value: 7, Time: 5}).Identity(); b != (Choice{Point: "p", N: 1}) {
		t.Errorf("found by %+v", b)
	}
	byName := []Choice{{Point: "p", N: 1, Value: 7, Of: 100}, {Point: "p", N: 2, Value: 8}}
	made, s := play(byName, 500, 600, 100, 0)
	want(t, "by name at another number, by number whatever it is", fmt.Sprint(made), "[0 8 7 0]")
	want(t, "what was made has the number of this run", fmt.Sprint(s.Choices()), "[{p 2 8 0s 600} {p 3 7 0s 100}]")
	want(t, "unmet", len(s.UnmetChoices()), 0)

	made, s = play(byName, 500, 100)
	want(t, "both meet number 2: the name counts", fmt.Sprint(made), "[0 7]")
	want(t, "the other is unmet", fmt.Sprint(s.UnmetChoices()), "[{p 2 8 0s 0}]")

	_, s = play(append(byName, Choice{Point: "p", N: 9, Value: 1, Of: 100}), 100)
	if s.Err() == nil || !strings.Contains(s.Err().Error(), "given twice") {
		t.Errorf("the same name twice: %v", s.Err())
	}
}

// TestChoicePointsOfOneName decide alike, also in a replay.
func TestChoicePointsOfOneName(t *testing.T) {
	s := New(Config{Replay: []Choice{{Point: "p", N: 2, Value: 5}}})
	a, b := s.ChoicePoint("p"), s.ChoicePoint("p")
	want(t, "first", a.Settle(2, 0), 5)
	want(t, "second", b.Settle(2, 9), 5)
	want(t, "other", b.Settle(3, 9), 0)
}

func TestAccessors(t *testing.T) {
	s := New(Config{Seed: 7, Level: LevelFull})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	m := s.AddMachine("m", func(*Node) Handler { return Idle{} })
	want(t, "Seed", s.Seed(), 7)
	want(t, "Level", s.Level(), LevelFull)
	want(t, "Node", s.Node("m"), m)
	want(t, "no Node", s.Node("x"), nil)
	want(t, "Nodes", len(s.Nodes()), 2)
	want(t, "Name", m.Name(), "m")
	want(t, "Index", m.Index(), 1)
	want(t, "Sim", m.Sim(), s)
	want(t, "states", strings.Join([]string{Down.String(), Up.String(), Paused.String()}, " "), "down up paused")
	s.RunFor(0)
	p := n.Go("p", func(p *Proc) {})
	want(t, "proc name", p.Name(), "p")
	want(t, "proc node", p.Node(), n)
	want(t, "proc sim", p.Sim(), s)
	s.Run()
	want(t, "closed", s.Closed(), true)
}

// TestGuard checks a check that runs between events.
func TestGuard(t *testing.T) {
	s, _ := ticking(Config{})
	s.RunFor(3 * sec)
	no := errors.New("no")
	want(t, "error", s.Guard("g", func() error { return no }), no)
	want(t, "failure", s.Failure() == nil, true)
	want(t, "error of a panic", s.Guard("g", func() error { blowUp(); return nil }), nil)
	f := s.Failure()
	want(t, "kind", f.Kind, KindPanic)
	want(t, "check", f.Check, "g")
	want(t, "time", f.Time, Time(3*sec))
	mustContain(t, f.Stack, "blowUp")

	s, _ = ticking(Config{})
	s.RunFor(sec)
	goexit(func() { _ = s.Guard("g", func() error { runtime.Goexit(); return nil }) })
	want(t, "kind", s.Failure().Kind, KindFatal)
	want(t, "check", s.Failure().Check, "g")
}
