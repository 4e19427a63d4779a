package simnet

import (
	"fmt"
	"path"
	"time"
)

// Clog stalls links: what is sent while a link is clogged waits, and is sent on
// its way when the last clog of that link is undone. Messages in flight still
// arrive. Names of nodes that are not attached are a misuse, see [Network.Cut].
func (n *Network) Clog(pairs ...Pair) *Effect {
	e := &Effect{clog: true, what: pairText(pairs)}
	e.cover = n.pairCover("Clog", pairs)
	return n.begin(e)
}

// stalled is a message that waits for the end of a clog.
type stalled struct {
	*flight
	fate fate
}

// unclog sends on their way the messages that waited on links that are free
// again.
func (n *Network) unclog() {
	for _, w := range n.wires {
		if len(w.held) == 0 {
			continue
		}
		w.refresh()
		if w.clogged {
			continue
		}
		held := w.held
		w.held = nil
		w.rare = true // their way begins now
		for _, h := range held {
			w.launch(h.flight, h.fate)
		}
		w.rare = w.isRare()
	}
}

// Aim says which messages an effect of [Network.Aim] hits, and what happens to
// them. The zero value drops the first message.
type Aim struct {
	// Message is a pattern of path.Match for what the message is called in the
	// trace: its [Kinder] word, or its Go type without the package. Empty
	// matches all.
	Message string
	// Skip is how many messages that match pass before.
	Skip int
	// Count is how many are hit from then on; 0 is one.
	Count int
	// Hold is how much longer they take; 0 drops them.
	Hold time.Duration
}

// aim is an Aim at work.
type aim struct {
	Aim
	seen int
}

// Aim drops or holds up certain messages of the links, counted over all of
// them: the third vote, or the first reply. A link that is cut drops its
// messages uncounted. The error names the field that makes no sense; nothing
// changes then. Names of nodes that are not attached are a misuse, see
// [Network.Cut].
func (n *Network) Aim(pairs []Pair, a Aim) (*Effect, error) {
	if _, err := path.Match(a.Message, ""); err != nil {
		return nil, fmt.Errorf("simnet: Aim.Message is %q, which is no pattern of path.Match", a.Message)
	}
	if a.Skip < 0 || a.Count < 0 {
		return nil, fmt.Errorf("simnet: Aim.Skip is %d and Aim.Count %d; they must not be negative", a.Skip, a.Count)
	}
	if err := validDurations("Aim", duration{"Hold", a.Hold}); err != nil {
		return nil, err
	}
	a.Count = max(a.Count, 1)
	does := "drop"
	if a.Hold > 0 {
		does = fmt.Sprintf("hold for %v", a.Hold)
	}
	e := &Effect{aim: &aim{Aim: a}, what: fmt.Sprintf("%s: %s %d %q after %d", pairText(pairs), does, a.Count, a.Message, a.Skip)}
	e.cover = n.pairCover("Aim", pairs)
	return n.begin(e), nil
}

// aimed reports whether an effect drops the message, or how long effects hold
// it up.
func (w *wire) aimed(f *flight) (drop bool, hold time.Duration) {
	if w.cut {
		return false, 0
	}
	for _, e := range w.active {
		a := e.aim
		if a == nil || !f.called(a.Message) {
			continue
		}
		a.seen++
		if a.seen <= a.Skip || a.seen > a.Skip+a.Count {
			continue
		}
		e.met++
		drop = drop || a.Hold == 0
		hold += a.Hold
	}
	if !drop && hold > 0 {
		w.stats.Delayed++
		w.net.stats.Delayed++
		f.recordDelay(hold)
	}
	return drop, hold
}

// called reports whether the message is called as the pattern says.
func (f *flight) called(pattern string) bool {
	return pattern == "" || matches(pattern, name(f.typ, f.msg))
}
