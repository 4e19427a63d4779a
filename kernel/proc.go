package kernel

import (
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"time"
)

// Proc is a sequential program that looks as if it blocked: a coroutine that
// the simulator resumes. It runs on one stack with everything else, so it
// needs no locks. It must wait only through its own methods: a real channel,
// mutex or sleep stops the whole simulation.
//
// A proc ends when its function returns, when its node crashes or at the end
// of the run. In the last two cases the function does not return: its deferred
// calls run while everything they ask of the simulator is inert.
type Proc struct {
	sim    *Sim
	node   *Node // nil for a proc of the world
	boot   uint32
	name   string
	sym    Sym
	body   func(p *Proc)
	index  int // in its owner's procs
	next   func() (struct{}, bool)
	stop   func()
	yield  func(struct{}) bool
	timer  Timer // sleeps and timeouts
	inbox  inbox
	await  waiting
	on     *Signal // what it waits for, if anything
	done   bool
	doomed bool // its deferred calls are running
}

// waiting says what a parked proc waits for.
type waiting uint8

const (
	waitNothing waiting = iota // it runs
	waitTurn                   // its start, or a signal
	waitSleep
	waitMessage
)

// Go starts f as a proc of this incarnation of the node, as an event of its
// own at the current time. The name is for the trace and need not be unique.
// While the node is down it is inert, and the proc never runs.
func (n *Node) Go(name string, f func(p *Proc)) *Proc {
	p := &Proc{sim: n.sim, node: n, boot: n.boot, name: name, body: f}
	if !n.Alive() {
		n.sim.inert("go", n)
		p.done = true
		return p
	}
	return p.start()
}

// Go starts f as a proc of the world, on no node: its sleeps follow virtual
// time. It runs to the end of the run at most.
func (s *Sim) Go(name string, f func(p *Proc)) *Proc {
	return (&Proc{sim: s, name: name, body: f}).start()
}

func (p *Proc) start() *Proc {
	s := p.sim
	if s.closed {
		p.done = true
		return p
	}
	p.sym = s.Sym(p.name)
	p.await = waitTurn
	p.timer = Timer{sim: s, node: p.node, boot: p.boot, proc: p}
	list := p.siblings()
	p.index = len(*list)
	*list = append(*list, p)
	s.Schedule(s.now, p.node, ThisBoot, (*procTurn)(p))
	return p
}

// siblings returns the list of its owner's procs.
func (p *Proc) siblings() *[]*Proc {
	if p.node != nil {
		return &p.node.procs
	}
	return &p.sim.procs
}

// run is the bottom of the coroutine's stack. A panic is caught here, where
// its stack is still whole; it must not travel to the simulator's stack.
func (p *Proc) run() {
	returned := false
	defer func() {
		p.done = true
		if v := recover(); v != nil {
			p.sim.failPanic(v, debug.Stack(), p.node)
		} else if !returned && !p.doomed {
			p.sim.failExit(debug.Stack(), p.node)
		}
	}()
	p.body(p)
	returned = true
}

// procTurn starts a proc.
type procTurn Proc

// Fire makes the coroutine and runs it.
func (t *procTurn) Fire() {
	p := (*Proc)(t)
	p.next, p.stop = iter.Pull(func(yield func(struct{}) bool) {
		p.yield = yield
		p.run()
	})
	p.turn()
}

// turn resumes the proc with a record of its own.
func (p *Proc) turn() {
	if p.over() {
		return
	}
	p.sim.Emit(p.sim.syms.proc).Sym(p.sim.syms.name, p.sym).Done()
	p.resume()
}

// resume runs the proc until it waits again.
func (p *Proc) resume() {
	if p.over() {
		return
	}
	s := p.sim
	before := s.active // not nil when a proc hands a message to this one
	s.active, p.await = p, waitNothing
	p.next()
	p.parked(before)
}

// parked notes that the proc waits again or has ended, and that the one before
// goes on.
func (p *Proc) parked(before *Proc) {
	p.sim.active = before
	if p.done {
		p.forget()
	}
}

// forget takes an ended proc off its owner's list, unless its node's crash or
// the end of the run has cleared that.
func (p *Proc) forget() {
	list := *p.siblings()
	if p.index >= len(list) || list[p.index] != p {
		return
	}
	last := list[len(list)-1]
	list[p.index], last.index = last, p.index
	list[len(list)-1] = nil
	*p.siblings() = list[:len(list)-1]
}

// park gives control back to the simulator until the proc is resumed. It does
// not return to a proc whose time is over.
func (p *Proc) park(what waiting) {
	p.await = what
	if !p.yield(struct{}{}) {
		p.leave()
	}
	if p.timer.armed {
		p.timer.Stop()
	}
}

