package isolation

import (
	"fmt"
	"iter"
	"maps"
	"strings"

	"github.com/hmdsefi/faultline/history"
)

// Checker checks histories of transactions for what an isolation level forbids.
type Checker struct {
	// Level is what the store promises; required for Check.
	Level Level
	// Versions, if not nil, returns the values that the store installed for a
	// key that is written (not appended to), from the first one on; nil for a key
	// of which it does not know. A simulation can know them, for example from the
	// log. A value that was written and is not there counts as later than all that
	// are, so that a write that the store lost is found. Without Versions, only
	// what transactions read tells which version came first.
	Versions func(key string) []any
	// Excuse, if not nil, returns a reason why what a transaction read is not
	// held against the store, such as an injected corruption, or the empty
	// string. It matters only if the level does not hold otherwise.
	Excuse func(op *history.Operation) (reason string)
	// Resent says that the client library sends transactions again without
	// asking the store to tell copies apart: a value that was appended by one
	// with several attempts may be in a list more than once.
	Resent bool
	// Report, if not nil, gets the result of each Check, for what it excuses and
	// for the levels that hold.
	Report func(r *Result)
}

// Excused is a transaction that is not held against the store.
type Excused struct {
	Op     *history.Operation // it
	Reason string             // why, in words
}

// Result says what a history shows.
type Result struct {
	Transactions int     // that have accesses, whatever their outcome
	Found        []Found // anomalies, worse ones first
	// Incomplete says that there are so many cycles that not all sorts could be
	// looked for: levels that seem to hold may not.
	Incomplete bool
	// Excused are transactions that were left out of account, because the level
	// does not hold otherwise.
	Excused []Excused
}

// Check returns nil if a history shows no anomaly that the level forbids, and
// otherwise an error of type [*Violation], or one about the workload.
func (c Checker) Check(ops iter.Seq[*history.Operation]) error {
	if !c.Level.known() {
		return fmt.Errorf("isolation: Checker.Level is %q; use one of %q", c.Level, Levels())
	}
	r, err := c.Run(ops)
	if err != nil {
		return err
	}
	if c.Report != nil {
		c.Report(r)
	}
	if r.Holds(c.Level) {
		if r.Incomplete {
			return fmt.Errorf("isolation: undecided: so many transactions are in cycles that not every one was looked at; use fewer, or more keys")
		}
		return nil
	}
	return &Violation{Level: c.Level, Result: r}
}

// Run looks for all anomalies. The error is about the workload: nothing can be
// said of values that are written twice.
func (c Checker) Run(ops iter.Seq[*history.Operation]) (*Result, error) {
	strict := c
	strict.Excuse, strict.Resent = nil, false
	r, err := strict.run(ops)
	if err != nil || c.Excuse == nil && !c.Resent || r.Holds(c.Level) {
		return r, err
	}
	lenient, err := c.run(ops)
	if err != nil || !lenient.Holds(c.Level) {
		return r, err
	}
	return lenient, nil
}

func (c Checker) run(ops iter.Seq[*history.Operation]) (*Result, error) {
	presumed := map[int32]bool{}
	var p *parsed
	for more := true; more; {
		var err error
		if p, err = parse(ops, c, presumed); err != nil {
			return nil, err
		}
		if err := p.orderVersions(c.Versions); err != nil {
			return nil, err
		}
		more = len(p.presume) > 0
		maps.Copy(presumed, p.presume)
	}
	a := p.analyse()
	return &Result{Transactions: len(p.txns), Found: a.list(), Incomplete: a.spent, Excused: p.excused}, nil
}

// Holds reports whether nothing was found that a level forbids.
func (r *Result) Holds(l Level) bool { return len(r.against(l)) == 0 }

// Satisfied returns the levels that nothing was found against, weaker ones
// first.
func (r *Result) Satisfied() []Level {
	var out []Level
	for _, l := range Levels() {
		if r.Holds(l) {
			out = append(out, l)
		}
	}
	return out
}

func (r *Result) against(l Level) []Found {
	var out []Found
	for _, f := range r.Found {
		if l.Forbids(f.Kind) {
			out = append(out, f)
		}
	}
	return out
}

// Violation is the error for a history that shows what its level forbids.
type Violation struct {
	Level   Level // what was promised
	*Result       // what was found
}

// Error tells the anomalies that the level forbids, and the levels that are
// left.
func (v *Violation) Error() string {
	var b strings.Builder
	against := v.against(v.Level)
	fmt.Fprintf(&b, "not %s: %s", v.Level, &against[0])
	for i := range against[1:] {
		fmt.Fprintf(&b, "\nand %s", &against[i+1])
	}
	if left := v.Satisfied(); len(left) > 0 {
		names := make([]string, len(left))
		for i, l := range left {
			names[i] = string(l)
		}
		fmt.Fprintf(&b, "\nnothing was found against: %s", strings.Join(names, ", "))
	}
	return b.String()
}
