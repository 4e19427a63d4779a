package timeline

import (
	"slices"
	"sort"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// maxWindow is how many events before the failure are looked at.
const maxWindow = 1 << 20

// event is a vertex of the graph of causes. Places count events with records
// from 1 on, so that 0 means none.
type event struct {
	num   uint64
	cause uint64    // number of the event that scheduled it, 0 for none
	prior uint64    // place of the event before in which its proc ran, 0 for none
	prev  [2]uint64 // places of the last noteworthy events on its nodes
	nodes [2]string // nodes that it touches; more than two are not followed
	note  bool      // it is noteworthy

	arrival bool // a message is delivered in it
	timer   bool // a timer ran out in it
}

// window is the graph of the last events up to the failing one.
type window struct {
	events []event
	base   uint64            // events that have been dropped at the front
	last   map[string]uint64 // place of the last noteworthy event on a node
	procs  map[proc]uint64   // place of the last event in which a proc ran
	limit  int
}

// proc is a proc of a node.
type proc struct{ node, name string }

// scan reads the trace up to event end.
func scan(a *artifact.Artifact, end uint64, limit int) (*window, error) {
	w := &window{last: map[string]uint64{}, procs: map[proc]uint64{}, limit: limit}
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		if r.Event == 0 {
			continue
		}
		if r.Event > end {
			break
		}
		w.add(&r)
	}
	w.settle()
	return w, nil
}

func (w *window) add(r *kernel.Record) {
	n := len(w.events)
	if n == 0 || w.events[n-1].num != r.Event {
		w.settle()
		if n = len(w.events); n >= 2*w.limit {
			w.base += uint64(w.limit)
			w.events = append(w.events[:0], w.events[w.limit:]...)
			n = len(w.events)
		}
		w.events = append(w.events, event{num: r.Event, cause: r.Cause})
		n++
	}
	e := &w.events[n-1]
	e.note = e.note || !routine(r.Kind)
	switch r.Kind {
	case "net/deliver":
		e.arrival = true
	case "timer":
		e.timer = true
	case "proc":
		p := proc{r.Node, get(r, "name")}
		e.prior, w.procs[p] = w.procs[p], w.base+uint64(len(w.events))
	}
	if r.Node == "" || slices.Contains(e.nodes[:], r.Node) {
		return
	}
	for i := range e.nodes {
		if e.nodes[i] == "" {
			e.nodes[i], e.prev[i] = r.Node, w.last[r.Node]
			return
		}
	}
}

// settle ends the last event: those after it follow it, if it is noteworthy.
func (w *window) settle() {
	if len(w.events) == 0 {
		return
	}
	e := &w.events[len(w.events)-1]
	for _, node := range e.nodes {
		if node != "" && e.note {
			w.last[node] = w.base + uint64(len(w.events))
		}
	}
}

// routine kinds say only that something ran.
func routine(kind string) bool {
	switch kind {
	case "timer", "proc", "call", "enter", "inert":
		return true
	}
	return false
}

// at returns the index in events of a place; ok is false if it was dropped or
// is none.
func (w *window) at(place uint64) (int, bool) {
	if place <= w.base {
		return 0, false
	}
	return int(place - w.base - 1), true
}

// find returns the index of an event by its number.
func (w *window) find(num uint64) (int, bool) {
	i := sort.Search(len(w.events), func(i int) bool { return w.events[i].num >= num })
	return i, num > 0 && i < len(w.events) && w.events[i].num == num
}

// link is a way from an event to one that it follows from.
type link struct {
	to    int  // index in events
	order bool // by a node's order, not by a schedule
}

// links returns what an event follows from, schedule first.
func (w *window) links(i int) []link {
	var out []link
	e := &w.events[i]
	if j, ok := w.scheduler(i); ok {
		out = append(out, link{to: j})
	}
	for _, place := range e.prev {
		if j, ok := w.at(place); ok && j < i && !slices.ContainsFunc(out, func(l link) bool { return l.to == j }) {
			out = append(out, link{j, true})
		}
	}
	return out
}

// scheduler returns the index of the event that scheduled one. What a proc
// waits for often ends in an event without a record, as a write does: then the
// event before in which it ran is the one that asked for it.
func (w *window) scheduler(i int) (int, bool) {
	e := &w.events[i]
	j, ok := w.find(e.cause)
	if !ok && e.cause > 0 {
		j, ok = w.at(e.prior)
	}
	return j, ok && j < i
}
