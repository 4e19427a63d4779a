package stream

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// Host is a machine's part of the streams. It lasts for the whole run; its
// listeners and connections end with the incarnation that made them.
type Host struct {
	streams   *Streams
	port      *simnet.Port
	node      *kernel.Node
	name      string
	off       bool // it has no power
	dials     uint64
	tokens    uint64 // drawn so far
	listeners []*Listener
	conns     map[identity]*Conn
	list      []*Conn // in the order in which they were made
	effects   []*Effect
}

// identity names one end of a connection on its host.
type identity struct {
	peer     string
	number   uint64
	accepted bool
}

func newHost(s *Streams, port *simnet.Port) *Host {
	return &Host{streams: s, port: port, node: port.Node(), name: port.Name(), conns: map[identity]*Conn{}}
}

// Name returns the name of the machine.
func (h *Host) Name() string { return h.name }

// Conns returns the connections of the machine that have not ended, in the order
// in which they were made.
func (h *Host) Conns() []*Conn {
	var out []*Conn
	for _, c := range h.list {
		if c.state != gone && c.state != lingering {
			out = append(out, c)
		}
	}
	return out
}

// Powered reports whether the machine is on.
func (h *Host) Powered() bool { return !h.off }

// NodeChanged follows the machine's process.
func (h *Host) NodeChanged(_ *kernel.Node, c kernel.Change) {
	switch c {
	case kernel.Started:
		h.off = false
	case kernel.Killed:
		h.listeners = nil
		for _, c := range slices.Clone(h.list) {
			c.orphan()
		}
	case kernel.PowerLost:
		h.off = true
		h.listeners = nil
		for _, c := range slices.Clone(h.list) {
			c.vanish(Reset, byPower)
		}
	}
}

func (h *Host) listener(service string) *Listener {
	for _, l := range h.listeners {
		if l.service == service {
			return l
		}
	}
	return nil
}

func (h *Host) unlisten(l *Listener) {
	if l.closed {
		return
	}
	l.closed = true
	h.listeners = slices.DeleteFunc(h.listeners, func(o *Listener) bool { return o == l })
	for _, c := range l.queue {
		c.abort(Closed, byListener)
	}
	l.queue = nil
	l.wake()
}

func (l *Listener) wake() {
	for _, g := range l.waiters {
		g.Set()
	}
	l.waiters = nil
}

func (h *Host) dial(to, service string, done func(c *Conn, err error)) (*Conn, error) {
	switch {
	case !h.node.Alive():
		return nil, Closed
	case h.streams.of[to] == nil:
		return nil, fmt.Errorf("stream: node %q dials %q, which has no streams; attach it first", h.name, to)
	}
	h.dials++
	c := h.add(identity{to, h.dials, false}, service)
	c.dialed = done
	c.send(&segment{What: kindSyn, Service: service, Window: uint64(h.streams.cfg.Buffer)})
	c.watch()
	return c, nil
}

// add makes one end of a connection.
func (h *Host) add(id identity, service string) *Conn {
	dialer, other := h.name, id.peer
	if id.accepted {
		dialer, other = other, dialer
	}
	c := &Conn{host: h, identity: id, service: service, boot: h.node.Boot()}
	name := fmt.Sprintf("stream/%s>%s/%d/%v", dialer, other, id.number, id.accepted)
	c.draws = h.node.Sim().Stream(name)
	c.began = h.node.Sim().Now()
	c.since = c.began
	h.conns[id] = c
	h.list = append(h.list, c)
	return c
}

// forget takes a connection off the host.
func (h *Host) forget(c *Conn) {
	delete(h.conns, c.identity)
	h.list = slices.DeleteFunc(h.list, func(o *Conn) bool { return o == c })
}

// Arrive takes a segment from the network.
func (h *Host) Arrive(from string, m simnet.Segment) {
	s, ok := m.(*segment)
	if !ok {
		return
	}
	c := h.conns[identity{from, s.Number, !s.Accepted}]
	switch {
	case c != nil:
		c.arrive(s)
	case s.What == kindSyn:
		h.syn(from, s)
	case s.What != kindReset:
		h.refuse(from, s)
	}
}

// refuse answers a segment of a connection that is not there.
func (h *Host) refuse(to string, s *segment) {
	h.transmit(to, &segment{Number: s.Number, Accepted: !s.Accepted, Token: s.Token, What: kindReset})
}

func (h *Host) transmit(to string, s *segment) {
	if err := h.port.Transmit(to, s); err != nil {
		h.node.Sim().Misuse(err) // the other end is attached
	}
}

// syn takes the wish for a connection.
func (h *Host) syn(from string, s *segment) {
	l := h.listener(s.Service)
	switch {
	case h.hit(Hanging):
		return
	case l == nil || h.hit(Refusing) || h.node.State() == kernel.Down:
		h.refuse(from, s)
		return
	case l.accept == nil && len(l.queue) >= h.streams.cfg.Backlog:
		return // it asks again
	}
	c := h.add(identity{from, s.Number, true}, s.Service)
	h.tokens++
	c.token = c.draws.Derive("token").At(h.tokens) | 1
	c.state = granting
	c.room = s.Window
	c.send(&segment{What: kindSynAck})
	c.watch()
}

// granted hands a connection over to its listener, now that the other end is
// known to want it.
func (h *Host) granted(c *Conn) {
	l := h.listener(c.service)
	if l == nil {
		c.abort(Closed, byListener)
		return
	}
	c.state = open
	if l.accept == nil {
		l.queue = append(l.queue, c)
		l.wake()
		return
	}
	c.later(func() {
		c.record(h.streams.records.accept)
		l.accept(c)
	})
	c.pump()
}

// later runs f in an event of the connection's incarnation, if that still runs.
func (c *Conn) later(f func()) {
	n := c.host.node
	if n.Alive() && n.Boot() == c.boot {
		n.Sim().ScheduleKeyed(n.Sim().Now(), n, kernel.ThisBoot, c.tie(), kernel.Func(f))
	}
}

// after runs f on the machine when d has passed.
func (c *Conn) after(d time.Duration, f func()) {
	n := c.host.node
	n.Sim().ScheduleKeyed(n.Sim().Now().Add(d), n, kernel.Device, c.tie(), kernel.Func(f))
}

func (c *Conn) tie() uint32 {
	c.ties++
	return uint32(c.draws.At(c.ties) >> 32)
}
