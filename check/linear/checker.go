package linear

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// Order proposes an order in which operations took effect, such as the index of
// an operation's entry in the log of a replicated system: place says where, and
// ok whether the operation is in the order at all. Operations that only look
// need no place; operations whose outcome is unknown and that have none count
// as without effect.
type Order func(op *history.Operation) (place int64, ok bool)

// Retries says what a request that a client library sent again may do.
type Retries int

// What a retry may do. The zero value is ExactlyOnce.
const (
	// ExactlyOnce: the system promises that an operation takes effect once,
	// however often it is sent.
	ExactlyOnce Retries = iota
	// AtLeastOnce: the client library sends again without asking the system to
	// tell copies apart. An operation with n attempts may take effect n times,
	// and the system is not blamed for it.
	AtLeastOnce
)

// Checker checks histories for linearizability with a model. The zero values of
// all fields but Model are useful.
type Checker struct {
	Model Model // what the system promises; required
	// Order is tried first; if it explains the history, nothing is searched.
	Order Order
	// Steps is how many steps of the model a search may make, over all keys; many
	// comparisons of what the search remembers count as one. 0 means
	// [DefaultSteps].
	Steps int
	// Memory is about how many bytes the search may remember. 0 means
	// [DefaultMemory]. When they are used up the search forgets, and goes on.
	Memory int
	// Stop, if not nil, is asked now and then; true ends the search. With it
	// the outcome can depend on the machine.
	Stop func() bool
	// Retries says what attempts may do.
	Retries Retries
	// Excuse, if not nil, returns a reason why an operation's result is not held
	// against the system, such as an injected corruption of what it read, or
	// the empty string. It matters only for what cannot be explained otherwise.
	Excuse func(op *history.Operation) (reason string)
	// AllowUnknown lets [Checker.Check] pass when the limits ended the search.
	// Without it that is an error, because nothing was shown.
	AllowUnknown bool
	// Report, if not nil, gets the result of each Check, for what it excuses and
	// for what the order lacks.
	Report func(r *Result)
}

// Check returns nil if a history is linearizable, and otherwise an error of type
// [*Violation].
func (c Checker) Check(ops iter.Seq[*history.Operation]) error {
	r, err := c.Run(ops)
	if err != nil {
		return err
	}
	if c.Report != nil {
		c.Report(r)
	}
	if r.Verdict == OK || r.Verdict == Unknown && c.AllowUnknown {
		return nil
	}
	return &Violation{r}
}

// Check checks a history with a [Checker] that has only the model.
func (m Model) Check(ops iter.Seq[*history.Operation]) error { return Checker{Model: m}.Check(ops) }

// Run checks a history. The error is about the model or its calls, not about
// the history.
func (c Checker) Run(ops iter.Seq[*history.Operation]) (*Result, error) {
	if err := c.Model.check(); err != nil {
		return nil, err
	}
	parts, err := split(&c.Model, ops)
	if err != nil {
		return nil, err
	}
	l := &limits{most: c.Steps, memory: c.Memory, stop: c.Stop}
	if l.most <= 0 {
		l.most = DefaultSteps
	}
	if l.memory <= 0 {
		l.memory = DefaultMemory
	}
	r := &Result{Verdict: OK, Model: c.Model.Name, Keys: len(parts), model: &c.Model}
	var worst *Result // a violation before what is undecided, the first one in the run
	for _, p := range parts {
		r.Operations += len(p.items) + len(p.failed)
		v := c.part(p, l)
		r.Excused = append(r.Excused, v.Excused...)
		if v.Order != "" && r.Order == "" {
			r.Order = v.Order
		}
		if v.worse(worst) {
			worst = v
		}
	}
	r.Steps = l.steps
	if worst != nil {
		worst.Model, worst.Operations, worst.Keys, worst.Steps, worst.model = r.Model, r.Operations, r.Keys, r.Steps, r.model
		return worst, nil
	}
	return r, nil
}

// part judges one key.
func (c Checker) part(p *part, l *limits) *Result {
	r := &Result{Verdict: OK, Key: p.name}
	if c.Order != nil {
		if r.Order = follow(&c.Model, p.items, c.Order, l); r.Order == "" {
			return r
		}
	}
	r.decide(&c.Model, p, p.items, l)
	if r.Verdict != Violated {
		return r
	}
	lenient, excused := c.excuse(p)
	if len(excused) == 0 {
		return r
	}
	again := &Result{Verdict: OK, Key: p.name, Order: r.Order}
	again.decide(&c.Model, p, lenient, l)
	if again.Verdict == OK {
		again.Excused = excused
	}
	return again
}

// excuse returns the operations with what may be excused left open, and what
// that is.
func (c Checker) excuse(p *part) (lenient []item, excused []Excused) {
	for _, it := range p.items {
		if c.Excuse != nil && !it.optional {
			if reason := c.Excuse(it.op); reason != "" {
				excused = append(excused, Excused{it.op, reason})
				it.excuse = reason
				open := *it.op
				open.Status, open.Output = history.Unknown, nil
				_, it.call = c.Model.Call(&open)
				it.optional, it.ret = true, never
			}
		}
		lenient = append(lenient, it)
		if n := len(it.op.Attempts); c.Retries == AtLeastOnce && n > 1 && !c.Model.readOnly(it.call) {
			reason := retried(it.op)
			excused = append(excused, Excused{it.op, reason})
			open := *it.op
			open.Status, open.Output = history.Unknown, nil
			_, call := c.Model.Call(&open)
			for range n - 1 {
				lenient = append(lenient, item{op: it.op, call: call, inv: it.inv, ret: never, optional: true, excuse: reason})
			}
		}
	}
	return lenient, excused
}
