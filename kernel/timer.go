package kernel

import "time"

// Timer fires once when its node's monotonic clock has advanced by a set
// duration, and can be armed again at any time. It dies with the incarnation
// that made it: from then on arming it is inert. While its node is paused a
// timer that runs out waits, and fires when the node resumes. When the rate of
// the node's clock changes, armed timers keep their local duration and so
// their virtual deadline moves.
type Timer struct {
	sim    *Sim
	node   *Node // nil for a proc of the world
	proc   *Proc // that it resumes, or nil
	ev     Event // nil without a proc: the node's Handler.Timer
	boot   uint32
	armed  bool
	index  int           // in node.timers while armed
	held   int           // place in node.backlog from 1, or 0
	cause  uint64        // event that armed it
	local  time.Duration // deadline on the node's monotonic clock
	due    key           // virtual deadline; its slot is valid while queued
	queued bool
	seated bool  // it has a slot, with number first.slot()
	first  key   // queued key that comes up first, while queued
	later  []key // queued keys that come up after it, latest first
}

// NewTimer returns a stopped timer that calls the node's [Handler.Timer].
func (n *Node) NewTimer() *Timer { return n.NewTimerEvent(nil) }

// NewTimerFunc returns a stopped timer that calls f.
func (n *Node) NewTimerFunc(f func()) *Timer { return n.NewTimerEvent(Func(f)) }

// NewTimerEvent returns a stopped timer that fires ev, or the node's
// [Handler.Timer] when ev is nil.
func (n *Node) NewTimerEvent(ev Event) *Timer {
	return &Timer{sim: n.sim, node: n, ev: ev, boot: n.boot}
}

// AfterFunc calls f when d has passed on the node's monotonic clock, and
// returns the timer that does it.
func (n *Node) AfterFunc(d time.Duration, f func()) *Timer {
	t := n.NewTimerFunc(f)
	t.Reset(d)
	return t
}

// Armed reports whether the timer is running.
func (t *Timer) Armed() bool { return t.armed }

// Reset arms the timer to fire once d has passed, whether it was running or
// not. A negative d counts as 0; a deadline beyond the end of time never comes.
// On a timer of an earlier incarnation, or while the node is down, it does
// nothing but leave a record of the attempt.
func (t *Timer) Reset(d time.Duration) {
	s, n := t.sim, t.node
	d = max(d, 0)
	if n == nil {
		t.armed = true
		t.due = makeKey(s.now.Add(d), s.tie(nil), 0)
	} else {
		if t.boot != n.boot || n.state == Down {
			s.inert("timer", n)
			return
		}
		if n.odd.timers != nil {
			d = n.odd.timers.shift(d)
		}
		t.local = addDur(n.mono.read(s.now), d)
		if !t.armed {
			t.armed = true
			t.index = len(n.timers)
			n.timers = append(n.timers, t)
		}
		t.due = makeKey(n.mono.when(t.local, s.now), s.tie(n), 0)
	}
	t.held, t.cause = 0, s.event
	t.aim()
}

// move gives an armed timer another virtual deadline.
func (t *Timer) move(at Time) {
	t.due.time = at
	t.aim()
}

// aim makes sure that a key is queued no later than the deadline. It queues one
// only when the first queued key comes up later: when a key comes up before
// the deadline, the timer is aimed again. So a timer that is put off time and
// again costs one key, and no key is wasted: what remains queued after the
// timer has fired serves the next deadline that is not before it.
func (t *Timer) aim() {
	if t.due.time >= MaxTime {
		return
	}
	s := t.sim
	seat := t.first.slot()
	if !t.seated {
		seat = s.slab.alloc()
		s.slab.slots[seat] = slot{timer: t, node: t.node, boot: t.boot, scope: ThisBoot}
		t.seated = true
	}
	t.due.low = t.due.low>>32<<32 | uint64(seat)
	if t.queued {
		if !t.due.before(t.first) {
			return
		}
		t.later = append(t.later, t.first)
	}
	t.first, t.queued = t.due, true
	s.queue.push(t.due)
}

// unqueue notes that the first key has left the queue.
func (t *Timer) unqueue() {
	if n := len(t.later); n > 0 {
		t.first = t.later[n-1]
		t.later = t.later[:n-1]
		return
	}
	t.queued = false
}

// settle gives up the slot if no key needs it.
func (t *Timer) settle() {
	if t.seated && !t.queued {
		t.seated = false
		t.sim.slab.release(t.first.slot())
	}
}

// Stop disarms the timer and reports whether it was armed. Its queued key
// stays until it comes up or serves a later deadline.
func (t *Timer) Stop() bool {
	was := t.armed
	t.disarm()
	return was
}

// disarm takes the timer off its node's list.
func (t *Timer) disarm() {
	if !t.armed {
		return
	}
	t.armed, t.held = false, 0
	if t.node == nil {
		return
	}
	list := t.node.timers
	last := list[len(list)-1]
	list[t.index], last.index = last, t.index
	list[len(list)-1] = nil
	t.node.timers = list[:len(list)-1]
}

// fire does the work of a timer that has run out and is not a proc's.
func (t *Timer) fire() {
	s := t.sim
	t.disarm()
	s.bare(s.syms.timer)
	if t.ev != nil {
		t.ev.Fire()
		return
	}
	t.node.handler.Timer(t)
}

// wake notes that a proc's timer has run out, and returns the proc if it is to
// be resumed.
func (t *Timer) wake() *Proc {
	s, p := t.sim, t.proc
	t.disarm()
	s.bare(s.syms.timer)
	if p.over() {
		return nil
	}
	s.active, p.await = p, waitNothing
	return p
}
