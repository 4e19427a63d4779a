package kernel

import "fmt"

// Change is a change of a node's process.
type Change uint8

const (
	// Killed: the process ended; the machine, its page cache and its clocks go
	// on.
	Killed Change = iota
	// PowerLost: the machine lost power, and with it everything in memory.
	PowerLost
	// Started: a new incarnation is about to start.
	Started
	// Stopped: the process was paused.
	Stopped
	// Resumed: the process goes on.
	Resumed
)

// Lifecycle hears of the changes of a node's process. Modules that keep state
// for a machine (its disk, its network port) implement it.
type Lifecycle interface {
	// NodeChanged is called on the simulator's stack, when the node's State
	// and Boot are already the new ones. For [Started] it comes before the
	// program is made.
	NodeChanged(n *Node, c Change)
}

// Watch adds a listener to the node. Listeners are called in the order in
// which they were added.
func (n *Node) Watch(l Lifecycle) { n.watch = append(n.watch, l) }

func (n *Node) tell(c Change) {
	for _, l := range n.watch {
		l.NodeChanged(n, c)
	}
}

// Start starts a new incarnation of a node that is down, as an event of its
// own at the current time. On a node that is not down it is inert.
func (n *Node) Start() {
	if n.state != Down || n.starting {
		n.sim.inert("start", n)
		return
	}
	n.starting = true
	n.sim.Schedule(n.sim.now, n, Device, Func(n.startNow))
}

func (n *Node) startNow() {
	n.starting = false
	s := n.sim
	n.boot++
	n.state = Up
	n.block()
	n.rng = nil
	s.Emit(s.syms.boot).On(n).Done()
	n.tell(Started)
	if n.state == Down { // a listener has crashed it
		return
	}
	h := n.factory(n)
	switch {
	case n.state == Down: // it has crashed itself
	case h == nil:
		s.Misuse(fmt.Errorf("kernel: the factory of node %q returned no handler", n.name))
	default:
		n.handler = h
		h.Start()
	}
}

// Kill ends the node's process; its machine stays on. What the process wrote
// to files is still in the page cache. On a node that is down it is inert.
//
// A node may crash itself: from that call on, all that the running event asks
// of the simulator in the node's name is inert, and the event ends as usual.
func (n *Node) Kill() { n.crash(Killed, n.sim.syms.kill) }

// PowerLoss takes the power from the node's machine: the process ends and
// everything in memory is lost, see [Node.Kill] for the rest. It also works on
// a machine whose process is down, because its page cache is lost then.
func (n *Node) PowerLoss() { n.crash(PowerLost, n.sim.syms.powerLoss) }

func (n *Node) crash(c Change, kind Sym) {
	s := n.sim
	if n.state == Down && c == Killed {
		s.inert("kill", n)
		return
	}
	s.Emit(kind).On(n).Done()
	if n.state == Down {
		n.tell(c)
		return
	}
	n.state, n.handler = Down, nil
	n.block()
	for _, t := range n.timers {
		t.armed, t.held = false, 0
	}
	clear(n.timers)
	n.timers = n.timers[:0]
	for _, p := range n.procs {
		s.doom(p)
	}
	clear(n.procs)
	n.procs = n.procs[:0]
	n.tell(c)
	n.release()
	if s.entry.Load() == entryFree { // between events
		s.unwind()
	}
}

// Pause stops the node's process without ending it, like a long garbage
// collection or a stopped virtual machine: messages and timers wait. On a node
// that is not up it is inert.
func (n *Node) Pause() {
	s := n.sim
	if n.state != Up {
		s.inert("pause", n)
		return
	}
	n.state = Paused
	n.block()
	s.Emit(s.syms.pause).On(n).Done()
	n.tell(Stopped)
}

// Resume lets a paused process go on: everything that waited runs at the
// current time, in the order in which it was due. On a node that is not paused
// it is inert.
func (n *Node) Resume() {
	s := n.sim
	if n.state != Paused {
		s.inert("resume", n)
		return
	}
	n.state = Up
	n.block()
	s.Emit(s.syms.resume).On(n).Done()
	n.tell(Resumed)
	if n.slow.cost > 0 {
		n.serveLater()
		return
	}
	n.release()
}

// hold keeps an event that has come up while the node is paused or busy.
func (n *Node) hold(i uint32) {
	b := &n.sim.slab
	n.backlog = append(n.backlog, b.slots[i])
	if t := b.slots[i].timer; t != nil {
		t.held = len(n.backlog)
		t.unqueue()
		t.settle()
	} else {
		b.release(i)
	}
	if n.state == Up {
		n.serveLater()
	}
}

// release queues again what waited for the node. The small ties keep its
// order, before everything else of this instant.
func (n *Node) release() {
	s := n.sim
	for i, sl := range n.backlog {
		if i < n.slow.head {
			continue
		}
		t := sl.timer
		switch {
		case t == nil:
			*s.enqueue(s.now, uint32(i)) = sl
		case t.held == i+1: // neither stopped nor armed anew since
			t.held = 0
			t.due = makeKey(s.now, uint32(i), 0)
			t.aim()
		}
	}
	clear(n.backlog)
	n.backlog, n.slow.head = n.backlog[:0], 0
}

// inert records that something was asked of a node in a state in which it has
// no effect. Before the run that is a mistake of the setup.
func (s *Sim) inert(what string, n *Node) {
	if s.event == 0 && n != nil {
		s.Misuse(fmt.Errorf("kernel: %q was asked of node %s before the run, when it has not started; do it in the program's Start or in an event", what, n.name))
		return
	}
	s.Emit(s.syms.inert).On(n).Sym(s.syms.what, s.Sym(what)).Done()
}
