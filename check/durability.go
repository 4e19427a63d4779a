package check

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// Durability checks that what was acknowledged, or served to a reader, is there
// at the end, and that what failed is not.
type Durability struct {
	// Wrote returns the item that an operation writes, such as a value that is
	// written once, and false for others. Required.
	Wrote func(op *history.Operation) (item any, ok bool)
	// Saw returns the items that an operation that is OK was served. Nil means
	// that nothing is read.
	Saw func(op *history.Operation) []any
	// Kept reports whether an item is in the state at the end, or has been
	// replaced there by a later one. Required.
	Kept func(item any) bool
	// Excuse, if not nil, returns a reason why the loss of an item is not held
	// against the system, such as "an injected corruption of the log at 3s" or "the
	// sync of its range failed", or "".
	Excuse func(item any, op *history.Operation) (reason string)
	// Report, if not nil, gets each lost item that is excused, with the reason.
	Report func(item any, reason string)
}

// Check returns nil if nothing is lost.
func (c Durability) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Durability.Wrote", c.Wrote != nil}, need{"Durability.Kept", c.Kept != nil}); err != nil {
		return err
	}
	var p problems
	written, byItem := index(ops, c.Wrote, &p)
	served := map[any]*history.Operation{}
	for op := range ops {
		if op.Status != history.OK || c.Saw == nil {
			continue
		}
		for _, item := range c.Saw(op) {
			k := p.key(item)
			from := byItem[k]
			switch {
			case from == nil:
				p.add("%v was served %s, which nobody wrote", op, history.Text(item))
			case !possible(from):
				p.add("%v was served %s, whose write failed: %v", op, history.Text(item), from)
			case served[k] == nil:
				served[k] = op
			}
		}
	}
	for _, w := range written {
		c.item(&p, w, served[w.key])
	}
	return p.err()
}

// item judges what became of a write.
func (c Durability) item(p *problems, w mapped, reader *history.Operation) {
	kept := c.Kept(w.element)
	text := history.Text(w.element)
	switch {
	case kept && !possible(w.op):
		p.add("%s is there, and its write failed: %v", text, w.op)
	case kept, w.op.Status != history.OK && reader == nil:
		return
	case !possible(w.op): // being served was reported
	default:
		if reason := excused(c.Excuse, w); reason != "" {
			if c.Report != nil {
				c.Report(w.element, reason)
			}
			return
		}
		if w.op.Status == history.OK {
			p.add("%s is lost, and had been acknowledged: %v", text, w.op)
		} else {
			p.add("%s is lost, and had been served to a reader: %v, written by %v", text, reader, w.op)
		}
	}
}
