package kernel

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestProcCrashRunsDefers crashes a node under procs in each kind of wait. The
// deferred calls run, what they ask is inert and returns at once, and a
// recover of the user's does not hold anything up.
func TestProcCrashRunsDefers(t *testing.T) {
	var sig Signal
	waits := map[string]func(p *Proc){
		"Sleep":       func(p *Proc) { p.Sleep(time.Hour) },
		"Recv":        func(p *Proc) { p.Recv() },
		"RecvTimeout": func(p *Proc) { p.RecvTimeout(time.Hour) },
		"Await":       func(p *Proc) { p.Await(time.Hour, func(string, any) bool { return true }) },
		"Wait":        func(p *Proc) { p.Wait(&sig) },
		"WaitTimeout": func(p *Proc) { p.WaitTimeout(&sig, time.Hour) },
	}
	for name, wait := range waits {
		t.Run(name, func(t *testing.T) {
			s := New(Config{Level: LevelFull})
			deferred, wrong := 0, 0
			n := s.AddNode("n", Main(func(p *Proc) {
				defer func() {
					deferred++
					p.Sleep(time.Hour)
					p.Recv()
					p.RecvTimeout(time.Hour)
					p.Wait(&sig)
					want(t, "WaitTimeout", p.WaitTimeout(&sig, time.Hour), false)
					p.Deliver("me", 1)
					p.Node().Log("last words")
					p.Node().AfterFunc(1, func() { wrong++ })
					p.Node().Go("again", func(*Proc) { wrong++ })
				}()
				defer func() {
					if recover() != nil {
						wrong++
					}
				}()
				wait(p)
				wrong++
			}))
			s.RunFor(sec)
			n.Kill()
			n.Start()
			s.RunFor(sec)
			want(t, "deferred calls after the crash", deferred, 1)
			s.Close()
			want(t, "deferred calls after Close", deferred, 2)
			want(t, "wrong steps", wrong, 0)
			for r := range s.Records() {
				if r.Kind == "last words" {
					t.Error("a dead proc wrote to the trace")
				}
			}
			if f := s.Failure(); f != nil {
				t.Error(f)
			}
		})
	}
}

// TestCloseIsSilent checks that the deferred calls at the end of the run
// change neither the hash nor what was recorded.
func TestCloseIsSilent(t *testing.T) {
	s := New(Config{Level: LevelFull})
	n := s.AddNode("n", Main(func(p *Proc) {
		defer func() {
			p.Node().Log("bye")
			s.Log("bye", Int("x", 1))
			s.Go("late", func(*Proc) { t.Error("a proc started after the end") })
			p.Node().Go("late", func(*Proc) { t.Error("a proc started after the end") })
			p.Node().Kill()
			s.ChoicePoint("c").Settle(0, 1)
		}()
		p.Recv()
	}))
	r := s.Run()
	want(t, "hash", s.Hash(), r.Hash)
	want(t, "records", int(s.RecordCount()), len(lines(s)))
	want(t, "choices", len(s.Choices()), 0)
	mustStop(t, s.Run(), StopSetup)
	want(t, "Step", s.Step(), false)
	want(t, "Enter", s.Enter(n, 1, func() {}), errClosed)
	s.Close() // again
}

func TestProcPanicKeepsItsStack(t *testing.T) {
	s := New(Config{})
	s.AddNode("n", Main(func(p *Proc) { p.Sleep(sec); blowUp() }))
	s.After(2*sec, func() { t.Error("the run went on") })
	mustStop(t, s.Run(), StopFailed)
	f := s.Failure()
	want(t, "kind", f.Kind, KindPanic)
	want(t, "node", f.Node, "n")
	want(t, "message", f.Message, "boom")
	want(t, "time", f.Time, Time(sec))
	mustContain(t, f.Stack, "kernel.blowUp", "proc_test.go")
}

//go:noinline
func blowUp() { panic("boom") }

