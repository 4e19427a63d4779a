package check

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// UniqueIDs checks that no identifier is given out twice.
type UniqueIDs struct {
	// ID returns what an operation that is OK got, and false for operations that
	// get none. Required.
	ID func(op *history.Operation) (id any, ok bool)
}

// Check returns nil if all identifiers differ.
func (c UniqueIDs) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"UniqueIDs.ID", c.ID != nil}); err != nil {
		return err
	}
	var p problems
	first := map[any]*history.Operation{}
	for op := range ops {
		if op.Status != history.OK {
			continue
		}
		id, ok := c.ID(op)
		if !ok {
			continue
		}
		k := p.key(id)
		if other := first[k]; other != nil {
			p.add("%s was given out twice: by %v and by %v", history.Text(id), other, op)
			continue
		}
		first[k] = op
	}
	return p.err()
}
