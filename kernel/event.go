package kernel

import "time"

// Event is work that the simulator runs at a virtual time. Hot paths keep
// their own pooled types that implement it, so that scheduling allocates
// nothing.
type Event interface {
	// Fire does the work. It runs on the simulator's stack and must return.
	Fire()
}

// Func makes a function an [Event].
type Func func()

// Fire calls f.
func (f Func) Fire() { f() }

// Scope says which state of its node an event needs.
type Scope uint8

const (
	// ThisBoot events belong to the incarnation that was running when they
	// were scheduled: they vanish with it, and wait while it is paused.
	ThisBoot Scope = iota
	// AnyBoot events reach whichever incarnation runs when they are due, or
	// none at all, and wait while the node is paused. Deliveries are AnyBoot.
	AnyBoot
	// Device events belong to the machine and run whatever its process does.
	Device
)

// slot holds what a queued key stands for. A timer keeps its slot as long as
// one of its keys is queued; every other event has one key.
type slot struct {
	ev    Event
	timer *Timer // set for a timer
	node  *Node  // nil for the world
	cause uint64
	boot  uint32
	scope Scope
}

// slab is the store of slots; the last one freed is reused first.
type slab struct {
	slots []slot
	free  []uint32
}

//go:norace
func (b *slab) alloc() uint32 {
	if n := len(b.free); n > 0 {
		i := b.free[n-1]
		b.free = b.free[:n-1]
		return i
	}
	b.slots = append(b.slots, slot{})
	return uint32(len(b.slots) - 1)
}

//go:norace
func (b *slab) release(i uint32) {
	b.slots[i] = slot{}
	b.free = append(b.free, i)
}

// Schedule runs ev at the virtual time at, which is moved up to now when it
// has passed; one at [MaxTime] never runs. The event belongs to node on, or to the world when on is nil,
// and scope says what becomes of it when that node crashes or is paused. A
// [ThisBoot] event of a node that is not running is inert at once. Among
// events of one instant the order is a choice of the node's own stream.
func (s *Sim) Schedule(at Time, on *Node, scope Scope, ev Event) {
	s.ScheduleKeyed(at, on, scope, s.tie(on), ev)
}

// ScheduleKeyed is [Sim.Schedule] with the place among events of the same
// instant given by the caller: the smaller tie first. Components that give
// each choice an identity of its own (a message on a link, a planned fault)
// draw it from their own stream.
func (s *Sim) ScheduleKeyed(at Time, on *Node, scope Scope, tie uint32, ev Event) {
	boot := uint32(0)
	if on != nil && scope == ThisBoot {
		if !on.Alive() {
			s.inert("schedule", on)
			return
		}
		boot = on.boot
	}
	if sl := s.enqueue(at, tie); sl != nil {
		sl.ev, sl.node, sl.cause, sl.boot, sl.scope = ev, on, s.event, boot, scope
	}
}

// enqueue queues a key and returns the slot for what it stands for, or nil when
// it never comes up. The slot is filled in place: a copy would have to wait for
// its parts to be written.
func (s *Sim) enqueue(at Time, tie uint32) *slot {
	if at >= MaxTime {
		return nil
	}
	i := s.slab.alloc()
	s.queue.push(makeKey(max(at, s.now), tie, i))
	return &s.slab.slots[i]
}

// tie draws the place of an event among those of the same instant.
func (s *Sim) tie(on *Node) uint32 {
	q := &s.order
	if on != nil {
		q = &on.order
	}
	return uint32(q.Next() >> 32)
}

// At calls f at virtual time t, on no node.
func (s *Sim) At(t Time, f func()) { s.Schedule(t, nil, Device, called{s, f}) }

// After calls f when d has passed, on no node. A negative d counts as 0.
func (s *Sim) After(d time.Duration, f func()) { s.At(s.now.Add(max(d, 0)), f) }

// called is a plain function call with its trace record.
type called struct {
	s *Sim
	f func()
}

// Fire records the call and makes it.
func (c called) Fire() {
	c.s.Emit(c.s.syms.call).Done()
	c.f()
}

// front returns the first key that still counts, dropping dead ones and moving
// timers on to a later deadline.
//
//go:norace
func (s *Sim) front() (key, bool) {
	for {
		k, ok := s.queue.peek()
		if !ok {
			return key{}, false
		}
		sl := &s.slab.slots[k.slot()]
		t := sl.timer
		if t == nil {
			if sl.scope != ThisBoot || sl.node == nil || sl.boot == sl.node.boot && sl.node.state != Down {
				return k, true
			}
			s.queue.drop()
			s.slab.release(k.slot())
			continue
		}
		if t.armed && t.due == k {
			return k, true
		}
		s.queue.drop()
		t.unqueue()
		if t.armed && t.held == 0 {
			t.aim()
		}
		t.settle()
	}
}
