package stream

import (
	"fmt"
	"slices"
)

// Trouble is what an [Effect] makes of a host's streams.
type Trouble uint8

const (
	// Refusing hosts answer every dial with a reset, as if nobody listened.
	Refusing Trouble = iota
	// Hanging hosts do not answer dials: the dialer waits for its timeout.
	Hanging
	// Short makes reads and writes move fewer bytes than they could.
	Short
)

// String returns the trouble as a word.
func (t Trouble) String() string {
	if t > Short {
		return "unknown"
	}
	return [...]string{"refuse", "hang", "short"}[t]
}

// Effect is a trouble that lasts until it is undone.
type Effect struct {
	host    *Host
	trouble Trouble
	met     uint64
}

// Begin begins a trouble. An unknown one is a misuse, see [kernel.Sim.Misuse], and
// does nothing.
func (h *Host) Begin(t Trouble) *Effect {
	e := &Effect{host: h, trouble: t}
	if t > Short {
		h.node.Sim().Misuse(fmt.Errorf("stream: trouble %d is unknown; use Refusing, Hanging or Short", t))
	}
	h.effects = append(h.effects, e)
	h.note(t.String())
	return e
}

// Undo ends the effect. Undoing it again does nothing.
func (e *Effect) Undo() {
	h := e.host
	if i := slices.Index(h.effects, e); i >= 0 {
		h.effects = slices.Delete(h.effects, i, i+1)
		h.note("end of " + e.trouble.String())
	}
}

// Met returns how many dials, reads or writes the effect has changed.
func (e *Effect) Met() uint64 { return e.met }

// hit reports whether the host has that trouble, and counts it.
func (h *Host) hit(t Trouble) bool {
	found := false
	for _, e := range h.effects {
		if e.trouble == t {
			e.met++
			found = true
		}
	}
	return found
}

// ResetAll resets the host's connections, and returns how many there were: both
// ends see [Reset].
func (h *Host) ResetAll() int { return h.endAll("reset", func(c *Conn) { c.abort(Reset, byFault) }) }

// Forget makes the host lose its connections without a word to the other ends,
// which are half-open then; it returns how many there were. Its own program sees
// [Reset].
func (h *Host) Forget() int { return h.endAll("forget", func(c *Conn) { c.vanish(Reset, byOblivion) }) }

func (h *Host) endAll(what string, end func(c *Conn)) int {
	list := h.Conns()
	h.note(what)
	for _, c := range list {
		end(c)
	}
	return len(list)
}

// note writes a record.
func (h *Host) note(what string) {
	s := h.node.Sim()
	s.Emit(s.Sym("stream/trouble")).On(h.node).Str(s.Sym("what"), what).Done()
}
