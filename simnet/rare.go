package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// What most links never do is kept off the way of the messages on all others:
// a wire whose settings ask for it is rare, and its messages go through here.

// Shape is a distribution of latencies.
type Shape uint8

const (
	// Uniform jitter: each addition from 0 to Link.Jitter is equally likely.
	Uniform Shape = iota
	// Exponential jitter: Link.Jitter is the mean of the addition, and 20 times
	// as much its bound.
	Exponential
	// Bimodal jitter is uniform, and a few messages, Link.Tail in a million,
	// take up to Link.TailLatency longer.
	Bimodal
)

// String returns the shape as a word.
func (s Shape) String() string {
	if s > Bimodal {
		return "unknown"
	}
	return [...]string{"uniform", "exponential", "bimodal"}[s]
}

// Policy says which message is dropped when a link's queue is full.
type Policy uint8

const (
	// TailDrop drops the message that does not fit.
	TailDrop Policy = iota
	// EarlyDrop also drops messages while the queue fills: each with the
	// probability of the queue's part that is full (as random early detection
	// does; Floyd and Jacobson, 1993).
	EarlyDrop
)

// String returns the policy as a word.
func (p Policy) String() string {
	if p > EarlyDrop {
		return "unknown"
	}
	return [...]string{"tail-drop", "early-drop"}[p]
}

// MaxBurst is the largest [Link.Burst].
const MaxBurst = 64

// writeRare writes the settings that few links have.
func (l Link) writeRare(b *strings.Builder) {
	if l.Shape != Uniform {
		fmt.Fprintf(b, " %v", l.Shape)
	}
	if l.Tail > 0 {
		fmt.Fprintf(b, " tail=%dppm tail-latency=%v", l.Tail, l.TailLatency)
	}
	if l.Burst > 1 {
		fmt.Fprintf(b, " burst=%d", l.Burst)
	}
	if l.Late > 0 {
		fmt.Fprintf(b, " late=%dppm late-by=%v", l.Late, l.LateBy)
	}
	if l.Corrupt > 0 {
		fmt.Fprintf(b, " corrupt=%dppm bits=%d", l.Corrupt, max(l.CorruptBits, 1))
		if l.Checksum {
			b.WriteString(" checksum")
		}
	}
	if l.Bandwidth > 0 {
		fmt.Fprintf(b, " bandwidth=%dB/s", l.Bandwidth)
		if l.Queue > 0 {
			fmt.Fprintf(b, " queue=%dB %v", l.Queue, l.Policy)
		}
	}
}

// maxBytes bounds bandwidths and queues, so that no time that is worked out
// from them overflows.
const maxBytes = 1 << 40

func (l Link) validateRare(place string) error {
	if err := validDurations(place, duration{"TailLatency", l.TailLatency}, duration{"LateBy", l.LateBy}); err != nil {
		return err
	}
	for _, c := range []struct {
		field string
		ppm   uint32
	}{{"Tail", l.Tail}, {"Late", l.Late}, {"Corrupt", l.Corrupt}} {
		if err := validChance(place, c.field, c.ppm); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		field       string
		value, most int64
	}{
		{"Shape", int64(l.Shape), int64(Bimodal)}, {"Burst", int64(l.Burst), MaxBurst}, {"CorruptBits", int64(l.CorruptBits), MaxBits},
		{"Bandwidth", l.Bandwidth, maxBytes}, {"Queue", l.Queue, maxBytes}, {"Policy", int64(l.Policy), int64(EarlyDrop)},
	} {
		if c.value < 0 || c.value > c.most {
			return fmt.Errorf("simnet: %s: %s is %d; it must be between 0 and %d", place, c.field, c.value, c.most)
		}
	}
	return nil
}

// rare returns the rare part of the change as settings of a link.
func (c Change) rare() Link {
	l := Link{
		Burst: c.Burst, Tail: c.Tail, TailLatency: c.TailLatency, Late: c.Late, LateBy: c.LateBy, Corrupt: c.Corrupt,
		CorruptBits: c.CorruptBits, Checksum: c.Checksum, Bandwidth: c.Bandwidth, Queue: c.Queue, Policy: c.Policy,
	}
	return l.withDefaults()
}

func (c *Change) isRare() bool {
	return c.Burst > 1 || c.Tail|c.Late|c.Corrupt != 0 || c.Bandwidth > 0
}

// onRare returns l with the rare part of the change added.
func (c *Change) onRare(l Link) Link {
	r := c.rare()
	l.Burst = max(l.Burst, c.Burst)
	if c.Tail > 0 {
		l.TailLatency = longest(l.Tail, l.TailLatency, r.TailLatency)
		l.Shape, l.Tail = Bimodal, min(l.Tail+c.Tail, million)
	}
	if c.Late > 0 {
		l.LateBy = longest(l.Late, l.LateBy, r.LateBy)
		l.Late = min(l.Late+c.Late, million)
	}
	if c.Corrupt > 0 {
		l.Corrupt = min(l.Corrupt+c.Corrupt, million)
		l.CorruptBits, l.Checksum = max(l.CorruptBits, c.CorruptBits), l.Checksum || c.Checksum
	}
	if c.Bandwidth > 0 && (l.Bandwidth == 0 || c.Bandwidth < l.Bandwidth) {
		l.Bandwidth = c.Bandwidth
		if c.Queue > 0 && (l.Queue == 0 || c.Queue < l.Queue) {
			l.Queue, l.Policy = c.Queue, c.Policy
		}
	}
	return l
}

// longest returns the larger duration, without the one that a chance of 0 has
// no use for.
func longest(ppm uint32, a, b time.Duration) time.Duration {
	if ppm == 0 {
		return b
	}
	return max(a, b)
}

