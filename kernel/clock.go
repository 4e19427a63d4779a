package kernel

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// MinDrift and MaxDrift bound a clock's drift in parts per million: half the
// true rate and twice the true rate.
const (
	MinDrift = -500_000  // half the true rate
	MaxDrift = 1_000_000 // twice the true rate
)

const million = 1_000_000

// clock is plain data: at virtual time base it read value, and since then it
// has run at (1,000,000+ppm)/1,000,000 of the true rate.
type clock struct {
	base  Time
	value time.Duration
	ppm   int64
}

// read returns what the clock shows at t, which is not before base.
func (c *clock) read(t Time) time.Duration {
	d := time.Duration(t - c.base)
	if c.ppm != 0 {
		d = time.Duration(scale(uint64(d), uint64(million+c.ppm), million, 0))
	}
	return addDur(c.value, d)
}

// when returns the first virtual time, not before now, at which the clock
// shows at least v.
func (c *clock) when(v time.Duration, now Time) Time {
	left := int64(v - c.value)
	if left <= 0 {
		return now
	}
	if c.ppm == 0 {
		return max(now, c.base.Add(time.Duration(left)))
	}
	if c.ppm == stopped {
		return MaxTime
	}
	rate := uint64(million + c.ppm)
	d := scale(uint64(left), million, rate, rate-1)
	if d > uint64(MaxTime) {
		return MaxTime
	}
	return max(now, c.base.Add(time.Duration(d)))
}

// rebase makes now the base, so that rate or value can change from here on.
func (c *clock) rebase(now Time) { c.value, c.base = c.read(now), now }

// scale returns (d*num+add)/den with a 128-bit intermediate.
func scale(d, num, den, add uint64) uint64 {
	hi, lo := bits.Mul64(d, num)
	lo, carry := bits.Add64(lo, add, 0)
	q, _ := bits.Div64(hi+carry, lo, den)
	return q
}

// Now returns the node's wall clock: virtual time, plus its offset, as
// changed by drift and steps. It can go backwards. It has no monotonic part,
// and stays within 292 years of the epoch.
func (n *Node) Now() time.Time {
	d := n.wall.read(n.sim.now)
	if n.odd.tick > 0 {
		d = n.odd.round(d)
	}
	return epoch().Add(d)
}

// Monotonic returns the node's monotonic clock: the time since the machine was
// switched on, at the node's own rate. It never goes backwards, not even over
// a restart; it starts at 0.
func (n *Node) Monotonic() time.Duration {
	d := n.mono.read(n.sim.now)
	if n.odd.tick > 0 {
		d = max(n.odd.round(d), n.odd.shown)
	}
	return d
}

// Drift returns how far the node's clocks are from the true rate, in parts per
// million.
func (n *Node) Drift() int64 { return n.odd.drift }

// StepClock moves the node's wall clock by d, forward or back. The monotonic
// clock and timers are untouched. It also works while the node is down.
func (n *Node) StepClock(d time.Duration) {
	s := n.sim
	n.wall.rebase(s.now)
	if d >= 0 {
		n.wall.value = addDur(n.wall.value, d)
	} else if back := n.wall.value + d; back < n.wall.value {
		n.wall.value = back
	} else {
		n.wall.value = math.MinInt64
	}
	s.Emit(s.syms.clockStep).On(n).Dur(s.syms.by, d).Done()
}

// SetDrift sets the rate of the node's clocks, ppm parts per million fast
// (positive) or slow, from now on. Armed timers keep their local duration. The
// error says when ppm is outside [MinDrift, MaxDrift]; nothing changes then.
func (n *Node) SetDrift(ppm int64) error {
	if ppm < MinDrift || ppm > MaxDrift {
		return fmt.Errorf("kernel: drift of node %s is %d ppm; it must be within [%d, %d]", n.name, ppm, MinDrift, MaxDrift)
	}
	s := n.sim
	n.odd.drift = ppm
	s.Emit(s.syms.clockDrift).On(n).Int(s.syms.ppm, ppm).Done()
	n.setRates()
	return nil
}

// setRates lets both clocks run from now on as they should.
func (n *Node) setRates() {
	s := n.sim
	n.wall.rebase(s.now)
	n.mono.rebase(s.now)
	n.wall.ppm, n.mono.ppm = n.odd.drift, n.odd.drift
	if n.odd.stopWall {
		n.wall.ppm = stopped
	}
	if n.odd.stopMono {
		n.mono.ppm = stopped
	}
	for _, t := range n.timers {
		if t.local > n.mono.value { // the others are due already
			t.move(n.mono.when(t.local, s.now))
		}
	}
}