// TestProcPanicInDefer panics while it is unwound by a crash.
func TestProcPanicInDefer(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", Main(func(p *Proc) { defer blowUp(); p.Recv() }))
	s.After(sec, n.Kill)
	mustStop(t, s.Run(), StopFailed)
	want(t, "message", s.Failure().Message, "boom")

	s = New(Config{})
	s.AddNode("n", Main(func(p *Proc) { defer blowUp(); p.Recv() }))
	mustStop(t, s.Run(), StopFailed) // at the end of the run
}

// TestGoexit leaves user code by runtime.Goexit, as t.FailNow does, in each
// place that it can be in. The goroutine that runs the simulator ends, its
// deferred calls run, and the failure can be read from another.
func TestGoexit(t *testing.T) {
	places := map[string]func(s *Sim, n *Node){
		"handler":       func(s *Sim, n *Node) { n.SetFactory(func(*Node) Handler { return &script{start: runtime.Goexit} }) },
		"timer":         func(s *Sim, n *Node) { s.After(sec, func() { n.AfterFunc(sec, runtime.Goexit) }) },
		"proc":          func(s *Sim, n *Node) { n.SetFactory(Main(func(p *Proc) { p.Sleep(sec); runtime.Goexit() })) },
		"proc at start": func(s *Sim, n *Node) { n.SetFactory(Main(func(p *Proc) { runtime.Goexit() })) },
		"world proc":    func(s *Sim, n *Node) { s.Go("w", func(p *Proc) { p.Sleep(sec); runtime.Goexit() }) },
		"call":          func(s *Sim, n *Node) { s.After(sec, runtime.Goexit) },
		"invariant": func(s *Sim, n *Node) {
			s.Invariant("exits", func(*Node) error { runtime.Goexit(); return nil })
		},
		"nested proc": func(s *Sim, n *Node) {
			n.SetFactory(Main(func(p *Proc) { p.Recv(); runtime.Goexit() }))
			s.Go("w", func(p *Proc) { p.Sleep(sec); n.Deliver("w", 1) })
		},
	}
	for name, plant := range places {
		t.Run(name, func(t *testing.T) {
			s := New(Config{})
			n := s.AddNode("n", func(*Node) Handler { return Idle{} })
			other := s.AddNode("other", Main(func(p *Proc) { p.Recv() }))
			plant(s, n)
			returned := false
			goexit(func() {
				s.Run()
				returned = true
			})
			want(t, "Run returned", returned, false)
			f := s.Failure()
			if f == nil {
				t.Fatal("no failure")
			}
			want(t, "kind", f.Kind, KindFatal)
			if name == "invariant" {
				want(t, "check", f.Check, "exits")
			}
			mustContain(t, f.Message, "t.FailNow")
			mustStop(t, s.RunFor(sec), StopFailed)
			s.Close()
			want(t, "procs left", len(other.procs), 0)
		})
	}
}

// TestGoexitWhileUnwound leaves a deferred call by Goexit during a crash: it
// is ending anyway.
func TestGoexitWhileUnwound(t *testing.T) {
	s := New(Config{})
	n := s.AddNode("n", Main(func(p *Proc) { defer runtime.Goexit(); p.Recv() }))
	s.After(sec, n.Kill)
	mustStop(t, s.Run(), StopIdle)
}

