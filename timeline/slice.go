package timeline

import (
	"cmp"
	"errors"
	"slices"

	"github.com/hmdsefi/gograph"
	"github.com/hmdsefi/gograph/path"
	"github.com/hmdsefi/gograph/traverse"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	// MaxSteps is the largest number of steps that [Slice] returns.
	MaxSteps = 500

	defaultSteps = 200
	maxAncestors = 4096 // nearest in time, from which the slice is taken
	maxPerStep   = 16   // records that a step keeps
)

// Causes is the causal slice of a failure: the events that led to it.
type Causes struct {
	Steps []Step // in order of time; the failing event, if it is one of them, is the last one
	Edges []Edge // between steps, reduced: what follows over another step is left out
	Left  int    // events that led to the failure too and were left out
	More  bool   // the trace is longer than what was looked at: there may be more than Left
	About []int  // numbers of the operations that it is about; empty if it is about the failing event
	Odd   int    // arrivals of messages that had been held up or repeated, which it is about too
}

// Step is an event of a causal slice.
type Step struct {
	Event   uint64          // its number
	Time    kernel.Time     // virtual time
	Records []kernel.Record // what happened in it
	Left    int             // records that were left out
}

// Edge says that one event followed from another.
type Edge struct {
	From  uint64 // number of the earlier event
	To    uint64 // number of the later one
	Order bool   // only because From came before on the same node, not because From scheduled To
}

// Slice returns the causal slice of the artifact's failure, of at most
// maxSteps noteworthy events (0 means 200, more than [MaxSteps] means that), and
// [MaxSteps] with those that lie between them. Of a failure
// at the end of a run that speaks of operations it is the slice of those, see
// the package's text; of a run that passed, of the last event. Without a trace
// it is empty. An error comes from reading the trace.
func Slice(a *artifact.Artifact, maxSteps int) (*Causes, error) {
	if maxSteps <= 0 {
		maxSteps = defaultSteps
	}
	c := &Causes{}
	ends, err := c.ends(a)
	if err != nil {
		return c, err
	}
	w, err := scan(a, slices.Max(ends), maxWindow)
	if err != nil || len(w.events) == 0 {
		return c, err
	}
	roots := w.indices(ends)
	near, found := w.ancestors(roots)
	chosen, err := w.closest(roots, w.calls(a, c.About), near, min(maxSteps, MaxSteps))
	if err != nil {
		return nil, err
	}
	c.Left, c.More = found-len(chosen), w.base > 0
	if c.Edges, err = w.reduce(chosen); err != nil {
		return nil, err
	}
	return c, c.fill(a, w, chosen)
}

// indices returns the places of events in the window; the last one if it has
// none of them.
func (w *window) indices(nums []uint64) []int {
	var out []int
	for _, n := range nums {
		if i, ok := w.find(n); ok && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		out = append(out, len(w.events)-1)
	}
	return out
}

// calls returns the places of the calls of operations.
func (w *window) calls(a *artifact.Artifact, operations []int) []int {
	var out []int
	for i := range a.Operations {
		op := &a.Operations[i]
		if j, ok := w.find(op.Invoke.Event); ok && slices.Contains(operations, op.ID) {
			out = append(out, j)
		}
	}
	return out
}

// ancestors returns the events from which a root can be reached, and the roots
// themselves, the latest first, and how many there are in all.
func (w *window) ancestors(roots []int) (near []int, found int) {
	marked := make([]bool, len(w.events))
	for _, i := range roots {
		marked[i] = true
	}
	for i := len(marked) - 1; i >= 0; i-- { // links only lead to earlier events
		if !marked[i] {
			continue
		}
		if found++; len(near) < maxAncestors {
			near = append(near, i)
		}
		for _, l := range w.links(i) {
			marked[l.to] = true
		}
	}
	return near, found
}

// all is the vertex from which all roots are reached.
const all = -1

