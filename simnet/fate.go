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
}

// prepare makes the choice points that the wire's settings need.
func (f *fates) prepare(w *wire) {
	set := &w.set
	f.any = f.replaying || set.Loss|set.Duplicate|set.Delay|set.Late|set.Corrupt != 0 && !w.cut
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

// decide returns the fate of message number. When the choices are given, all
// points are asked, so that each given choice meets its message; else
// only those that can say something.
func (f *fates) decide(w *wire, number uint64) fate {
	if f.replaying && !w.net.sim.Redrawn() {
		return fate{
			drop:   f.given(w, f.drop, "/drop", number, 1) != 0,
			copies: uint8(f.given(w, f.dup, "/dup", number, MaxCopies)),
			delay:  time.Duration(f.given(w, f.delay, "/delay", number, int64(MaxDelay))),
			late:   time.Duration(f.given(w, f.late, "/late", number, int64(MaxDelay))),
			bits:   uint8(f.given(w, f.corrupt, "/corrupt", number, 2*MaxBits)),
		}
	}
	var out fate
	set := &w.set
	if set.Loss > 0 && (f.drop.Stream().PPM(number, set.Loss) || set.Burst > 1 && f.inBurst(number, set)) {
		out.drop = f.drop.Settle(number, 1) != 0
		return out
	}
	if set.Duplicate > 0 && f.dup.Stream().PPM(number, set.Duplicate) {
		out.copies = uint8(f.dup.Settle(number, 1))
	}
	if set.Delay > 0 && f.delay.Stream().PPM(number, set.Delay) {
		by := f.delay.Stream().Derive("by").Between(number, 1, int64(set.LongDelay))
		out.delay = time.Duration(f.delay.Settle(number, by))
	}
	if set.Late|set.Corrupt != 0 {
		f.decideRare(number, set, &out)
	}
	return out
}

// given asks for a given choice. One that no run can have made is a misuse.
func (f *fates) given(w *wire, p *kernel.ChoicePoint, what string, number uint64, most int64) int64 {
	v := p.Settle(number, 0)
	if v < 0 || v > most {
		w.net.sim.Misuse(fmt.Errorf("simnet: the choice given for message %d at %s%s is %d; it must be between 1 and %d", number, w.name, what, v, most))
		return 0
	}
	return v
}
