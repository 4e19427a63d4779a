package kernel

import (
	"errors"
	"fmt"
	"runtime/debug"
	"time"
)

// Result says how a run, or a part of one, ended.
type Result struct {
	Reason Stop     // why it ended
	Time   Time     // virtual time at the end
	Events uint64   // events of the whole run so far
	Hash   [32]byte // of the trace so far
}

var (
	errBusy    = errors.New("kernel: Run, RunFor, RunUntil, Step, Enter, AdvanceTo or Close was called while an event runs; one caller at a time, and never from inside the run")
	errClosed  = errors.New("kernel: the run is closed")
	errFailed  = errors.New("kernel: the run has failed, see Sim.Failure")
	errForeign = errors.New("kernel: the node to enter is nil or belongs to another run")
)

// Run runs events until nothing is left to do, the run fails, or a limit of
// [Config] is reached, and then closes the run, see [Sim.Close].
func (s *Sim) Run() Result {
	r := s.RunUntil(MaxTime)
	if r.Reason == StopBusy {
		return r
	}
	s.Close()
	if s.failure != nil && r.Reason != StopSetup { // of a deferred call
		r.Reason = StopFailed
	}
	return r
}

// RunFor runs the events of the next d of virtual time, see [Sim.RunUntil].
func (s *Sim) RunFor(d time.Duration) Result { return s.RunUntil(s.now.Add(max(d, 0))) }

// RunUntil runs the events up to and including virtual time t, and then
// advances time to t, also when nothing is left to do: the reason is
// [StopTime]. Time stays where it is when the run fails, is asked to stop or
// reaches the limit on events. A t of [MaxTime] or later means no end: the
// reason is [StopIdle], and time stays at the last event, when nothing is left
// to do.
func (s *Sim) RunUntil(t Time) Result {
	if !s.enter() {
		return Result{Reason: StopBusy}
	}
	defer s.leave()
	if s.Err() != nil || s.closed {
		return s.result(StopSetup)
	}
	end := min(t, MaxTime)
	if limit := Time(s.cfg.MaxTime); limit > 0 {
		end = min(end, limit)
	}
	end = max(end, s.now)
	reason := s.loop(end)
	if reason == StopIdle && t < MaxTime {
		reason = StopTime
	}
	if reason == StopTime {
		s.now = end
	}
	return s.result(reason)
}

// Next returns the time of the next event; ok is false when there is none.
func (s *Sim) Next() (t Time, ok bool) {
	k, ok := s.front()
	return k.time, ok
}

// Upcoming returns when, on which node (nil for the world's) and in which proc (empty
// for none) the next event is to run: what can be said of an event that never ends, by
// a run that stops before it. Events of nodes that are paused are put aside, as when
// the run goes on. ok is false when there is none.
func (s *Sim) Upcoming() (t Time, n *Node, proc string, ok bool) {
	for {
		k, ok := s.front()
		if !ok {
			return 0, nil, "", false
		}
		sl := &s.slab.slots[k.slot()]
		if n = sl.node; n != nil && n.blocked && sl.scope != Device {
			s.queue.drop()
			n.hold(k.slot())
			continue
		}
		p := sl.timer.wakes()
		switch ev := sl.ev.(type) {
		case *procTurn:
			p = (*Proc)(ev)
		case *procMail:
			p = (*Proc)(ev)
		}
		if p != nil {
			proc = p.name
		}
		return k.time, n, proc, true
	}
}

// wakes returns the proc that a timer resumes; nil for none.
func (t *Timer) wakes() *Proc {
	if t == nil {
		return nil
	}
	return t.proc
}

// Step runs the next event and reports whether there was one. It ignores the
// limits of [Config].
func (s *Sim) Step() bool {
	if !s.enter() {
		return false
	}
	defer s.leave()
	if s.Err() != nil || s.closed || s.failure != nil {
		return false
	}
	before := s.event
	s.guarded(func() { s.advance(MaxTime, before+1) })
	return s.event > before
}

// AdvanceTo moves the virtual time to t without running anything. The error
// says when an event is due before t, when t has passed, or when the simulator
// is in use.
func (s *Sim) AdvanceTo(t Time) error {
	if !s.enter() {
		return errBusy
	}
	defer s.leave()
	if t < s.now || t > MaxTime {
		return fmt.Errorf("kernel: cannot advance to %v: the time is %v and the end of time is %v", t, s.now, MaxTime)
	}
	if next, ok := s.Next(); ok && next < t {
		return fmt.Errorf("kernel: cannot advance to %v: an event is due at %v; run it first", t, next)
	}
	s.now = t
	return nil
}

