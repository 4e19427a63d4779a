package simnet

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// Segment marks the messages of a [Transport]. They are checked by a checksum:
// one whose bits flip is dropped. Once sent they must not be changed, and the
// network does not look whether they were.
type Segment interface {
	// Segment does nothing.
	Segment()
}

// Transport is what a machine runs below its program, such as byte streams: it
// takes the segments that arrive, also while no process runs.
type Transport interface {
	// Powered reports whether the machine is on.
	Powered() bool
	// Arrive is given a segment, on the simulator's stack, in an event of the
	// receiving node, if the machine is on. While the node is paused segments
	// wait like all messages.
	Arrive(from string, s Segment)
}

// SetTransport gives the port's machine its transport. The error says when it
// has one already; nothing changes then.
func (p *Port) SetTransport(t Transport) error {
	if p.below != nil {
		return fmt.Errorf("simnet: node %q has a transport already; give each node one", p.name)
	}
	p.below = t
	p.net.careful = true
	return nil
}

// Transmit sends a segment in the name of the machine, whatever its process
// does. The error is that of [Port.Send] for a name that is not attached.
func (p *Port) Transmit(to string, s Segment) error {
	w := p.find(to)
	if w == nil {
		t := p.net.ports[to]
		if t == nil {
			return p.unknown(to)
		}
		w = p.net.connect(p, t)
	}
	if !p.net.sim.Closed() {
		w.send(s)
	}
	return nil
}

// Name returns the name of the port's node.
func (p *Port) Name() string { return p.name }

// toTransport hands a segment to the receiver's transport.
func (f *flight) toTransport() bool {
	w := f.wire
	n, to := w.net, w.to
	s, from := f.msg.(Segment), w.from.name
	if to.node.State() == kernel.Up && len(n.watchers) > 0 && !n.tell(to, Receiving, Before, f.message()) {
		f.drop(to, DropNodeDown)
		return true
	}
	if !to.below.Powered() {
		f.drop(to, DropNodeDown)
		return true
	}
	w.stats.Delivered++
	n.stats.Delivered++
	f.recordDeliver()
	f.done()
	to.below.Arrive(from, s)
	return true
}
