package simnet

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// Port is a node's place on the network; see [Network.Attach].
type Port struct {
	net   *Network
	node  *kernel.Node
	name  string
	sym   kernel.Sym
	index int32
	near  [16]peer         // receivers used last, found faster than in a map
	out   map[string]*wire // all receivers; made at the first message
	below Transport        // of the machine, or nil
}

type peer struct {
	name string
	wire *wire
}

// find returns the wire to a node, or nil before the first message. The wires
// used last are at hand by a hash of their names.
func (p *Port) find(to string) *wire {
	if to == "" {
		return nil
	}
	e := &p.near[(int(to[len(to)-1])+5*len(to))%len(p.near)]
	if e.name == to {
		return e.wire
	}
	w := p.out[to]
	if w != nil {
		*e = peer{to, w}
	}
	return w
}

// Node returns the node that the port belongs to.
func (p *Port) Node() *kernel.Node { return p.node }

// Send hands a message to the network, for the node called to. It returns at
// once; whether and when the message arrives is the network's affair, and a
// message that is lost is no error. The message is shared with the receiver:
// after Send neither side may change it (see the package documentation).
//
// The error says when no such node is attached or the run is closed. Sending
// in the name of a node that is down does nothing but leave a record of the
// attempt.
func (p *Port) Send(to string, msg any) error {
	w := p.find(to)
	if w == nil {
		t := p.net.ports[to]
		if t == nil {
			return p.unknown(to)
		}
		w = p.net.connect(p, t)
	}
	s := p.net.sim
	if s.Closed() {
		return fmt.Errorf("simnet: node %q sends to %q, but the run is closed", p.name, to)
	}
	if !p.node.Alive() {
		if s.Event() == 0 {
			return fmt.Errorf("simnet: node %q sends to %q before the run, when it has not started; send in the program's Start or in an event", p.name, to)
		}
		y := &p.net.syms
		s.Emit(y.inert).On(p.node).Sym(y.what, y.sending).Sym(y.to, w.to.sym).Done()
		return nil
	}
	w.send(msg)
	return nil
}

func (p *Port) unknown(to string) error {
	return fmt.Errorf("simnet: node %q sends to %q, which is not attached to the network; attached are %s", p.name, to, p.net.roster())
}
