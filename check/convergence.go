package check

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// Convergence checks that all replicas have the same state at the end, as those
// of a replicated data type have once they have heard of everything (Shapiro et
// al.: Conflict-Free Replicated Data Types, SSS 2011).
type Convergence struct {
	// States returns the state of each replica at the end, by name. Required.
	States func() map[string]any
	// Has, if not nil, reports whether a state contains the effect of an
	// operation. Every state must have those of operations that are OK, and of
	// none that failed.
	Has func(state any, op *history.Operation) bool
	// Changes says which operations change the state. Nil means all.
	Changes func(op *history.Operation) bool
}

// Check returns nil if the replicas agree. States are compared by their text.
func (c Convergence) Check(ops iter.Seq[*history.Operation]) error {
	var p problems
	states := c.States()
	names := slices.Sorted(maps.Keys(states))
	if len(names) == 0 {
		return fmt.Errorf("check: Convergence.States returned no replica; there is nothing to compare")
	}
	first := names[0]
	for _, n := range names[1:] {
		if a, b := history.Text(states[first]), history.Text(states[n]); a != b {
			p.add("%s has %s, but %s has %s", first, a, n, b)
		}
	}
	if c.Has == nil {
		return p.err()
	}
	for op := range ops {
		if c.Changes != nil && !c.Changes(op) {
			continue
		}
		for _, n := range names {
			switch has := c.Has(states[n], op); {
			case op.Status == history.OK && !has:
				p.add("%s lacks %v", n, op)
			case op.Status == history.Fail && has:
				p.add("%s has %v, which failed", n, op)
			}
		}
	}
	return p.err()
}
