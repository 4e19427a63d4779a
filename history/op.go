package history

import "fmt"

// Op is an operation that is being recorded. End it once, with [Op.OK],
// [Op.Fail] or [Op.Unknown]; one that is never ended stays pending.
type Op struct {
	h   *History
	rec Operation
}

// Record returns the operation as it is now. It must not be changed, and
// changes when the operation ends.
func (o *Op) Record() *Operation { return &o.rec }

// OK ends the operation: it took effect, and the client saw output.
func (o *Op) OK(output any) {
	if o.end(OK, "") {
		o.rec.Output = output
	}
}

// Fail ends the operation: it certainly took no effect.
func (o *Op) Fail(reason string) { o.end(Fail, reason) }

// Unknown ends the operation: the client stops waiting and does not know
// whether it took effect, or will.
func (o *Op) Unknown(reason string) { o.end(Unknown, reason) }

func (o *Op) end(s Status, reason string) bool {
	if o.rec.Done() {
		o.h.wrong("%s ends as %s but has ended as %s; end an operation once", o.name(), s, o.rec.Status)
		return false
	}
	o.rec.Status, o.rec.Reason, o.rec.Return = s, reason, o.h.now()
	if n := len(o.rec.Attempts); n > 0 && o.rec.Attempts[n-1].Outcome == "" {
		o.rec.Attempts[n-1].Outcome, o.rec.Attempts[n-1].End = string(s), o.rec.Return
	}
	return true
}

// Read adds a key that the operation saw with a value, nil for no value.
func (o *Op) Read(key string, value any) { o.access(AccessRead, key, value) }

// Write adds a key that the operation set to a value.
func (o *Op) Write(key string, value any) { o.access(AccessWrite, key, value) }

// Append adds a key to whose list the operation appended a value.
func (o *Op) Append(key string, value any) { o.access(AccessAppend, key, value) }

func (o *Op) access(t AccessType, key string, value any) {
	if o.rec.Done() {
		o.h.wrong("%s has ended as %s and cannot %s key %q any more; add its accesses before it ends",
			o.name(), o.rec.Status, t, key)
		return
	}
	o.rec.Txn = append(o.rec.Txn, Access{t, key, value})
}

// Attempt starts a try of the operation at a target, such as a request to a
// server. End it with [Try.End]; the last one ends with the operation, and
// takes its status as outcome, if it has none by then.
func (o *Op) Attempt(target string) Try {
	if o.rec.Done() {
		o.h.wrong("%s has ended as %s and cannot attempt %q any more; do not retry what is over",
			o.name(), o.rec.Status, target)
		return Try{}
	}
	o.rec.Attempts = append(o.rec.Attempts, Attempt{Target: target, Start: o.h.now()})
	return Try{o, len(o.rec.Attempts) - 1}
}

// Try is an attempt that is being recorded. The zero value does nothing.
type Try struct {
	op *Op
	i  int
}

// End ends the attempt with an outcome in a word, such as "timeout". It may
// come after the end of the operation: an answer to an early try can be late.
// An empty outcome counts as "done".
func (t Try) End(outcome string) {
	if t.op == nil {
		return
	}
	if outcome == "" {
		outcome = "done"
	}
	a := &t.op.rec.Attempts[t.i]
	if a.Outcome != "" {
		t.op.h.wrong("attempt %d of %s ends as %q but has ended as %q; end an attempt once",
			t.i, t.op.name(), outcome, a.Outcome)
		return
	}
	a.Outcome, a.End = outcome, t.op.h.now()
}

// name names the operation in messages.
func (o *Op) name() string {
	return fmt.Sprintf("operation %d (%s %s)", o.rec.ID, o.rec.Process, o.rec.Function)
}
