package faultline

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Kinds of failure beside those of the kernel.
const (
	KindFinal       = "final"       // a check after the run did not hold
	KindLiveness    = "liveness"    // something did not happen in time
	KindUser        = "user"        // World.Fail was called
	KindError       = "error"       // t.Error or t.Fail was called in the code under test
	KindDeterminism = "determinism" // two runs of one seed differed
	KindTimeout     = "timeout"     // an event did not end in real time
	KindLimit       = "limit"       // the run needed too many events
	KindCoverage    = "coverage"    // a property was never true in the sweep
	KindAlways      = "always"      // what World.Always demands did not hold
	KindUnreachable = "unreachable" // what World.Unreachable forbids was reached
)

// checkSetup is the name under which a failure of the setup is reported.
const checkSetup = "setup"

type final struct {
	name  string
	check func() error
}

// name reserves the name of a check that a call of the World adds; given says
// whether it has the function that it needs.
func (w *World) name(call, name string, given bool) bool {
	w.before(call)
	err := kernel.CheckName(name)
	switch {
	case name == "":
		w.sim.Misuse(fmt.Errorf("faultline: a check has an empty name; give each check one"))
	case err != nil:
		w.sim.Misuse(fmt.Errorf("faultline: a check cannot be called %q: %w", name, err))
	case !given:
		w.sim.Misuse(fmt.Errorf("faultline: %s(%q) is given no function", call, name))
	case w.names[name]:
		w.sim.Misuse(fmt.Errorf("faultline: two checks are called %q; names must be unique", name))
	default:
		w.names[name] = true
		return true
	}
	return false
}

// Invariant adds a check that must hold after every event. n is the node that
// the event ran on; it is nil for events of the world, such as a fault. Look
// only at what the event can have changed: the check runs often. With nodes
// given, it runs only after events on those.
func (w *World) Invariant(name string, check func(n *Node) error, nodes ...*Node) {
	if !w.name("Invariant", name, check != nil) {
		return
	}
	kernelNodes := make([]*kernel.Node, len(nodes))
	for i, n := range nodes {
		if !w.made("Invariant", name, n) {
			return
		}
		kernelNodes[i] = n.Node
	}
	w.sim.Invariant(name, func(k *kernel.Node) error { return check(w.node(k)) }, kernelNodes...)
}

// node finds the Node of a kernel node: nil for the world, and for a node that
// was added behind the World's back.
func (w *World) node(k *kernel.Node) *Node {
	if k == nil {
		return nil
	}
	return w.nodes[k]
}

// Final adds a check of the state at the end of a run that has not failed
// before.
func (w *World) Final(name string, check func() error) {
	if w.name("Final", name, check != nil) {
		w.finals = append(w.finals, final{name, check})
	}
}

// runFinals runs the checks after the run; the first that does not hold fails
// it.
func (w *World) runFinals() {
	for _, f := range w.finals {
		if w.sim.Failure() != nil {
			return
		}
		w.phase.Store(&f.name)
		text := ""
		err := w.sim.Guard(f.name, func() error {
			err := f.check()
			if err != nil {
				text = err.Error() // the user's code too
			}
			return err
		})
		if err != nil && w.sim.Failure() == nil {
			w.verdict = err
			w.sim.Fail(kernel.Failure{Kind: KindFinal, Check: f.name, Message: text})
		}
	}
}

// eventually is something that must happen in the quiet phase.
type eventually struct {
	name   string
	within time.Duration
	check  func() error
	last   error
	done   bool
}

// Eventually demands that check holds (returns nil) at least once within that
// virtual time from the beginning of the quiet phase, when every fault is over.
// It is asked after each event from then on, until it holds; its last error is
// in the failure's message, so it should say what has not happened and what
// the cluster is doing instead. It is not asked in the replay of a schedule in
// which operations are left out.
func (w *World) Eventually(name string, within time.Duration, check func() error) {
	if !w.name("Eventually", name, check != nil) {
		return
	}
	switch {
	case within <= 0:
		w.sim.Misuse(fmt.Errorf("faultline: Eventually %q within %v: the time must be positive", name, within))
	case w.quiet == 0:
		w.sim.Misuse(fmt.Errorf("faultline: Eventually %q needs a quiet phase, and Options.QuietFor says that there is none", name))
	case w.load == loadClosed: // the load that it needs may be left out
	case w.quiet+within > w.opt.Duration:
		w.sim.Misuse(fmt.Errorf("faultline: Eventually %q within %v ends after the run: the quiet phase lasts %v; make Options.Duration or QuietFor longer", name, within, w.opt.Duration-w.quiet))
	default:
		w.eventually = append(w.eventually, &eventually{name: name, within: within, check: check})
	}
}

func (w *World) armEventually() {
	for _, e := range w.eventually {
		w.sim.Invariant(e.name, func(*kernel.Node) error {
			if !e.done && w.sim.Now() >= kernel.Time(w.quiet) {
				e.last = e.check()
				e.done = e.last == nil
			}
			return nil
		})
		w.sim.At(kernel.Time(w.quiet+e.within), func() {
			if !e.done {
				w.sim.Fail(kernel.Failure{Kind: KindLiveness, Check: e.name,
					Message: fmt.Sprintf("did not happen within %v after the faults were over: %v", e.within, e.last)})
			}
		})
	}
}
