package kernel

import (
	"fmt"
	"time"
)

// stopped is the drift of a clock that stands still.
const stopped = -million

// oddClock is what is wrong with a node's clocks beyond their offset.
type oddClock struct {
	drift              int64
	stopWall, stopMono bool
	tick               time.Duration // 0: a nanosecond
	shown              time.Duration // what the monotonic clock showed when the tick was set: it does not go back
	timers             *timerError
}

// timerError says how early and late timers are.
type timerError struct {
	early, late time.Duration
	draws       Seq
}

// StopClocks says which of the node's clocks stand still from now on; those
// that do not, run on from where they are, so that a clock that stood is behind
// by as much (see [Node.StepClock]). While the monotonic clock stands, no timer of the node fires: together
// with [Node.Pause] it is a machine that is suspended, whose timers keep what
// they had left. It also works while the node is down.
func (n *Node) StopClocks(wall, monotonic bool) {
	s := n.sim
	n.odd.stopWall, n.odd.stopMono = wall, monotonic
	n.setRates()
	s.Emit(s.Sym("clock/stop")).On(n).Bool(s.Sym("wall"), wall).Bool(s.Sym("monotonic"), monotonic).Done()
}

// ClocksStopped returns which of the node's clocks stand still.
func (n *Node) ClocksStopped() (wall, monotonic bool) { return n.odd.stopWall, n.odd.stopMono }

// SetTick makes the node's clocks coarse: [Node.Now] and [Node.Monotonic] show
// whole multiples of d, rounded down, so that events within one tick have equal
// timestamps. The monotonic clock waits for the first one that is not before what
// it has shown. Timers stay exact. 0 makes the clocks fine again. The error says
// when d is negative; nothing changes then.
func (n *Node) SetTick(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("kernel: the tick of node %s is %v; it must not be negative", n.name, d)
	}
	s := n.sim
	n.odd.shown, n.odd.tick = n.Monotonic(), d
	s.Emit(s.Sym("clock/tick")).On(n).Dur(s.syms.by, d).Done()
	return nil
}

// Tick returns the node's tick, 0 if its clocks are fine.
func (n *Node) Tick() time.Duration { return n.odd.tick }

// round returns d rounded down to a tick. At the lower end of the range of
// time.Duration it stays as it is.
func (o *oddClock) round(d time.Duration) time.Duration {
	rest := d % o.tick
	if rest < 0 {
		rest += o.tick
	}
	if d-rest > d {
		return d
	}
	return d - rest
}

// SetTimerError makes timers that are armed from now on fire up to early too
// early, but not in the first half of their time, or up to late too late on the
// node's monotonic clock, each by an amount drawn from the stream. So code that
// waits until a clock shows a time, and then for what is left, gets there. Zeros make them exact again. The error says when one is
// negative; nothing changes then.
func (n *Node) SetTimerError(early, late time.Duration, from Stream) error {
	if early < 0 || late < 0 {
		return fmt.Errorf("kernel: the timers of node %s are to be %v early and %v late; neither may be negative", n.name, early, late)
	}
	s := n.sim
	n.odd.timers = nil
	if early > 0 || late > 0 {
		n.odd.timers = &timerError{early, late, Seq{Stream: from}}
	}
	s.Emit(s.Sym("clock/timers")).On(n).Dur(s.Sym("early"), early).Dur(s.Sym("late"), late).Done()
	return nil
}

// TimerErrors returns how many timers were armed since the last
// [Node.SetTimerError] that made them inexact.
func (n *Node) TimerErrors() uint64 {
	if n.odd.timers == nil {
		return 0
	}
	return n.odd.timers.draws.N
}

// TimerErrorSet reports whether timers of the node fire early or late now, see
// [Node.SetTimerError].
func (n *Node) TimerErrorSet() bool { return n.odd.timers != nil }

// shift returns the duration for which a timer is armed that is to run for d.
func (e *timerError) shift(d time.Duration) time.Duration {
	by := time.Duration(e.draws.Between(-int64(e.early), int64(e.late)))
	if by < 0 {
		return max(d+by, d-d/2)
	}
	return addDur(d, by)
}