// leave ends a proc whose time is over.
func (p *Proc) leave() {
	p.doomed = true
	runtime.Goexit()
}

// over reports whether the proc's calls are inert: its node has crashed or the
// run has ended while its deferred calls run.
func (p *Proc) over() bool {
	return p.doomed || p.done || p.node != nil && (p.boot != p.node.boot || !p.node.Alive())
}

// Name returns the name given to Go.
func (p *Proc) Name() string { return p.name }

// Node returns the node that the proc runs on, or nil.
func (p *Proc) Node() *Node { return p.node }

// Sim returns the simulator.
func (p *Proc) Sim() *Sim { return p.sim }

// Sleep waits until d has passed on the node's monotonic clock. A negative d
// counts as 0: other events of this instant may run.
func (p *Proc) Sleep(d time.Duration) {
	if !p.mayWait() {
		return
	}
	p.timer.Reset(d)
	p.await = waitSleep
	if !p.yield(struct{}{}) { // park, without a return more to mispredict
		p.leave()
	}
}

// mayWait is asked at the top of every call that waits; on false the call
// returns at once. When the proc's node has crashed under it, control goes
// back to the simulator for good.
func (p *Proc) mayWait() bool {
	switch {
	case p.doomed || p.done:
		return false
	case p.sim.active != p:
		p.sim.Misuse(fmt.Errorf("kernel: a wait of proc %q was called from outside that proc; only its own function may wait", p.name))
		return false
	case p.over():
		p.park(waitTurn)
	}
	return true
}

// Deliver puts a message into the proc's inbox, and runs the proc at once, in
// the current event, if it waits for one. While the node is paused the message
// waits with everything else. It is for handlers that hand their messages to a
// proc.
func (p *Proc) Deliver(from string, msg any) {
	if p.over() {
		return
	}
	p.inbox.put(from, msg)
	switch {
	case p.await != waitMessage:
	case p.node != nil && p.node.state == Paused:
		p.sim.Schedule(p.sim.now, p.node, ThisBoot, (*procMail)(p))
	default:
		p.resume()
	}
}

// procMail resumes a proc that got a message while its node was paused.
type procMail Proc

// Fire resumes the proc, unless it has that message already.
func (t *procMail) Fire() {
	if p := (*Proc)(t); p.await == waitMessage && !p.inbox.empty() {
		p.resume()
	}
}

// Recv waits for the next message.
func (p *Proc) Recv() (from string, msg any) {
	from, msg, _ = p.recv()
	return from, msg
}

// RecvTimeout is [Proc.Recv] that gives up when d has passed on the node's
// monotonic clock; ok says whether there was a message.
func (p *Proc) RecvTimeout(d time.Duration) (from string, msg any, ok bool) {
	if p.inbox.empty() && p.mayWait() {
		p.timer.Reset(d)
	}
	return p.recv()
}

// Await waits for a message that accept takes, until d has passed on the node's
// monotonic clock, and reports whether there was one. It is how a client waits
// for the answer to one request: messages that accept does not take, such as
// late answers to earlier requests, are lost.
func (p *Proc) Await(d time.Duration, accept func(from string, msg any) bool) bool {
	until := p.node.Monotonic() + d
	for {
		from, msg, ok := p.RecvTimeout(until - p.node.Monotonic())
		if !ok || accept(from, msg) {
			return ok
		}
	}
}

func (p *Proc) recv() (from string, msg any, ok bool) {
	if !p.mayWait() {
		return "", nil, false
	}
	if p.inbox.empty() {
		p.park(waitMessage)
	}
	return p.inbox.take()
}

// inbox is a queue of messages that reuses its memory.
type inbox struct {
	list []envelope
	head int // of the first message
}

type envelope struct {
	from string
	msg  any
}

func (b *inbox) empty() bool { return b.head == len(b.list) }

func (b *inbox) put(from string, msg any) {
	if b.head > len(b.list)/2 && len(b.list) == cap(b.list) { // close the gap
		n := copy(b.list, b.list[b.head:])
		clear(b.list[n:])
		b.list, b.head = b.list[:n], 0
	}
	b.list = append(b.list, envelope{from, msg})
}

func (b *inbox) take() (from string, msg any, ok bool) {
	if b.empty() {
		return "", nil, false
	}
	e := b.list[b.head]
	b.list[b.head] = envelope{}
	b.head++
	if b.empty() {
		b.list, b.head = b.list[:0], 0
	}
	return e.from, e.msg, true
}
