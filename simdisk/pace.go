package simdisk

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Slow makes operations that take time take factor times as long: those that
// share the latency of one of the kinds, or all when none is given. The
// strongest of several that are on counts. The error says when factor is not
// from 1 to 1,000,000.
func (v *Volume) Slow(factor int, of ...Kind) (*Effect, error) {
	if factor < 1 || factor > 1_000_000 {
		return nil, fmt.Errorf("simdisk: Slow factor is %d; use 1 to 1000000", factor)
	}
	e := &Effect{kind: slowEffect, factor: int64(factor), of: allClasses}
	if len(of) > 0 {
		e.of = 0
		for _, k := range of {
			e.of |= 1 << k.class()
		}
	}
	return v.d.add(e), nil
}

const allClasses = 1<<classes - 1

// Jitter adds a time of its own to every operation that takes time, up to most,
// so that of operations that are on their way at once later ones complete first.
// What they do keeps the order in which they were asked for. The largest of
// several that are on counts. The error says when most is negative.
func (v *Volume) Jitter(most time.Duration) (*Effect, error) {
	if most < 0 {
		return nil, fmt.Errorf("simdisk: Jitter is %v; it must not be negative", most)
	}
	return v.d.add(&Effect{kind: jitterEffect, lag: int64(most)}), nil
}

// Stall keeps every operation that takes time from completing, syncs from having
// their effect, until it is undone. Then they all complete, in any order.
func (v *Volume) Stall() *Effect { return v.d.add(&Effect{kind: stallEffect}) }

// latency returns how long an operation takes. Of the effects that are
// on the strongest of each sort counts: two at once do not add up.
func (d *disk) latency(op *Op) time.Duration {
	class := op.Kind.class()
	n := d.name(op)
	l := &d.cfg.Latency
	of := [classes]Delay{l.Meta, l.Read, l.Write, l.Sync}[class]
	t := d.latencies[class].Between(n, int64(of.Min), int64(of.Max))
	slowest, lag := int64(1), int64(0)
	for _, e := range d.effects {
		switch {
		case e.kind == slowEffect && e.of>>class&1 != 0 && t > 0:
			e.met++
			slowest = max(slowest, e.factor)
		case e.kind == jitterEffect && e.lag > 0:
			e.met++
			lag = max(lag, e.lag)
		}
	}
	t = min(t, int64(kernel.MaxTime)/slowest) * slowest
	if lag > 0 {
		t += min(d.latencies[class].Derive("jitter").Between(n, 0, lag), int64(kernel.MaxTime)-t)
	}
	return time.Duration(t)
}

// name returns what the time of an operation is drawn by, see [kernel.Namer]: its
// kind is what it does to which file.
func (d *disk) name(op *Op) uint64 {
	file := d.key
	if op.File != nil {
		file ^= op.File.key
	} else {
		file ^= kernel.KeyOf(op.Path)
	}
	return d.namer.Next(file+uint64(op.Kind), d.sim.Now())
}

// stalled holds a call that is due, if some effect wants that.
func (d *disk) stalled(c *call) bool {
	for _, e := range d.effects {
		if e.kind == stallEffect {
			e.met++
			e.held = append(e.held, c)
			return true
		}
	}
	return false
}

// goOn lets the calls go that an effect has held.
func (d *disk) goOn(e *Effect) {
	for _, c := range e.held {
		d.sim.ScheduleKeyed(d.sim.Now(), d.node, kernel.Device, uint32(d.order.Next()>>32), c)
	}
	e.held = nil
}
