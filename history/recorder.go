package history

import (
	"fmt"
	"iter"
	"strings"
	"time"
)

// Clock tells the recorder where in the run it is: the time since its start
// and the number of the event. Neither may go back.
type Clock func() (time.Duration, uint64)

// History records the operations of one run. Make it with [New].
type History struct {
	clock      Clock
	ops        []*Op
	sequential bool
	open       map[string]*Op // of each process, when sequential
	onMisuse   func(error)
	misuse     []error
	misused    int
}

// maxMisuse is how many misuses are kept with their text.
const maxMisuse = 20

// New makes an empty history that takes its times from clock.
func New(clock Clock) *History { return &History{clock: clock} }

// RequireSequential makes it a misuse for a process to invoke an operation
// while another one of its own is pending. Checkers of session guarantees
// need that; call it before the first operation.
func (h *History) RequireSequential() { h.sequential, h.open = true, map[string]*Op{} }

// OnMisuse calls f at each wrong use of the recorder, beside keeping it for
// [History.Err].
func (h *History) OnMisuse(f func(error)) { h.onMisuse = f }

// Err returns what was done wrong with the recorder, or nil.
func (h *History) Err() error {
	if h.misused == 0 {
		return nil
	}
	lines := make([]string, 0, len(h.misuse)+1)
	for _, err := range h.misuse {
		lines = append(lines, err.Error())
	}
	if more := h.misused - len(h.misuse); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return fmt.Errorf("%s", strings.Join(lines, "\n"))
}

func (h *History) wrong(format string, args ...any) {
	err := fmt.Errorf("history: "+format, args...)
	h.misused++
	if len(h.misuse) < maxMisuse {
		h.misuse = append(h.misuse, err)
	}
	if h.onMisuse != nil {
		h.onMisuse(err)
	}
}

func (h *History) now() Point {
	t, event := h.clock()
	return Point{t, event}
}

// Invoke starts an operation of a process, which is pending from now on.
func (h *History) Invoke(process, function string, input any) *Op {
	op := &Op{h: h, rec: Operation{
		ID: len(h.ops), Process: process, Function: function, Input: input,
		Status: Pending, Invoke: h.now(),
	}}
	h.ops = append(h.ops, op)
	if h.sequential {
		if before := h.open[process]; before != nil && !before.rec.Done() {
			h.wrong("%s invokes %s while its %s is pending; end that one first, or give each thread a process name of its own",
				op.name(), function, before.name())
		}
		h.open[process] = op
	}
	return op
}

// All returns the operations in the order of invocation. They must not be
// changed, and change when they end.
func (h *History) All() iter.Seq[*Operation] {
	return func(yield func(*Operation) bool) {
		for _, op := range h.ops {
			if !yield(&op.rec) {
				return
			}
		}
	}
}

// Len returns the number of operations.
func (h *History) Len() int { return len(h.ops) }

// Operations returns a copy of the operations in the order of invocation.
func (h *History) Operations() []Operation {
	out := make([]Operation, len(h.ops))
	for i, op := range h.ops {
		out[i] = op.rec
	}
	return out
}

// Pending returns a copy of the operations that have not ended, in the order
// of invocation.
func (h *History) Pending() []Operation {
	var out []Operation
	for _, op := range h.ops {
		if !op.rec.Done() {
			out = append(out, op.rec)
		}
	}
	return out
}

// Counts counts the operations so far.
func (h *History) Counts() Counts { return Count(h.All()) }
