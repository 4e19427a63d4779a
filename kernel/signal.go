package kernel

import "time"

// Signal wakes procs that wait for something to be done: the proc's side of an
// operation that completes later. The zero value is ready and not set. A
// signal is set once; waiting for a set one returns at once.
type Signal struct {
	set     bool
	waiters []*Proc
}

// Set marks the signal and wakes, each by an event at the current time, the
// procs that wait for it. Further calls do nothing.
func (g *Signal) Set() {
	if g.set {
		return
	}
	g.set = true
	for _, p := range g.waiters {
		if !p.over() {
			p.sim.Schedule(p.sim.now, p.node, ThisBoot, (*signalTurn)(p))
		}
	}
	g.waiters = nil
}

// IsSet reports whether Set was called.
func (g *Signal) IsSet() bool { return g.set }

// remove takes a proc that has given up off the list.
func (g *Signal) remove(p *Proc) {
	for i, q := range g.waiters {
		if q == p {
			g.waiters = append(g.waiters[:i], g.waiters[i+1:]...)
			return
		}
	}
}

// signalTurn resumes a proc whose signal was set.
type signalTurn Proc

// Fire resumes the proc, unless its timeout came first.
func (t *signalTurn) Fire() {
	if p := (*Proc)(t); p.on != nil && p.on.set {
		p.turn()
	}
}

// Wait waits until the signal is set.
func (p *Proc) Wait(g *Signal) {
	if !g.set && p.mayWait() {
		p.waitFor(g)
	}
}

// WaitTimeout is [Proc.Wait] that gives up when d has passed on the node's
// monotonic clock; it reports whether the signal is set.
func (p *Proc) WaitTimeout(g *Signal, d time.Duration) bool {
	if !g.set && p.mayWait() {
		p.timer.Reset(d)
		p.waitFor(g)
	}
	return g.set
}

func (p *Proc) waitFor(g *Signal) {
	g.waiters = append(g.waiters, p)
	p.on = g
	p.park(waitTurn)
	p.on = nil
	g.remove(p)
}
