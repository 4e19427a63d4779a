package simnet

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// flight is one copy of a message on its way: the event of its arrival.
type flight struct {
	wire   *wire
	msg    any
	typ    *payload
	kind   kernel.Sym // what the message calls itself, if typ.kinder
	number uint64     // of the message on its wire, from 1
	name   uint64     // what is drawn for it is drawn by this, see kernel.Namer
	copy   uint8      // 0 is the first
	digest uint64     // at send
	sent   kernel.Time
	event  uint64 // in which it was sent
	boot   int    // of the receiver at send
}

// take returns a flight to fill in.
func (n *Network) take() *flight {
	if last := len(n.idle) - 1; last >= 0 {
		f := n.idle[last]
		n.idle = n.idle[:last]
		return f
	}
	return new(flight)
}

// done gives the flight back. It must not be used from then on.
func (f *flight) done() {
	n := f.wire.net
	*f = flight{}
	n.idle = append(n.idle, f)
}

// Fire delivers the message, or drops it when the receiver cannot take it.
func (f *flight) Fire() {
	w := f.wire
	n := w.net
	to := w.to
	switch {
	case n.careful && f.ended():
		return
	case to.node.State() != kernel.Up:
		f.drop(to, DropNodeDown)
		return
	case !f.typ.frozen && !n.payloads.off:
		if now := n.payloads.digest(f.typ, f.msg); now != f.digest {
			f.changed(now)
			return
		}
	}
	w.stats.Delivered++
	n.stats.Delivered++
	f.recordDeliver()
	if f.typ.readable {
		f.annotate()
	}
	msg := f.msg
	if n.careful {
		f.handOver()
		return
	}
	f.done()
	to.node.Deliver(w.from.name, msg)
}

// drop ends the message's way; at is the port where it ends.
func (f *flight) drop(at *Port, why Reason) {
	w := f.wire
	w.stats.Dropped[why]++
	w.net.stats.Dropped[why]++
	f.recordDrop(at, why)
	f.done()
}

// changed fails the run, because somebody changed the message on its way.
func (f *flight) changed(now uint64) {
	w := f.wire
	w.stats.Dropped[DropChanged]++
	w.net.stats.Dropped[DropChanged]++
	s := w.net.sim
	s.Fail(kernel.Failure{
		Kind:  kernel.KindMisuse,
		Check: "sent messages are not changed",
		Message: fmt.Sprintf("message %d from %s to %s (%s), sent at %v in event %d, was changed before it was delivered at %v in event %d: digest %016x when sent, %016x now; "+
			"a sent message is shared by sender and receivers: send a copy, or change a copy",
			f.number, w.from.name, w.to.name, f.typ.text, f.sent, f.event, s.Now(), s.Event(), f.digest, now),
	})
	f.recordDrop(w.to, DropChanged)
	f.done()
}

func (f *flight) recordSend() {
	w := f.wire
	y := &w.net.syms
	switch {
	case w.net.payloads.off:
	case f.typ.kinder:
		y.kinded.send.Emit(w.from.node, uint64(w.to.sym), f.number, uint64(f.typ.sym), uint64(f.kind), f.digest)
		return
	default:
		y.plain.send.Emit(w.from.node, uint64(w.to.sym), f.number, uint64(f.typ.sym), f.digest)
		return
	}
	e := w.net.sim.Emit(y.send).On(w.from.node).Sym(y.to, w.to.sym)
	e = f.identify(e)
	if !w.net.payloads.off {
		e = e.Hash(y.digest, f.digest)
	}
	e.Done()
}

func (f *flight) recordDeliver() {
	w := f.wire
	y := &w.net.syms
	took := w.net.sim.Now().Sub(f.sent)
	switch {
	case f.copy > 0:
	case f.typ.kinder:
		y.kinded.deliver.Emit(w.to.node, uint64(w.from.sym), f.number, uint64(f.typ.sym), uint64(f.kind), uint64(took))
		return
	default:
		y.plain.deliver.Emit(w.to.node, uint64(w.from.sym), f.number, uint64(f.typ.sym), uint64(took))
		return
	}
	e := w.net.sim.Emit(y.deliver).Sym(y.from, w.from.sym)
	f.identify(e).Dur(y.took, took).Done()
}

func (f *flight) recordDrop(at *Port, why Reason) {
	w := f.wire
	y := &w.net.syms
	e := w.net.sim.Emit(y.drop).On(at.node).Sym(y.from, w.from.sym).Sym(y.to, w.to.sym)
	f.identify(e).Sym(y.reason, y.reasonSym(w.net.sim, why)).Done()
}

func (f *flight) recordDelay(by time.Duration) {
	w := f.wire
	y := &w.net.syms
	e := w.net.sim.Emit(y.delay).On(w.from.node).Sym(y.to, w.to.sym)
	f.identify(e).Dur(y.by, by).Done()
}

func (f *flight) recordCopy() {
	w := f.wire
	y := &w.net.syms
	e := w.net.sim.Emit(y.dup).On(w.from.node).Sym(y.to, w.to.sym)
	f.identify(e).Done()
}

// identify adds what says which message it is.
func (f *flight) identify(e kernel.Emit) kernel.Emit {
	y := &f.wire.net.syms
	e = e.Uint(y.id, f.number)
	if f.copy > 0 {
		e = e.Uint(y.copy, uint64(f.copy))
	}
	e = e.Sym(y.typ, f.typ.sym)
	if f.typ.kinder {
		e = e.Sym(y.kind, f.kind)
	}
	return e
}
