package check

import (
	"fmt"
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// Queue checks queues, in whatever order, to which each element is put once:
// nothing is taken that was not put, nothing is taken twice, and, if the queue
// was drained, all that was put is taken.
type Queue struct {
	// Put returns the element that an operation puts, and false for others.
	// Required.
	Put func(op *history.Operation) (element any, ok bool)
	// Take returns what an operation that is OK took, none if the queue was
	// empty, and false for operations that do not take. Required.
	Take func(op *history.Operation) (elements []any, ok bool)
	// Drained says that at the end the queue was taken from until it was empty,
	// so that whatever was put for certain must have been taken. An operation
	// that takes and whose outcome is unknown may have taken one element.
	Drained bool
	// AtLeastOnce allows that an element is taken more than once.
	AtLeastOnce bool
	// Resent allows that an element is taken once for each attempt of the
	// operation that put it: the client library sends again, and the queue cannot
	// tell copies apart. Report gets what is taken again.
	Resent bool
	// Excuse, if not nil, returns a reason why a lost element is not held against
	// the system, or "".
	Excuse func(element any, op *history.Operation) (reason string)
	// Report, if not nil, gets each element that is excused, with the reason.
	Report func(element any, reason string)
}

// again excuses that an element is taken for the nth time.
func (c Queue) again(element any, put *history.Operation, n int) bool {
	if !c.Resent || n > len(put.Attempts) {
		return c.AtLeastOnce
	}
	if c.Report != nil {
		c.Report(element, fmt.Sprintf("the client library sent it %d times, and each copy may have been put", len(put.Attempts)))
	}
	return true
}

// Check returns nil if the queue kept its promise.
func (c Queue) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Queue.Put", c.Put != nil}, need{"Queue.Take", c.Take != nil}); err != nil {
		return err
	}
	var p problems
	put, byElement := index(ops, c.Put, &p)
	taken, times := map[any]*history.Operation{}, map[any]int{}
	unsure := 0 // elements that may have been taken without anybody knowing
	for op := range ops {
		elements, ok := c.Take(op)
		if !ok {
			continue
		}
		if op.Status != history.OK {
			if possible(op) {
				unsure++
			}
			continue
		}
		for _, e := range elements {
			k := p.key(e)
			from, first := byElement[k], taken[k]
			times[k]++
			switch {
			case from == nil:
				p.add("%v took %s, which nobody put", op, history.Text(e))
			case !possible(from):
				p.add("%v took %s, which was not put, for certain: %v", op, history.Text(e), from)
			case before(op.Return, from.Invoke):
				p.add("%v took %s, which was put only later: %v", op, history.Text(e), from)
			case first != nil && !c.again(e, from, times[k]):
				p.add("%s was taken twice: by %v and by %v", history.Text(e), first, op)
			}
			if first == nil {
				taken[k] = op
			}
		}
	}
	if c.Drained {
		c.lost(&p, put, taken, unsure)
	}
	return p.err()
}

// lost reports elements that were put and not taken, unless takes whose outcome
// is unknown can explain all of them.
func (c Queue) lost(p *problems, put []mapped, taken map[any]*history.Operation, unsure int) {
	var lost []mapped
	for _, a := range put {
		if a.op.Status != history.OK || taken[a.key] != nil {
			continue
		}
		if reason := excused(c.Excuse, a); reason != "" {
			if c.Report != nil {
				c.Report(a.element, reason)
			}
			continue
		}
		lost = append(lost, a)
	}
	if len(lost) <= unsure {
		for _, a := range lost {
			if c.Report != nil {
				c.Report(a.element, "an operation whose outcome is unknown may have taken it")
			}
		}
		return
	}
	for _, a := range lost {
		p.add("%s was put and never taken: %v (%d takes with an unknown outcome cannot explain %d such elements)",
			history.Text(a.element), a.op, unsure, len(lost))
	}
}
