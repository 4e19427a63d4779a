package kernel

import (
	"fmt"
	"strings"
)

// Kinds of failure. Users of the kernel may add their own.
const (
	KindInvariant = "invariant" // an invariant did not hold after an event
	KindPanic     = "panic"     // the code under test, or a check, panicked
	KindFatal     = "fatal"     // t.FailNow, t.Fatal or runtime.Goexit was called
	KindMisuse    = "misuse"    // the simulator was used wrongly during the run
)

// Failure is why a run failed.
type Failure struct {
	Kind    string // see the Kind constants
	Check   string // name of the check that failed, or a word for the kind
	Message string // what was seen and what was expected
	Time    Time   // virtual time
	Event   uint64 // number of the event
	Node    string // node that the event ran on, may be empty
	Stack   string // stack of the code that panicked, may be empty
}

// Error returns the failure in one line.
func (f *Failure) Error() string {
	return fmt.Sprintf("%s %q failed at %v, event %d: %s", f.Kind, f.Check, f.Time, f.Event, f.Message)
}

// Fail ends the run with f after the current event; time, event and node are
// filled in. Only the first failure of a run counts.
func (s *Sim) Fail(f Failure) {
	if s.failure != nil {
		return
	}
	f.Time, f.Event = s.now, s.event
	if f.Node == "" && s.node != nil {
		f.Node = s.node.name
	}
	s.failure = &f
	s.Emit(s.syms.fail).Str(s.syms.kind, f.Kind).Str(s.syms.check, f.Check).Str(s.syms.message, f.Message).Done()
}

// Failure returns why the run failed, or nil.
func (s *Sim) Failure() *Failure { return s.failure }

// failPanic makes a panic of the user's code the run's failure. The record
// that was being written, if any, is thrown away.
func (s *Sim) failPanic(v any, stack []byte, n *Node) {
	s.failStack(KindPanic, fmt.Sprint(v), stack, n)
}

// failExit does the same for code that left by runtime.Goexit.
func (s *Sim) failExit(stack []byte, n *Node) {
	s.failStack(KindFatal, "the code under test called t.FailNow, t.Fatal or runtime.Goexit", stack, n)
}

func (s *Sim) failStack(kind, message string, stack []byte, n *Node) {
	s.trace.abandon()
	f := Failure{Kind: kind, Check: kind, Message: message, Stack: string(stack)}
	if name := s.checking(); name != "" {
		f.Check = name
	}
	if n != nil {
		f.Node = n.name
	}
	s.Fail(f)
}

// Misuse reports a mistake of the caller. Before the run it is a setup error,
// which [Sim.Run] refuses to start with; during the run it fails the run.
func (s *Sim) Misuse(err error) {
	if s.event == 0 && s.failure == nil {
		s.setup = append(s.setup, err)
		return
	}
	s.Fail(Failure{Kind: KindMisuse, Check: KindMisuse, Message: err.Error()})
}

// Err returns the setup errors so far as one error, or nil.
func (s *Sim) Err() error {
	switch len(s.setup) {
	case 0:
		return nil
	case 1:
		return s.setup[0]
	}
	lines := make([]string, len(s.setup))
	for i, err := range s.setup {
		lines[i] = err.Error()
	}
	return fmt.Errorf("%d setup errors:\n\t%s", len(lines), strings.Join(lines, "\n\t"))
}
