package check

import (
	"cmp"
	"iter"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// Counter checks that every value that is read from a counter lies between what
// had been added for certain before the read began, and what can have been added
// before it ended. It is weaker than linearizability, which relates reads to each
// other, and never takes longer than n log n.
type Counter struct {
	// Add returns what an operation adds, and false for others. Required.
	Add func(op *history.Operation) (delta int64, ok bool)
	// Read returns what an operation that is OK read, and false for others.
	// Required.
	Read func(op *history.Operation) (value int64, ok bool)
	// Initial is the value at the start.
	Initial int64
	// Resent allows each attempt of an operation to have added once.
	Resent bool
}

// change is a change of a bound at a point of the run.
type change struct {
	at    history.Point
	read  *history.Operation // that needs the bounds, or nil
	low   int64              // to the lower bound
	high  int64              // to the upper bound
	order int                // among changes at one point
}

// Check returns nil if every read is within its bounds.
func (c Counter) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Counter.Add", c.Add != nil}, need{"Counter.Read", c.Read != nil}); err != nil {
		return err
	}
	var all []change
	for op := range ops {
		if delta, ok := c.Add(op); ok && possible(op) {
			all = append(all, c.added(op, delta)...)
		}
		if op.Status != history.OK {
			continue
		}
		if _, ok := c.Read(op); ok {
			all = append(all, change{at: op.Invoke, read: op, order: 0}, change{at: op.Return, read: op, order: 3})
		}
	}
	slices.SortStableFunc(all, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at.Event, b.at.Event), cmp.Compare(a.at.Time, b.at.Time), cmp.Compare(a.order, b.order))
	})
	// A read may see the counter at any moment between its ends: the lower bound
	// is the least that it was then, the upper bound the most.
	var p problems
	low, high := c.Initial, c.Initial
	type window struct{ low, high int64 }
	running := map[*history.Operation]*window{}
	for _, x := range all {
		if x.read == nil {
			low, high = low+x.low, high+x.high
			for _, w := range running {
				w.low, w.high = min(w.low, low), max(w.high, high)
			}
			continue
		}
		if x.order == 0 {
			running[x.read] = &window{low, high}
			continue
		}
		w := running[x.read]
		delete(running, x.read)
		if v, _ := c.Read(x.read); v < w.low || v > w.high {
			p.add("%v saw %d, but the counter was between %d and %d", x.read, v, w.low, w.high)
		}
	}
	return p.err()
}

// added returns how an addition changes the bounds: it may have effect from its
// call on, and has it from its return on.
func (c Counter) added(op *history.Operation, delta int64) []change {
	times := int64(1)
	if c.Resent {
		times = max(1, int64(len(op.Attempts)))
	}
	can, must := change{at: op.Invoke, order: 1}, change{at: op.Return, order: 2}
	if delta > 0 {
		can.high, must.low = times*delta, delta
	} else {
		can.low, must.high = times*delta, delta
	}
	if op.Status != history.OK {
		return []change{can}
	}
	return []change{can, must}
}
