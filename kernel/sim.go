package kernel

import (
	"fmt"
	"sync/atomic"
	"time"
)

// Config says how a run is made. The zero value is valid: seed 0, the default
// limits, hash only.
type Config struct {
	// Seed decides every choice of the run.
	Seed uint64
	// Level says what is kept of the trace; the zero value is [LevelHash].
	Level Level
	// MaxEvents ends the run with [StopEvents] after that many events. 0 means
	// 100 million.
	MaxEvents uint64
	// MaxTime ends the run with [StopTime] before the first event later than
	// this virtual time. 0 means [MaxTime]; negative values are setup errors.
	MaxTime time.Duration
	// Replay gives the choices that are not the default, see [Choice]. When it
	// is not nil (an empty list is not nil) no other choice of that sort is
	// made.
	Replay []Choice
	// Redraw is a moment from which on the run draws anew; the zero value
	// means that there is none.
	Redraw Redraw
	// Settle, when not nil, is called after the work of every event, before
	// the invariants, and when nothing is left to do. It reports whether it
	// has done anything. It is for programs that run beside the simulator.
	Settle func() bool
	// Stopwatch, when not nil, returns a reading of the real time or CPU time.
	// It is read around checks, for [InvariantStats], and never decides
	// anything.
	Stopwatch func() int64
	// Progress, when not nil, is set to the number of each event before it
	// runs, so that a watchdog on another goroutine sees one that never ends.
	Progress *atomic.Uint64
}

// Stop is why a run ended.
type Stop uint8

// The reasons for the end of a run.
const (
	StopIdle   Stop = iota // nothing was left to do
	StopTime               // the virtual time that was asked for is over
	StopEvents             // the limit on events was reached
	StopFailed             // see Sim.Failure
	StopAsked              // Sim.Stop was called
	StopSetup              // the run did not start, see Sim.Err, or is closed
	StopBusy               // another caller is inside; nothing else in the Result is set
)

// String returns the reason in a word.
func (r Stop) String() string {
	return [...]string{"idle", "time", "events", "failed", "asked", "setup", "busy"}[r]
}

// Sim is one run: a single-threaded discrete-event simulator. Its methods may
// be called from any goroutine, by one caller at a time; the code under test
// runs inside and calls it freely.
type Sim struct {
	cfg     Config
	seed    Stream
	queue   queue
	slab    slab
	now     Time
	event   uint64 // number of the running or last event
	cause   uint64 // event that scheduled it
	node    *Node  // node that it runs on
	order   Seq    // ties of the world's events
	nodes   []*Node
	byName  map[string]*Node
	procs   []*Proc // of the world
	doomed  []*Proc
	onPoint []func(*Node, string)

	trace   tracer
	syms    symbols
	choices []Choice
	replay  map[string]map[occurrence]*replayed

	invariants []*invariant
	judging    int    // place in invariants, from 1, of the one that is checked
	guard      string // name of the check that Guard runs
	failure    *Failure
	setup      []error
	asked      bool
	closed     bool

	entry  atomic.Uint32 // see enter
	active *Proc         // the proc that is running, if any
}

// symbols are the kernel's own words in the trace.
type symbols struct {
	boot, kill, powerLoss, pause, resume, timer, call, proc, enter Sym
	point, fail, inert, clockStep, clockDrift                      Sym
	name, what, kind, check, message, by, ppm                      Sym
}

// New makes a run. Mistakes in cfg are setup errors, see [Sim.Err].
func New(cfg Config) *Sim {
	s := &Sim{cfg: cfg, byName: map[string]*Node{}}
	s.seed = Stream{mix64(cfg.Seed + golden)}
	s.order = Seq{Stream: s.Stream("sched")}
	if cfg.MaxTime < 0 {
		s.Misuse(fmt.Errorf("kernel: Config.MaxTime is %v; it must not be negative", cfg.MaxTime))
	}
	if cfg.Level > LevelOff {
		s.Misuse(fmt.Errorf("kernel: Config.Level is %d; use LevelHash, LevelFull or LevelOff", cfg.Level))
	}
	if cfg.MaxEvents == 0 {
		s.cfg.MaxEvents = 100_000_000
	}
	s.trace.init(s, cfg.Level)
	s.loadReplay(cfg.Replay)
	y := &s.syms
	for _, w := range []struct {
		sym  *Sym
		name string
	}{
		{&y.boot, "node/boot"}, {&y.kill, "node/kill"}, {&y.powerLoss, "node/power-loss"},
		{&y.pause, "node/pause"}, {&y.resume, "node/resume"}, {&y.timer, "timer"}, {&y.call, "call"},
		{&y.proc, "proc"}, {&y.enter, "enter"}, {&y.point, "point"}, {&y.fail, "fail"}, {&y.inert, "inert"},
		{&y.clockStep, "clock/step"}, {&y.clockDrift, "clock/drift"}, {&y.name, "name"}, {&y.what, "what"},
		{&y.kind, "kind"}, {&y.check, "check"}, {&y.message, "message"}, {&y.by, "by"}, {&y.ppm, "ppm"},
	} {
		*w.sym = s.Sym(w.name)
	}
	return s
}

// Seed returns the run's seed.
func (s *Sim) Seed() uint64 { return s.cfg.Seed }

// Level returns what is kept of the trace.
func (s *Sim) Level() Level { return s.cfg.Level }

// Stream returns the run's stream of that name.
func (s *Sim) Stream(name string) Stream { return s.Again(s.seed.Derive(name)) }

// Now returns the virtual time.
func (s *Sim) Now() Time { return s.now }

// Event returns the number of the running event, or of the last one between
// events. Events are numbered from 1; 0 is the setup.
func (s *Sim) Event() uint64 { return s.event }

// Current returns the node that the running event belongs to, or nil.
func (s *Sim) Current() *Node { return s.node }

// Pending returns how many keys are queued, stale ones among them.
func (s *Sim) Pending() int { return s.queue.size }

// Stop ends the run after the current event, with [StopAsked].
func (s *Sim) Stop() { s.asked = true }