// isRare reports whether the wire's messages need more than loss, copies and
// delays. In a replay they may, whatever the settings say.
func (w *wire) isRare() bool {
	s := &w.set
	return w.fates.replaying || len(w.net.watchers) > 0 || w.clogged || s.Shape != Uniform || s.Burst > 1 || s.Late|s.Corrupt != 0 || s.Bandwidth > 0 ||
		slices.ContainsFunc(w.active, func(e *Effect) bool { return e.aim != nil })
}

// inBurst reports whether a message is lost, to a burst of losses or as the
// first of one.
func (f *fates) inBurst(name uint64, set *Link) bool {
	f.burst--
	if f.drop.Stream().PPM(name, set.Loss) {
		f.burst = max(f.burst, f.drop.Stream().Derive("burst").Between(name, 1, int64(set.Burst)))
	}
	f.burst = max(f.burst, 0)
	return f.burst > 0
}

// decideRare adds to the fate of a message.
func (f *fates) decideRare(m *flight, set *Link, out *fate) {
	if set.Late > 0 && f.late.Stream().PPM(m.name, set.Late) {
		by := f.late.Stream().Derive("by").Between(m.name, 1, int64(set.LateBy))
		out.late = time.Duration(m.settle(f.late, by))
	}
	if set.Corrupt > 0 && f.corrupt.Stream().PPM(m.name, set.Corrupt) {
		bits := f.corrupt.Stream().Derive("bits").Between(m.name, 1, int64(max(set.CorruptBits, 1)))
		if set.Checksum {
			bits += MaxBits
		}
		out.bits = uint8(m.settle(f.corrupt, bits))
	}
}

// sendRare is send for a rare wire.
func (w *wire) sendRare(f *flight) {
	n := w.net
	if len(n.watchers) == 0 || w.from.node.State() != kernel.Up {
		w.route(f)
		return
	}
	m := f.message() // the flight may be over after this
	w.route(f)
	n.tell(w.from, Sending, After, m)
}

// route decides what becomes of a message on a rare wire.
func (w *wire) route(f *flight) {
	n := w.net
	var fate fate
	if w.fates.any {
		fate = w.fates.decide(w, f)
	}
	drop, hold := w.aimed(f)
	waits, fits := time.Duration(0), true
	if w.set.Bandwidth > 0 && !w.cut && !drop && !fate.drop {
		waits, fits = w.line(f)
	}
	for _, e := range w.active {
		if e.touches(fate, w.cut) || !w.cut && (e.clog || e.change.Bandwidth > 0 && (waits > 0 || !fits) || e.change.Tail > 0) {
			e.met++
		}
	}
	switch {
	case w.cut:
		f.drop(w.from, DropCut)
	case drop:
		f.drop(w.from, DropAimed)
	case fate.drop:
		f.drop(w.from, DropLoss)
	case !fits:
		f.drop(w.from, DropQueue)
	case fate.bits > MaxBits, fate.bits > 0 && f.typ.segment: // it would not pass the checksum
		w.stats.Corrupted++
		n.stats.Corrupted++
		f.drop(w.to, DropChecksum)
	default:
		if fate.bits > 0 {
			f.corrupt(int(fate.bits))
		}
		fate.waits = waits + hold
		if w.clogged {
			w.held = append(w.held, stalled{f, fate})
			return
		}
		w.launch(f, fate)
	}
}

// line puts a message into the queue for the link's bandwidth. It returns how
// long it takes until the message is through, and whether it fits.
func (w *wire) line(f *flight) (time.Duration, bool) {
	now := w.net.sim.Now()
	set := &w.set
	begins := max(w.free, now)
	size := sizeOf(f.msg)
	if set.Queue > 0 {
		waiting := bytesIn(begins.Sub(now), set.Bandwidth)
		full := waiting + size
		if full > set.Queue {
			return 0, false
		}
		if set.Policy == EarlyDrop {
			part := uint32(full * million / set.Queue)
			if w.net.sim.Again(w.latency).Derive("early").PPM(f.name, part) {
				return 0, false
			}
		}
	}
	w.free = begins.Add(timeFor(size, set.Bandwidth))
	return w.free.Sub(now), true
}

// launchLate sends the late copy of a message on its way.
func (w *wire) launchLate(f *flight, fate fate) {
	w.stats.Duplicated++
	w.net.stats.Duplicated++
	c := w.net.take()
	*c = *f
	c.copy = MaxCopies
	c.recordCopy()
	w.schedule(c, fate.late+fate.waits)
}

// scheduleRare draws when one copy arrives, see schedule.
func (w *wire) scheduleRare(f *flight, extra time.Duration) {
	key := f.key()
	took := w.set.Latency + w.jitter(key) + extra
	at := w.net.sim.Now().Add(took)
	if extra > 0 {
		at = w.net.settled(at, extra)
	}
	if w.set.FIFO && at <= w.last {
		at = w.last.Add(1)
	}
	w.last = max(w.last, at)
	w.net.sim.ScheduleKeyed(at, w.to.node, kernel.AnyBoot, uint32(w.order.At(key)>>32), f)
}

// jitter draws the addition to the latency of one copy.
func (w *wire) jitter(key uint64) time.Duration {
	set, latency := &w.set, w.net.sim.Again(w.latency)
	if set.Shape == Exponential {
		return min(latency.Exponential(key, set.Jitter), 20*set.Jitter)
	}
	d := time.Duration(latency.Between(key, 0, int64(set.Jitter)))
	if set.Shape == Bimodal && latency.Derive("tail").PPM(key, set.Tail) {
		d += time.Duration(latency.Derive("tail-latency").Between(key, 1, int64(set.TailLatency)))
	}
	return d
}
