package stream

import (
	"io"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// state is where an end of a connection is.
type state uint8

const (
	dialing   state = iota // the other end has not answered
	granting               // it was answered, and has not said that it knows
	open                   // bytes go both ways, as far as they have not ended
	lingering              // both directions have ended; late segments are answered
	gone                   // it has failed, or nobody remembers it
)

// Conn is one end of a connection. It belongs to the incarnation that dialed or
// accepted it, and is of no use to a later one.
type Conn struct {
	identity
	host    *Host
	service string
	boot    int
	token   uint64 // of this connection's segments; 0 while dialing
	state   state
	began   kernel.Time // the end, by a dial or the wish for one
	err     Error
	closed  bool // by its program: nobody reads any more
	ready   func()
	dialed  func(c *Conn, err error)
	waiters []*kernel.Signal
	noticed bool // an event that wakes the program is queued

	out  sending
	in   receiving
	room uint64 // how many bytes the other end takes beyond out.acked

	reads, writes *deadline     // nil without one
	dialLimit     *kernel.Timer // nil without one

	draws kernel.Stream
	ties  uint64 // draws of places among events
	calls uint64 // draws of short reads and writes

	watching bool        // an event of check is queued
	since    kernel.Time // of the last progress, or of the last try
	try      int         // how often it was tried since
	progress kernel.Time // the last one
}

// sending is what this end writes.
type sending struct {
	bytes []byte // from acked on
	acked uint64 // place up to which the other end has all
	next  uint64 // place of the next byte to send
	ends  bool   // it ends behind bytes
	ended bool   // the other end knows
	same  int    // acknowledgements of the same place in a row
}

// end returns the place behind the last byte, and behind its end if it has one.
func (o *sending) end() uint64 {
	n := o.acked + uint64(len(o.bytes))
	if o.ends && !o.ended {
		n++
	}
	return n
}

// receiving is what this end reads.
type receiving struct {
	bytes []byte     // that nobody has read
	next  uint64     // place of the next byte to come
	early []*segment // that came before others, by place
	ended bool       // the other end has ended, and all has come
	shut  bool       // the other end knows of no room
}

func (c *Conn) now() kernel.Time { return c.host.node.Sim().Now() }

// alive reports whether the program of this end still runs.
func (c *Conn) alive() bool { return c.host.node.Alive() && c.host.node.Boot() == c.boot }

func (c *Conn) read(b []byte) (int, error) {
	switch {
	case !c.alive() || c.closed:
		return 0, Closed
	case c.reads.late():
		return 0, DeadlineExceeded
	case len(c.in.bytes) > 0 && c.err == 0:
		n := c.short("read", min(len(b), len(c.in.bytes)))
		copy(b, c.in.bytes[:n])
		c.in.bytes = c.in.bytes[n:]
		if c.in.shut && c.window() >= uint64(min(c.host.streams.cfg.Segment, c.host.streams.cfg.Buffer/2)) {
			c.acknowledge()
		}
		return n, nil
	case c.err != 0:
		return 0, c.err
	case c.in.ended:
		return 0, io.EOF
	}
	return 0, WouldBlock
}

func (c *Conn) write(b []byte) (int, error) {
	switch {
	case !c.alive() || c.closed || c.out.ends:
		return 0, Closed
	case c.writes.late():
		return 0, DeadlineExceeded
	case c.err != 0:
		return 0, c.err
	}
	room := c.host.streams.cfg.Buffer - len(c.out.bytes)
	if room <= 0 && len(b) > 0 {
		return 0, WouldBlock
	}
	n := c.short("write", min(len(b), room))
	c.out.bytes = append(c.out.bytes, b[:n]...)
	c.pump()
	return n, nil
}

func (c *Conn) closeWrite() error {
	switch {
	case !c.alive() || c.closed:
		return Closed
	case c.err != 0:
		return c.err
	}
	if !c.out.ends {
		c.out.ends = true
		c.record(c.host.streams.records.closeWrite)
		c.pump()
	}
	return nil
}

func (c *Conn) close() {
	if c.closed || !c.alive() {
		return
	}
	c.closed = true
	c.relax()
	if c.err != 0 {
		return
	}
	if len(c.waiters) > 0 {
		c.notify()
	}
	c.leave(byProgram)
}

// leave is what a machine does for an end whose program is done with it.
func (c *Conn) leave(by cause) {
	if len(c.in.bytes) > 0 || c.state <= granting {
		c.abort(Closed, by)
		return
	}
	c.ending(c.host.streams.records.close, by)
	c.out.ends = true
	c.pump()
	c.settle()
}

// orphan is called when the program was killed.
func (c *Conn) orphan() {
	if c.state == gone || c.state == lingering || c.closed {
		return
	}
	c.closed = true
	c.leave(byKill)
}

// abort ends the connection with an error, and tells the other end.
func (c *Conn) abort(why Error, by cause) {
	if c.state == gone {
		return
	}
	if c.state != lingering {
		c.send(&segment{What: kindReset})
	}
	c.vanish(why, by)
}

// vanish ends it without a word to the other end.
func (c *Conn) vanish(why Error, by cause) {
	if c.state == gone {
		return
	}
	c.failing(why, by)
	c.relax()
	c.state = gone
	if c.err == 0 {
		c.err = why
	}
	c.host.forget(c)
	c.notify()
}

// settle notes when both directions have ended. The end is remembered for a
// while: the other one may ask again.
func (c *Conn) settle() {
	if c.state != open || !c.in.ended || !c.out.ended {
		return
	}
	c.state = lingering
	c.after(c.host.streams.cfg.Timeout, func() {
		if c.state == lingering {
			c.state = gone
			c.host.forget(c)
		}
	})
}

// notify wakes the program.
func (c *Conn) notify() {
	if c.noticed || !c.alive() || c.ready == nil && c.dialed == nil && len(c.waiters) == 0 {
		return
	}
	c.noticed = true
	c.later(func() {
		c.noticed = false
		waiters := c.waiters
		c.waiters = nil
		for _, g := range waiters {
			g.Set()
		}
		switch done := c.dialed; {
		case done != nil && c.state != dialing:
			c.dialed = nil
			if c.err != 0 {
				done(nil, c.err)
				return
			}
			done(c, nil)
		case c.ready != nil:
			c.ready()
		}
	})
}

// wait waits for the next notice; false says that the proc's time is over.
func (c *Conn) wait(p *kernel.Proc) bool {
	g := &kernel.Signal{}
	c.waiters = append(c.waiters, g)
	p.Wait(g)
	return g.IsSet()
}

// short draws how many of n bytes a call moves.
func (c *Conn) short(what string, n int) int {
	if n <= 1 || !c.host.hit(Short) {
		return n
	}
	c.calls++
	moved := 1 + int(c.draws.Derive("short").Below(c.calls, uint64(n)))
	if moved < n {
		c.record(c.host.streams.records.short, uint64(c.host.node.Sim().Sym(what)), uint64(moved), uint64(n))
	}
	return moved
}

// patience returns how long to wait for an answer by now.
func (c *Conn) patience() time.Duration {
	return c.host.streams.cfg.Retransmit << min(c.try, 4)
}
