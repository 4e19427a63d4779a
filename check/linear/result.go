package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/history"
)

// Verdict is what a check came to.
type Verdict string

// The verdicts.
const (
	OK       Verdict = "ok"       // linearizable
	Violated Verdict = "violated" // not linearizable
	Unknown  Verdict = "unknown"  // the limits ended the search
)

// Excused is an operation whose result is not held against the system.
type Excused struct {
	Op     *history.Operation // it
	Reason string             // why, in words
}

// Result says what a check came to.
type Result struct {
	Verdict    Verdict   // what it came to
	Model      string    // name of the model
	Operations int       // that were judged, also those known to have failed
	Keys       int       // that were judged, each alone
	Steps      int       // of the model
	Excused    []Excused // what the verdict leaves out of account; ok only

	// Order says why [Checker.Order] does not explain the history; empty if it
	// does, or there is none.
	Order string

	// The rest is for verdicts that are not ok.

	Key    string             // whose operations it is about
	Op     *history.Operation // the operation that cannot be placed, or could not up to then
	Prefix int                // how many operations of the key have returned before that
	Why    string             // what is wrong with it

	model *Model
	items []item // of the key
	until int32  // the return of Op
}

// worse reports whether the result for one key is to be told rather than that
// for another one, which may be nil.
func (r *Result) worse(than *Result) bool {
	switch {
	case r.Verdict == OK:
		return false
	case than == nil || r.Verdict == than.Verdict:
		return than == nil || r.until < than.until
	}
	return r.Verdict == Violated
}

// decide judges operations of one key.
func (r *Result) decide(m *Model, p *part, items []item, l *limits) {
	if m.values {
		if z, ok := newZones(items); ok {
			l.steps += len(items)
			if at, why := z.first(); at >= 0 {
				r.stuck(Violated, p, items, at)
				r.Why = why + r.failedValue(p)
			}
			return
		}
	}
	s := newSearcher(m, items, l)
	switch s.run() {
	case impossible:
		r.stuck(Violated, p, items, s.frontier)
		r.Why = s.why() + r.failedValue(p)
	case gaveUp:
		r.stuck(Unknown, p, items, s.frontier)
		r.Why = s.why()
	}
}

// stuck notes how far a check came.
func (r *Result) stuck(v Verdict, p *part, items []item, until int32) {
	r.Verdict, r.items, r.until = v, items, until
	for _, it := range items {
		if it.optional {
			continue
		}
		if it.ret == until {
			r.Op = it.op
		}
		if it.ret < until {
			r.Prefix++
		}
	}
}

// why says in which states an operation was tried.
func (s *searcher) why() string {
	var states []string
	for _, state := range s.tried {
		if text := s.m.describe(state); !slices.Contains(states, text) {
			states = append(states, text)
		}
	}
	slices.Sort(states)
	const most = 5
	more := ""
	if len(s.tried) == maxTried {
		more = ", …"
	}
	if len(states) > most {
		states, more = states[:most], ", …"
	}
	return "by then the state can have been " + strings.Join(states, ", ") + more
}

// failedValue mentions a write of what was seen that is known to have failed.
func (r *Result) failedValue(p *part) string {
	if r.Op == nil {
		return ""
	}
	for _, op := range p.failed {
		if op.Output == nil && r.Op.Output != nil && mentions(op, r.Op.Output) {
			return fmt.Sprintf("; %v, which took no effect, has that value", op)
		}
	}
	return ""
}

// mentions reports whether the input of an operation has a value in it.
func mentions(op *history.Operation, value any) bool {
	text := history.Text(value)
	return text != "" && strings.Contains(history.Text(op.Input), text)
}

func retried(op *history.Operation) string {
	targets := make([]string, len(op.Attempts))
	for i, a := range op.Attempts {
		targets[i] = a.Target
	}
	return fmt.Sprintf("the client library sent it %d times (to %s), and each copy may have taken effect", len(targets), strings.Join(targets, ", "))
}

// String says what the check came to, in a few lines.
func (r *Result) String() string {
	var b strings.Builder
	switch r.Verdict {
	case OK:
		fmt.Fprintf(&b, "%s on %s %s linearizable (%s)", plural(r.Operations, "operation"), plural(r.Keys, "key"), isOrAre(r.Operations), r.Model)
		for _, e := range r.Excused {
			fmt.Fprintf(&b, "\nexcused: %v: %s", e.Op, e.Reason)
		}
	case Violated:
		fmt.Fprintf(&b, "%snot linearizable: %v\n%s", r.key(), r.Op, r.Why)
		b.WriteString("\n" + r.before())
		if r.Prefix > 0 {
			b.WriteString("; with this one, " + orders(r.Prefix))
		}
	case Unknown:
		fmt.Fprintf(&b, "%sundecided after %s: %v\nis the first operation that no order was found for; %s", r.key(), plural(r.Steps, "step"), r.Op, r.Why)
		fmt.Fprintf(&b, "\n%s; give Checker.Order, raise Checker.Steps, or use fewer concurrent operations", r.before())
	}
	if r.Order != "" {
		fmt.Fprintf(&b, "\nthe given order does not explain it: %s", r.Order)
	}
	return b.String()
}

func (r *Result) key() string {
	if r.Key == "" {
		return ""
	}
	return "key " + r.Key + ": "
}

// Violation is the error for a history that is not linearizable, or of which
// that is not known.
type Violation struct{ *Result }

// Error returns what [Result.String] does.
func (v *Violation) Error() string { return v.String() }

// before says what is known of the operations before the one that does not fit.
func (r *Result) before() string {
	switch r.Prefix {
	case 0:
		return "no operation had returned before it"
	case 1:
		return "the operation that had returned before is right by itself"
	}
	return fmt.Sprintf("the %d operations that had returned before can be put in an order", r.Prefix)
}

// orders says that no order of n operations and one more fits.
func orders(n int) string {
	if n == 1 {
		return "no order fits"
	}
	return "none fits"
}

// plural is like "1 key" or "3 keys".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
