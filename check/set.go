package check

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// Set checks sets to which elements are added, each once, and that are read as a
// whole: every read has all elements whose additions had ended well before it
// began, and none that nobody added by then.
type Set struct {
	// Add returns the element that an operation adds, and false for others.
	// Required.
	Add func(op *history.Operation) (element any, ok bool)
	// Read returns what an operation that is OK read, and false for others.
	// Required.
	Read func(op *history.Operation) (elements []any, ok bool)
	// Excuse, if not nil, returns a reason why a missing element is not held
	// against the system, such as a failed sync of its range, or "".
	Excuse func(element any, op *history.Operation) (reason string)
	// Report, if not nil, gets each element that is excused, with the reason.
	Report func(element any, reason string)
	// LastOnly judges only the last read, for sets that may lag behind.
	LastOnly bool
}

// Check returns nil if every read is right.
func (c Set) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Set.Add", c.Add != nil}, need{"Set.Read", c.Read != nil}); err != nil {
		return err
	}
	var p problems
	added, byElement := index(ops, c.Add, &p)
	var reads []*history.Operation
	for op := range ops {
		if op.Status != history.OK {
			continue
		}
		if _, ok := c.Read(op); ok {
			reads = append(reads, op)
		}
	}
	if c.LastOnly && len(reads) > 1 {
		reads = reads[len(reads)-1:]
	}
	lost := map[any]bool{} // reported already
	for _, op := range reads {
		elements, _ := c.Read(op)
		c.read(&p, op, elements, added, byElement, lost)
	}
	return p.err()
}

func (c Set) read(p *problems, op *history.Operation, elements []any, added []mapped, byElement map[any]*history.Operation, lost map[any]bool) {
	has := map[any]bool{}
	for _, e := range elements {
		k := p.key(e)
		from := byElement[k]
		switch {
		case has[k]:
			p.add("%v has %s twice", op, history.Text(e))
		case from == nil:
			p.add("%v has %s, which nobody added", op, history.Text(e))
		case !possible(from):
			p.add("%v has %s, whose addition failed: %v", op, history.Text(e), from)
		case before(op.Return, from.Invoke):
			p.add("%v has %s, which was added only later: %v", op, history.Text(e), from)
		}
		has[k] = true
	}
	for _, a := range added {
		if !over(a.op, op) || has[a.key] || lost[a.key] {
			continue
		}
		lost[a.key] = true
		if reason := excused(c.Excuse, a); reason != "" {
			if c.Report != nil {
				c.Report(a.element, reason)
			}
			continue
		}
		p.add("%v lacks %s, which had been added: %v", op, history.Text(a.element), a.op)
	}
}

func excused(excuse func(element any, op *history.Operation) string, a mapped) string {
	if excuse == nil {
		return ""
	}
	return excuse(a.element, a.op)
}
