package simnet

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// fate is what the network does to one message beyond its latency.
type fate struct {
	drop   bool
	copies uint8         // extra ones
	bits   uint8         // that flip; more than MaxBits: and a checksum tells
	delay  time.Duration // of the first copy
	late   time.Duration // of one more copy; 0 means that there is none
	waits  time.Duration // of every copy, before it is on its way
}

// fates decides the fates of a wire's messages. Its choice points are made
// when they are first needed.
type fates struct {
	any              bool // there is something to decide
	replaying        bool // every point is asked for every message
	drop, dup, delay *kernel.ChoicePoint
	late, corrupt    *kernel.ChoicePoint
	burst            int64 // messages that a burst of losses still takes
}

// prepare makes the choice points that the wire's settings need.
func (f *fates) prepare(w *wire) {
	set := &w.set
	f.any = f.replaying || set.Loss|set.Duplicate|set.Delay|set.Late|set.Corrupt != 0 && !w.cut
	if set.Burst <= 1 {
		f.burst = 0
	}
	point := func(p **kernel.ChoicePoint, ppm uint32, what string) {
		if *p == nil && (f.replaying || ppm > 0) {
			*p = w.net.sim.ChoicePoint(w.name + what)
		}
	}
	point(&f.drop, set.Loss, "/drop")
	point(&f.dup, set.Duplicate, "/dup")
	point(&f.delay, set.Delay, "/delay")
	point(&f.late, set.Late, "/late")
	point(&f.corrupt, set.Corrupt, "/corrupt")
}

// decide returns the fate of a message. When the choices are given, all
// points are asked, so that each given choice meets its message; else
// only those that can say something.
func (f *fates) decide(w *wire, m *flight) fate {
	if f.replaying && !w.net.sim.Redrawn() {
		return fate{
			drop:   m.given(f.drop, "/drop", 1) != 0,
			copies: uint8(m.given(f.dup, "/dup", MaxCopies)),
			delay:  time.Duration(m.given(f.delay, "/delay", int64(MaxDelay))),
			late:   time.Duration(m.given(f.late, "/late", int64(MaxDelay))),
			bits:   uint8(m.given(f.corrupt, "/corrupt", 2*MaxBits)),
		}
	}
	var out fate
	set := &w.set
	if set.Loss > 0 && (set.Burst > 1 && f.inBurst(m.name, set) || set.Burst <= 1 && f.drop.Stream().PPM(m.name, set.Loss)) {
		out.drop = m.settle(f.drop, 1) != 0
		return out
	}
	if set.Duplicate > 0 && f.dup.Stream().PPM(m.name, set.Duplicate) {
		out.copies = uint8(m.settle(f.dup, 1))
	}
	if set.Delay > 0 && f.delay.Stream().PPM(m.name, set.Delay) {
		by := f.delay.Stream().Derive("by").Between(m.name, 1, int64(set.LongDelay))
		out.delay = time.Duration(m.settle(f.delay, by))
	}
	if set.Late|set.Corrupt != 0 {
		f.decideRare(m, set, &out)
	}
	return out
}

// settle makes a choice about the message. It has the message's number, which
// people read, and its name, by which a given choice is found.
func (f *flight) settle(p *kernel.ChoicePoint, drawn int64) int64 {
	return p.SettleOf(f.number, f.name, drawn)
}

// given asks for a given choice. One that no run can have made is a misuse.
func (f *flight) given(p *kernel.ChoicePoint, what string, most int64) int64 {
	v := f.settle(p, 0)
	if v < 0 || v > most {
		w := f.wire
		w.net.sim.Misuse(fmt.Errorf("simnet: the choice given for message %d at %s%s is %d; it must be between 1 and %d", f.number, w.name, what, v, most))
		return 0
	}
	return v
}

// key is what the latency of one copy is drawn by.
func (f *flight) key() uint64 { return f.name<<4 | uint64(f.copy) }
