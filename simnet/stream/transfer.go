package stream

import (
	"slices"

	"github.com/hmdsefi/faultline/kernel"
)

// send sends a segment to the other end, with what this end has received.
func (c *Conn) send(s *segment) {
	s.Number, s.Accepted, s.Token = c.number, c.accepted, c.token
	s.Ack, s.Window = c.in.next, c.window()
	if c.in.ended {
		s.Ack++
	}
	c.in.shut = s.Window == 0
	c.host.transmit(c.peer, s)
}

// window returns how many more bytes this end takes.
func (c *Conn) window() uint64 {
	return uint64(max(c.host.streams.cfg.Buffer-len(c.in.bytes), 0))
}

func (c *Conn) acknowledge() { c.send(&segment{What: kindData}) }

// pump sends what may be sent.
func (c *Conn) pump() {
	if c.state != open {
		return
	}
	o := &c.out
	for o.next < o.end() {
		size := c.emit(o.next, o.acked+c.room)
		if size == 0 {
			break
		}
		o.next += size
	}
	c.watch()
}

// emit sends the segment at a place, as far as limit, and returns how much of
// the direction it covers.
func (c *Conn) emit(at, limit uint64) uint64 {
	o := &c.out
	last := o.acked + uint64(len(o.bytes))
	to := min(at+uint64(c.host.streams.cfg.Segment), last, limit)
	s := &segment{What: kindData, Seq: at}
	size := uint64(0)
	if to > at {
		s.Data = slices.Clone(o.bytes[at-o.acked : to-o.acked])
		size = to - at
	}
	if o.ends && at+size == last {
		s.End = true
		size++
	}
	if size > 0 {
		c.send(s)
	}
	return size
}

// watch makes sure that somebody looks after what has not been answered.
func (c *Conn) watch() {
	if c.watching || !c.waits() {
		return
	}
	c.watching = true
	c.since, c.progress, c.try = c.now(), c.now(), 0
	c.after(c.patience(), c.check)
}

// waits reports whether an answer is to come.
func (c *Conn) waits() bool {
	return c.state <= granting || c.state == open && c.out.acked < c.out.end()
}

// check sends again what was not answered in time.
func (c *Conn) check() {
	c.watching = false
	switch {
	case !c.waits():
		return
	case c.now().Sub(c.progress) >= c.host.streams.cfg.Timeout:
		c.abort(Timeout, bySilence)
		return
	}
	if left := c.patience() - c.now().Sub(c.since); left > 0 {
		c.watching = true
		c.after(left, c.check)
		return
	}
	c.try++
	c.since = c.now()
	switch {
	case c.state == dialing:
		c.send(&segment{What: kindSyn, Service: c.service})
	case c.state == granting:
		c.send(&segment{What: kindSynAck})
	case c.out.next > c.out.acked:
		c.emit(c.out.acked, c.out.next)
	default: // the other end has no room
		c.send(&segment{What: kindData, Probe: true})
	}
	c.watching = true
	c.after(c.patience(), c.check)
}

// arrive takes a segment of the other end.
func (c *Conn) arrive(s *segment) {
	switch {
	case s.What == kindSyn: // once more: the answer was lost
		if c.state == granting {
			c.send(&segment{What: kindSynAck})
		}
	case c.state == dialing:
		c.answered(s)
	case s.Token != c.token: // of a connection that one end has forgotten
		if s.What != kindReset {
			c.host.refuse(c.peer, s)
		}
	case s.What == kindReset:
		c.reset()
	case s.What == kindSynAck: // once more: it does not know that it is known
		c.acknowledge()
	default:
		if c.state == granting {
			if c.host.granted(c); c.state != open {
				return
			}
		}
		c.acked(s)
		c.take(s)
	}
}

// answered takes the answer to a dial.
func (c *Conn) answered(s *segment) {
	switch s.What {
	case kindReset:
		c.vanish(Refused, byPeer)
	case kindSynAck:
		c.token, c.state, c.room = s.Token, open, s.Window
		if c.dialLimit != nil {
			c.dialLimit.Stop()
		}
		c.record(c.host.streams.records.open, c.age())
		c.acknowledge()
		c.notify()
		c.pump()
	}
}

// reset takes the word that the other end knows of no connection. Once both
// directions have ended that is no failure.
func (c *Conn) reset() {
	if c.state == lingering {
		c.state = gone
		c.host.forget(c)
		return
	}
	c.vanish(Reset, byPeer)
}

// acked takes what a segment says about the other direction.
func (c *Conn) acked(s *segment) {
	o := &c.out
	c.progress = c.now()
	switch {
	case s.Ack > o.acked && s.Ack <= o.next:
		n := min(s.Ack-o.acked, uint64(len(o.bytes)))
		o.bytes = o.bytes[n:]
		o.ended = o.ended || s.Ack-o.acked > n
		o.acked = s.Ack
		c.room = s.Window
		o.same = 0
		c.try, c.since = 0, c.now()
		c.notify()
	case s.Ack == o.acked && s.Window > c.room:
		c.room = s.Window
	case s.Ack == o.acked && len(s.Data) == 0 && !s.End && o.next > o.acked:
		if o.same++; o.same == 3 {
			c.emit(o.acked, o.next)
		}
	}
	c.pump()
	c.settle()
}

// take takes the bytes of a segment.
func (c *Conn) take(s *segment) {
	if len(s.Data) == 0 && !s.End {
		if s.Probe {
			c.acknowledge()
		}
		return
	}
	if c.closed && len(s.Data) > 0 && s.Seq+uint64(len(s.Data)) > c.in.next {
		c.abort(Closed, byBytes) // nobody will read it
		return
	}
	c.store(s)
	c.acknowledge()
	c.notify()
	c.settle()
}

// store puts the bytes of a segment, and of those that came too early, in their
// place.
func (c *Conn) store(s *segment) {
	in := &c.in
	at, _ := slices.BinarySearchFunc(in.early, s.Seq, func(e *segment, seq uint64) int {
		switch {
		case e.Seq < seq:
			return -1
		case e.Seq > seq:
			return 1
		}
		return 0
	})
	in.early = slices.Insert(in.early, at, s)
	for len(in.early) > 0 && in.early[0].Seq <= in.next {
		e := in.early[0]
		in.early = in.early[1:]
		if behind := in.next - e.Seq; behind < uint64(len(e.Data)) {
			n := min(uint64(len(e.Data))-behind, c.window())
			in.bytes = append(in.bytes, e.Data[behind:behind+n]...)
			in.next += n
			if behind+n < uint64(len(e.Data)) {
				continue // no room for the rest; it is sent again
			}
		}
		if e.End && e.Seq+uint64(len(e.Data)) == in.next {
			in.ended = true
		}
	}
	if most := 2 * c.host.streams.cfg.Buffer / c.host.streams.cfg.Segment; len(in.early) > max(most, 16) {
		in.early = in.early[:max(most, 16)]
	}
}

var _ kernel.Lifecycle = (*Host)(nil)
