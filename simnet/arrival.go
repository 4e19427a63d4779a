package simnet

import (
	"path"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// Operation is what happens to a message at a node.
type Operation uint8

const (
	// Sending is a node's hand-over of a message to the network.
	Sending Operation = iota
	// Receiving is the delivery of a message to a node's program.
	Receiving
)

// Moment says on which side of an operation something happens.
type Moment uint8

const (
	// Before the operation. A node that is crashed there does not do it.
	Before Moment = iota
	// After the operation.
	After
)

// Message is what a [Watcher] is told of a message.
type Message struct {
	From, To string // the nodes
	Name     string // its Kinder word, or its Go type without the package
	Content  any    // the message; it must not be changed
}

// Watcher is called at each operation of a node that runs, on the simulator's stack. It may
// crash the node. See [Network.Watch].
type Watcher func(n *kernel.Node, op Operation, when Moment, m Message)

// Watch calls f before and after every message is sent and delivered. Call it
// before the run; it costs the same for every message from then on.
func (n *Network) Watch(f Watcher) {
	n.watchers = append(n.watchers, f)
	n.careful = true
	n.version++
}

// tell tells the watchers, and reports whether the node still runs as it did.
func (n *Network) tell(at *Port, op Operation, when Moment, m Message) bool {
	boot := at.node.Boot()
	for _, f := range n.watchers {
		if at.node.State() == kernel.Up && at.node.Boot() == boot {
			f(at.node, op, when, m)
		}
	}
	return at.node.State() == kernel.Up && at.node.Boot() == boot
}

// renew works out what the wire does now, and reports whether the message is to
// be sent. While somebody watches it is called for every message.
func (w *wire) renew(msg any) bool {
	n := w.net
	w.refresh()
	if len(n.watchers) == 0 {
		return true
	}
	w.version = 0
	if w.from.node.State() != kernel.Up {
		return true // its machine sends
	}
	m := Message{w.from.name, w.to.name, name(n.payloads.of(msg), msg), msg}
	ok := n.tell(w.from, Sending, Before, m)
	w.refresh() // a watcher may have begun an effect
	w.version = 0
	return ok
}

// ended does what comes before the delivery of a message in a network that is
// careful, and reports whether its way has ended.
func (f *flight) ended() bool {
	w := f.wire
	n, to := w.net, w.to
	switch {
	case to.below != nil && f.typ.segment:
		return f.toTransport()
	case to.node.State() != kernel.Up:
		return false
	case n.dropStale && f.boot != to.node.Boot():
		f.drop(to, DropStale)
		return true
	case len(n.watchers) > 0 && !n.tell(to, Receiving, Before, f.message()):
		f.drop(to, DropNodeDown)
		return true
	}
	return false
}

// handOver delivers a message in a network that is careful.
func (f *flight) handOver() {
	w := f.wire
	n, to := w.net, w.to
	m := f.message()
	f.done()
	to.node.Deliver(w.from.name, m.Content)
	if len(n.watchers) > 0 && to.node.State() == kernel.Up {
		n.tell(to, Receiving, After, m)
	}
}

func (f *flight) message() Message {
	return Message{f.wire.from.name, f.wire.to.name, name(f.typ, f.msg), f.msg}
}

// name returns what a message is called in patterns.
func name(p *payload, msg any) string {
	if p.kinder {
		return msg.(Kinder).Kind()
	}
	return p.text[strings.LastIndexByte(p.text, '.')+1:]
}

func matches(pattern, name string) bool {
	ok, _ := path.Match(pattern, name)
	return ok
}
