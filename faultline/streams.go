package faultline

import (
	"errors"

	"github.com/hmdsefi/faultline/simnet/stream"
)

// Streams gives all nodes byte streams, see [Node.Streams], those that were added
// before too. Random faults hit them only with rules for it, such as
// [fault.Streams]. The guide docs/guides/streams.md shows a service and its test.
func (w *World) Streams(cfg stream.Config) {
	w.before("Streams")
	if w.streams != nil {
		w.sim.Misuse(errors.New("faultline: World.Streams was called twice; call it once"))
		return
	}
	s, err := stream.New(w.net, cfg)
	if err != nil {
		w.sim.Misuse(err)
		return
	}
	w.streams = s
	w.injector.SetStreams(s)
	for _, machine := range w.sim.Nodes() {
		if n := w.nodes[machine]; n != nil {
			w.connect(n)
		}
	}
}

// connect gives a node streams, if the world has them.
func (w *World) connect(n *Node) {
	if w.streams == nil || n.net == nil {
		return
	}
	if _, err := w.streams.Attach(n.net); err != nil {
		w.sim.Misuse(err)
	}
}

// Streams returns the machine's byte streams. Without [World.Streams] that is a
// misuse, which fails the run, and it returns nil.
func (n *Node) Streams() *stream.Host {
	if n.world.streams == nil {
		n.world.sim.Misuse(errors.New("faultline: Node.Streams was called in a world without streams; call World.Streams in the setup"))
		return nil
	}
	return n.world.streams.Host(n.Name())
}

// Streams returns the byte streams of the client's machine, see [Node.Streams].
func (c *Client) Streams() *stream.Host { return c.node.Streams() }
