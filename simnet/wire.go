package simnet

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// pair is the identity of a link: the indexes of its two ports.
type pair struct{ from, to int32 }

// wire is the state of one direction between two nodes, made at its first
// message. Its random decisions are drawn by the names of its messages.
type wire struct {
	net      *Network
	from, to *Port
	name     string // "net/from>to"
	key      uint64 // of the name
	sent     uint64 // messages so far
	last     kernel.Time
	latency  kernel.Stream // jitter of each copy
	order    kernel.Stream // place of each copy among events of one instant
	fates    fates

	version uint64 // of the network, when what follows was worked out
	set     Link   // settings and degradations together
	cut     bool
	rare    bool      // it does what only sendRare knows
	active  []*Effect // that cover this wire

	clogged bool
	held    []stalled   // by a clog
	free    kernel.Time // when its bandwidth is free again

	stats Stats
}

// connect makes the wire from p to t.
func (n *Network) connect(p, t *Port) *wire {
	name := "net/" + p.name + ">" + t.name
	w := &wire{
		net: n, from: p, to: t, name: name, key: kernel.KeyOf(name),
		latency: n.sim.Stream(name + "/latency"),
		order:   n.sim.Stream(name + "/order"),
	}
	w.fates.replaying = n.replaying
	p.out[t.name] = w
	n.wires = append(n.wires, w)
	return w
}

// refresh works out what the wire does now.
func (w *wire) refresh() {
	w.version = w.net.version
	p := pair{w.from.index, w.to.index}
	w.set, w.cut, w.clogged = w.net.setting(p), false, false
	clear(w.active)
	w.active = w.active[:0]
	for _, e := range w.net.effects {
		if e.covers(p) {
			w.active = append(w.active, e)
			w.cut = w.cut || e.cut
			w.clogged = w.clogged || e.clog
			w.set = e.change.on(w.set)
		}
	}
	w.fates.prepare(w)
	w.rare = w.isRare()
}

// send takes a message from the sender.
func (w *wire) send(msg any) {
	n := w.net
	if w.version != n.version && !w.renew(msg) {
		return
	}
	w.sent++
	w.stats.Sent++
	n.stats.Sent++
	f := n.take()
	f.wire, f.msg, f.number = w, msg, w.sent
	f.typ = n.payloads.of(msg)
	f.digest = n.payloads.digest(f.typ, msg)
	k := f.typ.kindOf(n.sim, msg)
	f.kind, f.name = k.sym, n.namer.Next(w.key^f.typ.key^k.key, n.sim.Now())
	f.sent, f.event, f.boot = n.sim.Now(), n.sim.Event(), w.to.node.Boot()
	f.recordSend()
	if f.typ.readable {
		f.annotate()
	}
	if w.rare {
		w.sendRare(f)
		return
	}

	var fate fate
	if w.fates.any {
		fate = w.fates.decide(w, f)
	}
	for _, e := range w.active {
		if e.touches(fate, w.cut) {
			e.met++
		}
	}
	switch {
	case w.cut:
		f.drop(w.from, DropCut)
	case fate.drop:
		f.drop(w.from, DropLoss)
	default:
		w.launch(f, fate)
	}
}

// launch sends the copies of a message on their way.
func (w *wire) launch(f *flight, fate fate) {
	if fate.delay > 0 {
		w.stats.Delayed++
		w.net.stats.Delayed++
		f.recordDelay(fate.delay)
	}
	w.schedule(f, fate.delay+fate.waits)
	if fate.copies == 0 && fate.late == 0 {
		return
	}
	for i := range fate.copies {
		w.stats.Duplicated++
		w.net.stats.Duplicated++
		c := w.net.take()
		*c = *f
		c.copy = uint8(i + 1)
		c.recordCopy()
		w.schedule(c, fate.waits)
	}
	if fate.late > 0 {
		w.launchLate(f, fate)
	}
}

// schedule draws when one copy arrives. The draws are keyed by message and
// copy, so they depend on no other message.
func (w *wire) schedule(f *flight, extra time.Duration) {
	if w.rare {
		w.scheduleRare(f, extra)
		return
	}
	key := f.key()
	took := w.set.Latency + time.Duration(w.net.sim.Again(w.latency).Between(key, 0, int64(w.set.Jitter))) + extra
	at := f.sent.Add(took)
	if extra > 0 {
		at = w.net.settled(at, extra)
	}
	if w.set.FIFO && at <= w.last {
		at = w.last.Add(1)
	}
	w.last = max(w.last, at)
	w.net.sim.ScheduleKeyed(at, w.to.node, kernel.AnyBoot, uint32(w.order.At(key)>>32), f)
}
