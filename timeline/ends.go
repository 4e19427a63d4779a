package timeline

import (
	"cmp"
	"math"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxAbout   = 4 // operations that a slice is about
	maxCrashes = 5 // nodes whose first crash after them is looked at
)

// ends returns the events whose causes are wanted, the failing one first, and
// sets About and Odd. What a late failure or an invariant speaks of has often
// happened long before: the operations that it names, and the crashes after
// them, are wanted too. So are messages that arrived oddly.
func (c *Causes) ends(a *artifact.Artifact) ([]uint64, error) {
	f := a.Report.Failure
	if f == nil {
		return []uint64{math.MaxUint64}, nil
	}
	out, err := c.spoken(a, f)
	if err != nil {
		return nil, err
	}
	odd, err := oddArrivals(a, c.About, f.Event)
	c.Odd = len(odd)
	if len(out) == 0 || !late(f) {
		out = append([]uint64{f.Event}, out...)
	}
	return append(out, odd...), err
}

// spoken returns the ends of the operations that the failure seems to speak of,
// and the crashes after them.
func (c *Causes) spoken(a *artifact.Artifact, f *artifact.Failure) ([]uint64, error) {
	if !late(f) && f.Kind != kernel.KindInvariant {
		return nil, nil
	}
	var out []uint64
	first := uint64(math.MaxUint64)
	about := mostSpokenOf(a, maxAbout)
	for i := range a.Operations {
		op := &a.Operations[i]
		if end := max(op.Return.Event, op.Invoke.Event); slices.Contains(about, op.ID) && end <= f.Event {
			out = append(out, end)
			first = min(first, end)
		}
	}
	if len(out) == 0 {
		return nil, nil
	}
	c.About = about
	crashes, err := crashesAfter(a, first, f.Event)
	return append(out, crashes...), err
}

// mostSpokenOf returns the numbers of those operations that the failure seems
// to speak of most, in order.
func mostSpokenOf(a *artifact.Artifact, n int) []int {
	spoken := spokenOf(a)
	var out []int
	for i := range a.Operations {
		if id := a.Operations[i].ID; spoken[id] > 0 {
			out = append(out, id)
		}
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(spoken[b], spoken[a]) })
	out = out[:min(n, len(out))]
	slices.Sort(out)
	return out
}

// late reports whether a failure was found by looking at the whole run, so
// that its event is only the last one.
func late(f *artifact.Failure) bool {
	switch f.Kind {
	case kernel.KindInvariant, kernel.KindPanic, kernel.KindFatal, kernel.KindMisuse:
		return false
	}
	return f.Node == ""
}

// crashesAfter returns the first crash of each node between two events: what
// was there at the first one may be lost with it.
func crashesAfter(a *artifact.Artifact, from, to uint64) ([]uint64, error) {
	var out []uint64
	seen := map[string]bool{}
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		if r.Event > to || len(seen) == maxCrashes {
			break
		}
		crash := r.Kind == "node/power-loss" || r.Kind == "node/kill"
		if crash && r.Event > from && !seen[r.Node] {
			seen[r.Node] = true
			out = append(out, r.Event)
		}
	}
	return out, nil
}