// TestAbandonedProcs leaves 10,000 procs waiting: neither goroutines nor
// memory may stay behind.
func TestAbandonedProcs(t *testing.T) {
	run := func() {
		s := New(Config{})
		for i := range 10 {
			n := s.AddNode(fmt.Sprint("n", i), func(n *Node) Handler {
				return &script{start: func() {
					for range 1000 {
						n.Go("p", func(p *Proc) { var big [256]byte; p.Recv(); _ = big })
					}
				}}
			})
			if i%2 == 0 {
				s.After(sec, n.Kill)
			}
		}
		s.Run()
	}
	run()
	before, heap := runtime.NumGoroutine(), heapInUse()
	run()
	for range 100 { // the last helper may still be on its way out
		if runtime.NumGoroutine() <= before {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines are left, there were %d", n, before)
	}
	if grown := int64(heapInUse()) - int64(heap); grown > 4<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// TestProcStopsItself crashes, closes and restarts from inside procs.
func TestProcStopsItself(t *testing.T) {
	s := New(Config{})
	deferred := 0
	n := s.AddNode("n", Main(func(p *Proc) {
		defer func() { deferred++ }()
		p.Sleep(sec)
		p.Node().PowerLoss()
		p.Node().Start()
		p.Sleep(sec)
		t.Error("the proc outlived its node")
	}))
	s.RunFor(10*sec + 1)
	want(t, "boot", n.Boot(), 11)
	want(t, "deferred calls", deferred, 10)
	s.Close()
	want(t, "deferred calls", deferred, 11)
}

// TestProcKillsOther kills another node from a proc, while that node's proc is
// in the middle of a wait, and from within its handler by a nested delivery.
func TestProcKillsOther(t *testing.T) {
	s := New(Config{})
	victim := s.AddNode("victim", Main(func(p *Proc) { p.Recv(); t.Error("received after the crash") }))
	s.AddNode("killer", Main(func(p *Proc) {
		p.Sleep(sec)
		old := victim.Handler().(*mainHandler).proc
		victim.Kill()
		old.Deliver("killer", 1) // between the crash and the unwinding
		want(t, "delivered", victim.Deliver("killer", 1), false)
	}))
	mustStop(t, s.Run(), StopIdle)
}

// TestProcDeliversToItself hands messages to running procs: to itself, and
// around a circle of two.
func TestProcDeliversToItself(t *testing.T) {
	s := New(Config{})
	var got []string
	var a, b *Node
	a = s.AddNode("a", Main(func(p *Proc) {
		for range 3 {
			from, m := p.Recv()
			got = append(got, fmt.Sprint("a:", from, m))
			if from == "x" {
				a.Deliver("a", 2)
				b.Deliver("a", 3)
			}
		}
	}))
	b = s.AddNode("b", Main(func(p *Proc) {
		_, m := p.Recv()
		got = append(got, fmt.Sprint("b:", m))
		a.Deliver("b", 4)
	}))
	s.After(sec, func() { a.Deliver("x", 1) })
	mustStop(t, s.Run(), StopIdle)
	want(t, "messages", strings.Join(got, " "), "a:x1 b:3 a:a2 a:b4")
	want(t, "procs left", len(a.procs)+len(b.procs), 0)
}

// TestWaitFromOutside calls a proc's wait from a timer's function.
func TestWaitFromOutside(t *testing.T) {
	waits := map[string]func(p *Proc){
		"Sleep":       func(p *Proc) { p.Sleep(1) },
		"Recv":        func(p *Proc) { p.Recv() },
		"RecvTimeout": func(p *Proc) { p.RecvTimeout(1) },
		"Await":       func(p *Proc) { p.Await(1, func(string, any) bool { return true }) },
		"Wait":        func(p *Proc) { p.Wait(&Signal{}) },
		"WaitTimeout": func(p *Proc) { p.WaitTimeout(&Signal{}, 1) },
	}
	for name, wait := range waits {
		s := New(Config{})
		s.AddNode("n", Main(func(p *Proc) {
			p.Node().AfterFunc(sec, func() { wait(p) })
			p.Recv()
		}))
		mustStop(t, s.Run(), StopFailed)
		want(t, "kind for "+name, s.Failure().Kind, KindMisuse)
		mustContain(t, s.Failure().Message, `proc "main"`, "from outside")
	}
}

func TestSignal(t *testing.T) {
	s := New(Config{})
	var g Signal
	woken := 0
	n := s.AddNode("n", Main(func(p *Proc) { p.Wait(&g); woken++; p.Wait(&g); p.Recv() }))
	s.AddNode("m", Main(func(p *Proc) { p.Wait(&g); woken++ }))
	s.Go("w", func(p *Proc) { p.Wait(&g); woken++ })
	dead := s.AddNode("dead", Main(func(p *Proc) { p.Wait(&g); t.Error("a dead proc was woken") }))
	s.After(sec, func() { dead.Kill(); n.Pause(); g.Set(); g.Set() })
	s.RunFor(2 * sec)
	want(t, "set", g.IsSet(), true)
	want(t, "woken while n is paused", woken, 2)
	n.Resume()
	mustStop(t, s.Run(), StopIdle)
	want(t, "woken", woken, 3)
}

// TestWorldProc runs on no node: its sleeps follow virtual time, early
// wake-ups leave nothing behind.
func TestWorldProc(t *testing.T) {
	s := New(Config{})
	var at []Time
	p := s.Go("client", func(p *Proc) {
		for range 3 {
			_, m, ok := p.RecvTimeout(sec)
			at = append(at, s.Now())
			if ok {
				want(t, "message", m, any(7))
			}
		}
		want(t, "node", p.Node(), nil)
		p.Sleep(-5)
		at = append(at, s.Now())
	})
	s.After(500*time.Millisecond, func() { p.Deliver("x", 7) })
	mustStop(t, s.Run(), StopIdle)
	want(t, "times", fmt.Sprint(at), "[0.5s 1.5s 2.5s 2.5s]")
	want(t, "procs left", len(s.procs), 0)
	mustBeEmpty(t, s)
}

// TestDeliverWhilePaused hands a message straight to a paused node's proc.
func TestDeliverWhilePaused(t *testing.T) {
	s := New(Config{})
	var got []Time
	var p *Proc
	n := s.AddNode("n", func(n *Node) Handler {
		p = n.Go("p", func(p *Proc) {
			for {
				p.Recv()
				got = append(got, s.Now())
			}
		})
		return Idle{}
	})
	s.RunFor(0)
	n.Pause()
	s.After(sec, func() { p.Deliver("x", 1); p.Deliver("x", 2) })
	s.After(2*sec, n.Resume)
	s.Run()
	want(t, "times", fmt.Sprint(got), "[2s 2s]")
}

// TestTimeoutEndsWithItsWait: a timeout that was not needed does not disturb
// the next wait.
func TestTimeoutEndsWithItsWait(t *testing.T) {
	s := New(Config{})
	var sig Signal
	n := s.AddNode("n", Main(func(p *Proc) {
		p.RecvTimeout(sec)
		_, m := p.Recv()
		want(t, "message", m, any(2))
		want(t, "set", p.WaitTimeout(&sig, time.Hour), true)
		_, m = p.Recv()
		want(t, "last message", m, any(3))
		want(t, "time", s.Now(), Time(5*time.Hour))
	}))
	s.After(sec/2, func() { n.Deliver("x", 1) })
	s.After(5*sec, func() { n.Deliver("x", 2); sig.Set() })
	s.After(5*time.Hour, func() { n.Deliver("x", 3) })
	mustStop(t, s.Run(), StopIdle)
}

func TestInboxReusesMemory(t *testing.T) {
	var b inbox
	next := 0
	for i := range 1000 {
		b.put("x", i)
		if i%3 == 0 {
			_, m, ok := b.take()
			if !ok || m != next {
				t.Fatalf("took %v, want %d", m, next)
			}
			next++
		}
	}
	for !b.empty() {
		if _, m, _ := b.take(); m != next {
			t.Fatalf("took %v, want %d", m, next)
		}
		next++
	}
	want(t, "taken", next, 1000)
	for i := range 1000 { // a queue of five that moves
		b.put("x", i)
		if i >= 5 {
			if _, m, _ := b.take(); m != i-5 {
				t.Fatalf("took %v, want %d", m, i-5)
			}
		}
	}
	if n := cap(b.list); n > 2000 {
		t.Errorf("a queue of five messages has room for %d", n)
	}
	for !b.empty() {
		b.take()
	}
	b.put("x", nil)
	if got := testing.AllocsPerRun(1000, func() { b.put("x", nil); b.take() }); got != 0 {
		t.Errorf("a queue of one or two messages allocates %v times a message", got)
	}
}
