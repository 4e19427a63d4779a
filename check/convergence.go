package check

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hmdsefi/faultline/check/internal/value"
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

// Check returns nil if the replicas agree. States are compared as
// [reflect.DeepEqual] does, with what they point to and their unexported fields:
// let States return only what the replicas promise to agree on.
func (c Convergence) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Convergence.States", c.States != nil}); err != nil {
		return err
	}
	var p problems
	states := c.States()
	names := slices.Sorted(maps.Keys(states))
	if len(names) == 0 {
		return fmt.Errorf("check: Convergence.States returned no replica; there is nothing to compare")
	}
	first := names[0]
	for _, n := range names[1:] {
		if d := value.Differ(states[first], states[n]); d != nil {
			p.add("%s", differing(first, n, states, d))
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

// differing says that two replicas differ, and where, if that is not plain.
func differing(a, b string, states map[string]any, d *value.Difference) string {
	x, y := history.Text(states[a]), history.Text(states[b])
	text := fmt.Sprintf("%s has %s, but %s has %s", a, x, b, y)
	switch {
	case d.At != "":
		return fmt.Sprintf("%s; at %s it is %s, and %s", text, d.At, d.A, d.B)
	case x == y:
		return fmt.Sprintf("%s; the one is %s, the other one %s", text, d.A, d.B)
	}
	return text
}
