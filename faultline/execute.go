package faultline

import (
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// execution is one run of one seed and how it ended.
type execution struct {
	world   *World // nil when it hangs: another goroutine still uses it
	failure *kernel.Failure
	setup   error // the setup was wrong; nothing ran
	result  kernel.Result
	hung    string // why it was given up, empty if it ended
	events  uint64 // events begun
	final   bool   // it was given up in a final check, after its events
	next    next   // of a run that was to stop before an event
}

// next is the event before which a run has stopped.
type next struct {
	at         kernel.Time
	node, proc string
	known      bool
}

// recipe says how one run is made.
type recipe struct {
	opt     Options
	setup   func(*World)
	seed    uint64
	level   kernel.Level
	replay  *fault.Schedule
	limit   uint64 // stop after that many events, 0: as the options say
	measure bool   // read a stopwatch around checks
	redraw  kernel.Redraw
	content bool // keep what is in messages, for people
	draw    bool // of the schedule only the faults are given; the seed decides the rest
}

// execute makes a run on a goroutine of its own and watches it in real time.
// Code under test may call t.FailNow there: it ends that goroutine only, and
// the kernel has made it the run's failure.
func (r recipe) execute(deadline time.Time) *execution {
	if r.replay != nil && r.replay.Duration > 0 {
		r.opt.Duration = r.replay.Duration
	}
	progress := &atomic.Uint64{}
	cfg := kernel.Config{Seed: r.seed, Level: r.level, MaxEvents: r.opt.MaxEvents, Progress: progress, Redraw: r.redraw}
	if r.limit > 0 {
		cfg.MaxEvents = r.limit
	}
	if r.measure {
		began := time.Now()
		cfg.Stopwatch = func() int64 { return int64(time.Since(began)) }
	}
	w := newWorld(r, cfg)
	defer w.seedRandom(r.opt)()
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.simulate(w)
	}()
	x := &execution{}
	if x.hung = w.watch(done, progress, r.opt.Timeout, deadline); x.hung != "" {
		x.events = progress.Load()
		x.final = w.phase.Load() != nil
		x.failure = &kernel.Failure{
			Kind: KindTimeout, Check: KindTimeout, Event: x.events,
			Message: x.hung, Stack: stuckStacks(),
		}
		return x
	}
	x.world, x.setup, x.failure, x.events, x.next = w, w.sim.Err(), w.sim.Failure(), w.sim.Event(), w.next
	shorten(x.failure)
	x.result = kernel.Result{Time: w.sim.Now(), Events: w.sim.Event(), Hash: w.sim.Hash()}
	return x
}

// maxMessage is how many bytes of a failure's message are kept.
const maxMessage = 64 << 10

// shorten cuts a message that nobody can read, and that would be compared,
// printed and written many times.
func shorten(f *kernel.Failure) {
	if f != nil && len(f.Message) > maxMessage {
		f.Message = strings.ToValidUTF8(f.Message[:maxMessage], "") + fmt.Sprintf("… (%d bytes in all)", len(f.Message))
	}
}

// simulate builds the system and runs it to the end.
func (r recipe) simulate(w *World) {
	defer w.sim.Close()
	if !w.build(r.setup) || w.sim.Err() != nil {
		return
	}
	result := w.sim.RunUntil(kernel.Time(r.opt.Duration))
	if result.Reason == kernel.StopEvents && r.limit > 0 {
		w.next = nextOf(w.sim)
	}
	if result.Reason == kernel.StopEvents && r.limit == 0 {
		w.sim.Fail(kernel.Failure{Kind: KindLimit, Check: KindLimit, Message: fmt.Sprintf(
			"the run needed more than %d events for %v of its %v; look for messages or timers that multiply, or raise Options.MaxEvents",
			r.opt.MaxEvents, result.Time, r.opt.Duration)})
	}
	switch {
	case w.sim.Failure() != nil:
	case result.Reason == kernel.StopTime:
		w.runFinals()
	case r.limit == 0: // else a recording was cut short
		w.sim.Fail(kernel.Failure{Kind: kernel.KindMisuse, Check: kernel.KindMisuse, Message: fmt.Sprintf(
			"the run was stopped or closed at %v of its %v, so that its checks cannot judge it; do not call Stop or Close of World.Sim, make Options.Duration shorter",
			result.Time, r.opt.Duration)})
	}
}

func nextOf(s *kernel.Sim) next {
	at, node, proc, ok := s.Upcoming()
	n := next{at: at, proc: proc, known: ok}
	if node != nil {
		n.node = node.Name()
	}
	return n
}

// build runs the user's setup; a panic or t.FailNow in it is the run's failure.
func (w *World) build(setup func(*World)) (ok bool) {
	defer func() {
		if ok {
			return
		}
		message, kind := "the setup called t.FailNow, t.Fatal or runtime.Goexit", kernel.KindFatal
		if v := recover(); v != nil {
			message, kind = fmt.Sprint(v), kernel.KindPanic
		}
		w.sim.Fail(kernel.Failure{Kind: kind, Check: checkSetup, Message: message, Stack: string(debug.Stack())})
	}()
	if setup == nil {
		w.sim.Misuse(errors.New("faultline: the setup is nil; give a function that builds the system"))
		return true
	}
	setup(w)
	w.arm()
	return true
}

// watch waits for a run to end. It returns why the run was given up: an event
// that takes longer than timeout, or the test's own deadline.
func (w *World) watch(done <-chan struct{}, progress *atomic.Uint64, timeout time.Duration, deadline time.Time) string {
	tick := time.NewTicker(min(max(timeout/16, 5*time.Millisecond), 50*time.Millisecond))
	defer tick.Stop()
	last, since := progress.Load(), time.Now()
	for {
		select {
		case <-done:
			return ""
		case now := <-tick.C:
			if p := progress.Load(); p != last {
				last, since = p, now
			}
			what := fmt.Sprintf("event %d", last)
			if last == 0 {
				what = "the setup"
			}
			if final := w.phase.Load(); final != nil {
				what = fmt.Sprintf("the final check %q", *final)
			}
			if now.Sub(since) > timeout {
				return fmt.Sprintf("%s has not ended after %v of real time: an endless loop, or a wait for something outside the simulation (a channel, a mutex, time.Sleep, input or output)", what, timeout)
			}
			if !deadline.IsZero() && now.After(deadline) {
				return fmt.Sprintf("the test's own deadline (go test -timeout) is near, and the run was at %s", what)
			}
		}
	}
}

// stuckStacks returns the stacks of the goroutines that run the simulation and
// are not just waiting to be resumed.
func stuckStacks() string {
	buf := make([]byte, 4<<20)
	buf = buf[:runtime.Stack(buf, true)]
	var out []string
	for _, g := range strings.Split(string(buf), "\n\n") {
		head, body, _ := strings.Cut(g, "\n")
		ours := strings.Contains(body, "faultline.recipe.simulate(") || strings.Contains(body, "kernel.(*Proc).run(")
		if ours && !strings.Contains(head, "[coroutine") {
			out = append(out, g)
		}
	}
	return strings.Join(out, "\n\n")
}
