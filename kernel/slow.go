package kernel

import (
	"fmt"
	"time"
)

// slow is what a node needs to know when its events take time.
type slow struct {
	cost    time.Duration // of each event; 0: none
	free    Time          // when it is done with the last one
	head    int           // first of the backlog that has not run
	serving bool          // an event of serveNext is queued
	served  uint64        // events so far
}

// SetCost makes the node slow: each of its events (a message, a timer, a turn
// of a proc) keeps it busy for d, and what comes up meanwhile waits in order.
// Code takes no virtual time otherwise. 0 makes it fast again, and what waits
// runs at once. It lasts over crashes, and events of the machine are not slow.
// The error says when d is negative; nothing changes then.
func (n *Node) SetCost(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("kernel: the cost of an event of node %s is %v; it must not be negative", n.name, d)
	}
	s := n.sim
	n.slow.cost = d
	n.block()
	s.Emit(s.Sym("node/cost")).On(n).Dur(s.syms.by, d).Done()
	switch {
	case n.state != Up:
	case d == 0:
		n.release()
	default:
		n.serveLater()
	}
	return nil
}

// Cost returns how long each event of the node keeps it busy.
func (n *Node) Cost() time.Duration { return n.slow.cost }

// block works out whether what comes up for the node waits.
func (n *Node) block() { n.blocked = n.state == Paused || n.state == Up && n.slow.cost > 0 }

// serveLater makes sure that the next event of the backlog of a slow node comes
// up, once it is not busy.
func (n *Node) serveLater() {
	if w := &n.slow; w.cost > 0 && !w.serving && w.head < len(n.backlog) {
		w.serving = true
		n.sim.Schedule(max(w.free, n.sim.now), n, Device, (*serveNext)(n))
	}
}

// serveNext runs the next event of a slow node.
type serveNext Node

// Fire runs it as if it had come up now, with the cause that it has.
func (v *serveNext) Fire() {
	n := (*Node)(v)
	w := &n.slow
	w.serving = false
	if n.state != Up || w.cost == 0 {
		return
	}
	for w.head < len(n.backlog) {
		sl := n.backlog[w.head]
		n.backlog[w.head] = slot{}
		w.head++
		place := w.head
		if w.head == len(n.backlog) {
			n.backlog, w.head = n.backlog[:0], 0
		}
		if n.serve(sl, place) {
			w.free = n.sim.now.Add(w.cost)
			w.served++
			break
		}
	}
	n.serveLater()
}

// serve runs what was held at that place of the backlog, unless it is void by
// now.
func (n *Node) serve(sl slot, place int) bool {
	s, t := n.sim, sl.timer
	switch {
	case t == nil && sl.scope == ThisBoot && sl.boot != n.boot:
		return false
	case t == nil:
		s.cause = sl.cause
		sl.ev.Fire()
		return true
	case t.held != place: // stopped or armed anew since
		return false
	}
	t.held = 0
	s.cause = t.cause
	if t.proc == nil {
		t.fire()
	} else if p := t.wake(); p != nil {
		p.next()
		p.parked(nil)
	}
	return true
}

// Served returns how many events the node has run while it was slow.
func (n *Node) Served() uint64 { return n.slow.served }
