package stream

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// deadline is when one direction of a connection stops to wait. It runs on the
// clock of the incarnation that set it, and ends with that.
type deadline struct {
	timer  *kernel.Timer
	passed bool
}

// SetDeadline sets the deadlines of reads and of writes.
func (c *Conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// SetReadDeadline makes reads fail with [DeadlineExceeded] from t on, those that
// wait and later ones, even if there is something to read. The connection stays
// as it is: with a later deadline, or with none, reads go on where they were. A
// zero t is no deadline; one that is not after now has passed.
//
// What counts is how long it is from the node's wall clock to t at the time of the
// call, as in package net; from then on the node's monotonic clock. While the node
// is paused a deadline waits like every timer. The error is [Closed], or how the
// connection failed.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.limit(&c.reads, "read", t) }

// SetWriteDeadline is the same for writes. What a write that failed had handed over
// by then is sent nevertheless.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.limit(&c.writes, "write", t) }

func (c *Conn) limit(which **deadline, what string, t time.Time) error {
	switch {
	case !c.alive() || c.closed:
		return Closed
	case c.err != 0:
		return c.err
	case t.IsZero():
		(*which).stop()
		*which = nil
		return nil
	}
	d := *which
	if d == nil {
		d = &deadline{}
		d.timer = c.host.node.NewTimerFunc(func() {
			c.missed(what)
			c.passed(d)
		})
		*which = d
	}
	if left := t.Sub(c.host.node.Now()); left > 0 {
		d.passed = false
		d.timer.Reset(left)
		return nil
	}
	d.timer.Stop()
	c.passed(d)
	return nil
}

// passed makes what waits for the direction fail.
func (c *Conn) passed(d *deadline) {
	d.passed = true
	c.notify()
}

// late reports whether there is a deadline that has passed.
func (d *deadline) late() bool { return d != nil && d.passed }

func (d *deadline) stop() {
	if d != nil {
		d.timer.Stop()
	}
}

// giveUp ends a dial that has no answer when d has passed.
func (c *Conn) giveUp(d time.Duration) {
	c.dialLimit = c.host.node.AfterFunc(d, func() { c.abort(DeadlineExceeded, byProgram) })
}

// relax stops all deadlines.
func (c *Conn) relax() {
	c.reads.stop()
	c.writes.stop()
	if c.dialLimit != nil {
		c.dialLimit.Stop()
	}
}