// Enter runs f in the name of incarnation boot of node n, between events, as
// an event of its own with a record: the way in for programs that run beside
// the simulator. Settle and the invariants run after it. The error says when
// that incarnation is not running, the run has failed or is closed, or the
// simulator is in use; f has not been called then.
func (s *Sim) Enter(n *Node, boot int, f func()) error {
	if !s.enter() {
		return errBusy
	}
	defer s.leave()
	switch {
	case s.closed:
		return errClosed
	case s.failure != nil:
		return errFailed
	case s.Err() != nil:
		return s.Err()
	case n == nil || n.sim != s:
		return errForeign
	case n.state != Up || n.Boot() != boot:
		return fmt.Errorf("kernel: cannot enter boot %d of node %s: it is %v, boot %d", boot, n.name, n.state, n.Boot())
	}
	s.guarded(func() {
		s.fire(Func(func() {
			s.Emit(s.syms.enter).Done()
			f()
		}), n, s.event)
	})
	return nil
}

// The states of the entry. A second caller is turned away, and the first one's
// run fails after the event that it is in.
const (
	entryFree = iota
	entryTaken
	entryTrespassed
)

// enter and leave keep callers apart, and tell the race detector of the
// hand-over from one to the next.
func (s *Sim) enter() bool {
	if s.entry.CompareAndSwap(entryFree, entryTaken) {
		return true
	}
	s.entry.CompareAndSwap(entryTaken, entryTrespassed)
	return false
}

func (s *Sim) leave() { s.entry.Store(entryFree) }

// loop runs events until end or a reason to stop.
func (s *Sim) loop(end Time) Stop {
	ran := true
	for ran && s.open() {
		s.guarded(func() {
			for ran && s.open() {
				ran = s.advance(end, s.cfg.MaxEvents)
				if !ran && s.cfg.Settle != nil && s.queue.size == 0 {
					ran = s.cfg.Settle()
				}
			}
		})
	}
	switch {
	case s.failure != nil:
		return StopFailed
	case s.asked:
		s.asked = false
		return StopAsked
	case ran:
		return StopEvents
	case s.queue.size > 0:
		return StopTime
	}
	return StopIdle
}

// open reports whether the next event may run.
func (s *Sim) open() bool {
	return s.failure == nil && !s.asked && s.event < s.cfg.MaxEvents
}

// guarded makes a panic or Goexit of the code under test the run's failure. A
// Goexit still ends the goroutine; the failure can be read from another.
func (s *Sim) guarded(f func()) {
	returned := false
	defer func() {
		if returned {
			return
		}
		if v := recover(); v != nil {
			s.failPanic(v, debug.Stack(), s.node)
		} else {
			s.failExit(debug.Stack(), s.node)
		}
		s.active, s.judging, s.guard = nil, 0, ""
		s.unwind()
		s.node, s.cause = nil, s.event
	}()
	f()
	returned = true
}

// advance runs events that are due by end until event number last has run or
// the run is to stop. It reports false when no further event is due by end.
//
// What an event costs decides how much can be simulated, so the work of procs
// is resumed from here: a coroutine that takes over spoils the processor's
// prediction of every return below it, and each costs as much as ten calls.
func (s *Sim) advance(end Time, last uint64) bool {
	for {
		k, ok := s.front()
		if !ok || k.time > end {
			return false
		}
		s.queue.drop()
		s.now = k.time
		sl := &s.slab.slots[k.slot()]
		n, t := sl.node, sl.timer
		switch {
		case n != nil && n.blocked && sl.scope != Device:
			n.hold(k.slot())
			continue
		case t == nil:
			ev, cause := sl.ev, sl.cause
			s.slab.release(k.slot())
			s.begin(n, cause)
			ev.Fire()
		default: // keeps its slot, because it is often armed again at once
			t.unqueue()
			s.begin(n, t.cause)
			if t.proc == nil {
				t.fire()
			} else if p := t.wake(); p != nil {
				p.next()
				p.parked(nil)
			}
			t.settle()
		}
		s.end(n)
		if s.event >= last || s.failure != nil || s.asked {
			return true
		}
	}
}

// fire runs one event that was not queued, and what belongs after it.
func (s *Sim) fire(ev Event, n *Node, cause uint64) {
	s.begin(n, cause)
	ev.Fire()
	s.end(n)
}

// begin starts the next event.
func (s *Sim) begin(n *Node, cause uint64) {
	s.event++
	s.cause, s.node = cause, n
	if s.cfg.Progress != nil {
		s.cfg.Progress.Store(s.event)
	}
}

// end does what belongs after an event on n.
func (s *Sim) end(n *Node) {
	if s.cfg.Settle != nil {
		s.cfg.Settle()
	}
	if len(s.doomed) > 0 {
		s.unwind()
	}
	if s.entry.Load() == entryTrespassed {
		s.Misuse(errBusy)
	}
	if len(s.invariants) > 0 && s.failure == nil {
		s.judge(n)
		if len(s.doomed) > 0 {
			s.unwind()
		}
	}
	s.node, s.cause = nil, s.event
}

func (s *Sim) result(r Stop) Result {
	return Result{Reason: r, Time: s.now, Events: s.event, Hash: s.Hash()}
}