// closest returns the roots, the calls, and those of a list of events that are
// closest to the roots, in order of time: at most count that are noteworthy. One
// that follows from the arrival of a message is not there without it.
func (w *window) closest(roots, calls, list []int, count int) ([]int, error) {
	g := gograph.New[int](gograph.Directed(), gograph.Weighted())
	g.AddVertexByLabel(all)
	for _, i := range list {
		g.AddVertexByLabel(i)
	}
	for _, i := range roots {
		if err := connect(g, all, i, gograph.WithEdgeWeight(1)); err != nil {
			return nil, err
		}
	}
	for _, i := range list {
		for _, l := range w.links(i) {
			weight := 1.0
			if l.order {
				weight = 2
			}
			if err := connect(g, i, l.to, gograph.WithEdgeWeight(weight)); err != nil {
				return nil, err
			}
		}
	}
	it, err := traverse.NewClosestFirstIterator(g, all)
	if err != nil {
		return nil, err
	}
	c := choice{w: w, left: count}
	for _, i := range slices.Concat(roots, calls) {
		c.take(i)
	}
	for it.HasNext() {
		if i := it.Next().Label(); i != all && !c.take(w.withArrival(i)...) {
			break
		}
	}
	slices.Sort(c.events)
	return c.events, nil
}

// choice collects the events of a slice.
type choice struct {
	w      *window
	left   int // noteworthy events that may still be taken
	events []int
}

// take adds events, and reports whether there was room for them.
func (c *choice) take(list ...int) bool {
	list = slices.DeleteFunc(list, func(i int) bool { return slices.Contains(c.events, i) })
	cost := 0
	for _, i := range list {
		if c.w.events[i].note {
			cost++
		}
	}
	if cost > c.left || len(c.events)+len(list) > MaxSteps {
		return false
	}
	c.left -= cost
	c.events = append(c.events, list...)
	return true
}

// connect adds an edge between vertices of the graph; others are left alone.
func connect(g gograph.Graph[int], from, to int, options ...gograph.EdgeOptionFunc) error {
	u, v := g.GetVertexByID(from), g.GetVertexByID(to)
	if u == nil || v == nil {
		return nil
	}
	_, err := g.AddEdge(u, v, options...)
	if errors.Is(err, gograph.ErrEdgeAlreadyExists) {
		return nil
	}
	return err
}

// reduce returns the edges among the chosen events that no longer path tells.
func (w *window) reduce(chosen []int) ([]Edge, error) {
	g := gograph.New[int](gograph.Directed())
	for _, i := range chosen {
		g.AddVertexByLabel(i)
	}
	order := map[[2]int]bool{}
	for _, i := range chosen {
		for _, l := range w.links(i) {
			order[[2]int{l.to, i}] = l.order
			if err := connect(g, l.to, i); err != nil {
				return nil, err
			}
		}
	}
	reduced, err := path.TransitiveReduction(g)
	if err != nil {
		return nil, err
	}
	var out []Edge
	for _, e := range reduced.AllEdges() {
		from, to := e.Source().Label(), e.Destination().Label()
		out = append(out, Edge{w.events[from].num, w.events[to].num, order[[2]int{from, to}]})
	}
	slices.SortFunc(out, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.To, b.To), cmp.Compare(a.From, b.From)) })
	return out, nil
}

// fill reads the records of the chosen events.
func (c *Causes) fill(a *artifact.Artifact, w *window, chosen []int) error {
	for r, err := range a.Records() {
		if err != nil {
			return err
		}
		for len(chosen) > 0 && w.events[chosen[0]].num < r.Event {
			chosen = chosen[1:]
		}
		if len(chosen) == 0 {
			break
		}
		if w.events[chosen[0]].num == r.Event {
			c.record(&r)
		}
	}
	return nil
}

func (c *Causes) record(r *kernel.Record) {
	n := len(c.Steps)
	if n == 0 || c.Steps[n-1].Event != r.Event {
		c.Steps = append(c.Steps, Step{Event: r.Event, Time: r.Time})
		n++
	}
	s := &c.Steps[n-1]
	if len(s.Records) == maxPerStep && r.Kind != "fail" {
		s.Left++
		return
	}
	keep := *r
	keep.Attrs = slices.Clone(r.Attrs)
	s.Records = append(s.Records, keep)
}

// has reports whether an event is part of the slice.
func (c *Causes) has(num uint64) bool {
	_, ok := slices.BinarySearchFunc(c.Steps, num, func(s Step, n uint64) int { return cmp.Compare(s.Event, n) })
	return ok
}
