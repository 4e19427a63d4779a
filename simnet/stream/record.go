package stream

import "github.com/hmdsefi/faultline/kernel"

// cause says who ended an end of a connection.
type cause uint8

const (
	byProgram  cause = iota // it called Close or Reset
	byKill                  // it was killed
	byListener              // it closed the listener before it took the connection
	byBytes                 // bytes came that nobody will read
	byPeer                  // the other end
	bySilence               // of the other end
	byFault                 // one was injected
	byOblivion              // one was injected: the machine forgot it
	byPower                 // the machine has none
)

// String returns what the trace calls it.
func (b cause) String() string {
	return [...]string{"program", "kill", "listener", "unwanted bytes", "peer", "silence", "fault", "fault", "power loss"}[b]
}

// records are the shapes of the records of connections. All begin with the name of
// the connection, which is the same at both ends: who dialed whom, the number among
// the dials of that machine, and the service.
type records struct {
	open, accept, refuse, closeWrite    *kernel.Form
	close, reset, timeout, lost, missed *kernel.Form
	short                               *kernel.Form
}

func (r *records) init(s *kernel.Sim) {
	field := func(key string, t kernel.AttrType) kernel.Field { return kernel.Field{Key: s.Sym(key), Type: t} }
	name := []kernel.Field{field("from", kernel.AttrString), field("to", kernel.AttrString), field("id", kernel.AttrUint), field("service", kernel.AttrString)}
	form := func(kind string, more ...kernel.Field) *kernel.Form {
		return s.Form(s.Sym(kind), append(name[:len(name):len(name)], more...)...)
	}
	left := []kernel.Field{field("unread", kernel.AttrUint), field("unacked", kernel.AttrUint)}
	took, by := field("took", kernel.AttrDur), field("by", kernel.AttrString)
	r.open = form("stream/open", took)
	r.accept = form("stream/accept")
	r.refuse = form("stream/refuse", took)
	r.closeWrite = form("stream/close-write")
	r.close = form("stream/close", left[0], left[1], by)
	r.reset = form("stream/reset", left[0], left[1], by)
	r.timeout = form("stream/timeout", left...)
	r.lost = form("stream/lost", left[0], left[1], by)
	what := field("what", kernel.AttrString)
	r.missed = form("stream/deadline", what)
	r.short = form("stream/short", what, field("moved", kernel.AttrUint), field("of", kernel.AttrUint))
}

// record writes a record about this end.
func (c *Conn) record(f *kernel.Form, more ...uint64) {
	h, dialer, dialed := c.host, c.host.name, c.peer
	if c.accepted {
		dialer, dialed = dialed, dialer
	}
	sym := func(text string) uint64 { return uint64(h.node.Sim().Sym(text)) }
	f.Emit(h.node, append([]uint64{sym(dialer), sym(dialed), c.number, sym(c.service)}, more...)...)
}

// ending writes the record of an end, with what it leaves.
func (c *Conn) ending(f *kernel.Form, by cause) {
	c.record(f, uint64(len(c.in.bytes)), uint64(len(c.out.bytes)), uint64(c.host.node.Sim().Sym(by.String())))
}

// failing writes the record of an end that has failed.
func (c *Conn) failing(why Error, by cause) {
	r := &c.host.streams.records
	switch {
	case c.state == lingering: // both directions had ended
	case why == Refused:
		c.record(r.refuse, c.age())
	case why == DeadlineExceeded:
		c.missed("dial")
	case by == bySilence:
		c.record(r.timeout, uint64(len(c.in.bytes)), uint64(len(c.out.bytes)))
	case by == byPower || by == byOblivion:
		c.ending(r.lost, by)
	default:
		c.ending(r.reset, by)
	}
}

// missed writes the record of a deadline that has passed.
func (c *Conn) missed(what string) {
	c.record(c.host.streams.records.missed, uint64(c.host.node.Sim().Sym(what)))
}

// age returns how long ago the connection was dialed.
func (c *Conn) age() uint64 { return uint64(c.now().Sub(c.began)) }
