package faultline

import (
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
)

// Node is what a program sees of the machine it runs on: clocks, timers,
// randomness and log of the kernel's node, a network port and a disk. The same
// Node is handed to every incarnation of the program.
type Node struct {
	*kernel.Node
	world *World
	net   *simnet.Port
	disk  *simdisk.Volume

	places map[string]*bugPlace // at which it may misbehave
}

// Send sends a message to another node by name. The message is handed over by
// reference: neither side may change it afterwards, and doing so fails the
// run. Sending to a name that no node has fails the run too; what happens on
// the way is no error.
func (n *Node) Send(to string, msg any) {
	if err := n.net.Send(to, msg); err != nil {
		n.world.sim.Misuse(err)
	}
}

// Disk returns the machine's disk.
func (n *Node) Disk() *simdisk.Volume { return n.disk }

// Program returns the running program as type H, and false while the node is
// down or runs another type, and for a nil node, which an invariant is given for
// events of the world. Checks look into nodes with it.
func Program[H kernel.Handler](n *Node) (H, bool) {
	if n == nil || n.Node == nil {
		var none H
		return none, false
	}
	h, ok := n.Handler().(H)
	return h, ok
}

// factory makes a factory of the kernel from a user's one; nil of nil.
func (n *Node) factory(new func(n *Node) kernel.Handler) kernel.Factory {
	if new == nil {
		return nil
	}
	return func(*kernel.Node) kernel.Handler { return new(n) }
}
