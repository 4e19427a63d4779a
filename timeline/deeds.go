package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxDone  = 3   // nodes of which it is said what a fault did to them
	maxNoted = 100 // nodes of which a fault keeps that
)

// deed is a fault that fired, and what it is seen to have done.
type deed struct {
	id, kind string
	nodes    []string
	said     string // the fault in words
	time     kernel.Time
	event    uint64
	until    uint64            // event in which it ended; the largest number if it has not
	done     map[string]int    // how often it did something, by node
	first    map[string]string // the first of that in words, by node
	sum      map[string]string // in place of first: all of it, by node
	crashed  []string          // nodes that lost what was in memory
	client   string            // the last message of a client that the failure is about
}

// span is the events that matter, from one to another.
type span struct{ since, until uint64 }

func (w span) has(event uint64) bool { return event > w.since && event <= w.until }

// deeds follows the faults of a run.
type deeds struct {
	all    []*deed
	open   []*deed // those that go on, so that a record need not look at all
	strays []stray // fates of messages that no fault explains

	clients map[string]bool // those that the failure's operations are of
	since   uint64          // event in which the first of them was called
}

// stray counts the fates of one sort: of messages in a replay of which the
// faults were taken away.
type stray struct {
	what  string
	count int
	last  string
}

func (d *deeds) add(r *kernel.Record) {
	switch r.Kind {
	case "fault/fire":
		if len(d.all) == maxSpans {
			return
		}
		f := &deed{id: get(r, "fault"), kind: get(r, "kind"), nodes: strings.Fields(get(r, "nodes")), time: r.Time, event: r.Event, until: math.MaxUint64,
			said: saidFault(r),
			done: map[string]int{}, first: map[string]string{}, sum: map[string]string{}}
		d.all = append(d.all, f)
		d.open = append(d.open, f)
	case "fault/end":
		id := get(r, "fault")
		d.open = slices.DeleteFunc(d.open, func(f *deed) bool { return f.id == id && f.end(r) })
	case "fault/quiet":
		d.open = slices.DeleteFunc(d.open, func(f *deed) bool { return f.end(r) })
	default:
		for _, f := range slices.Backward(d.open) {
			if f.did(r) {
				d.concerns(f, r)
				return
			}
		}
		d.stray(r)
	}
}

// concerns notes a message of the clients that the failure is about.
func (d *deeds) concerns(f *deed, r *kernel.Record) {
	if strings.HasPrefix(r.Kind, "net/") && r.Event >= d.since && (d.clients[r.Node] || d.clients[get(r, "from")] || d.clients[get(r, "to")]) {
		f.client = fmt.Sprintf("%s at %v", passage(r), r.Time)
	}
}

// stray takes a record that no fault explains.
func (d *deeds) stray(r *kernel.Record) {
	what := map[string]string{"net/dup": "repeated", "net/delay": "held up"}[r.Kind]
	if r.Kind == "net/drop" && get(r, "reason") == "loss" {
		what = "lost"
	}
	if what == "" {
		return
	}
	i := slices.IndexFunc(d.strays, func(s stray) bool { return s.what == what })
	if i < 0 {
		i = len(d.strays)
		d.strays = append(d.strays, stray{what: what})
	}
	s := &d.strays[i]
	s.count++
	s.last = fmt.Sprintf("%s at %v", passage(r), r.Time)
}

// passage names a message with its ends.
func passage(r *kernel.Record) string {
	from, to := get(r, "from"), get(r, "to")
	if from == "" {
		from = r.Node
	}
	return fmt.Sprintf("%s %s→%s", message(r), from, to)
}

// end ends the fault, and reports that it has. What was done to a clock stays.
func (f *deed) end(r *kernel.Record) bool {
	if f.kind != "clock-step" {
		f.until = r.Event
	}
	return true
}

// direction says which way a one-way cut goes, such as "one-way cut n2→n1".
func direction(nodes, peers []string) string {
	if len(peers) == 0 {
		peers = []string{"all"}
	}
	return "one-way cut " + strings.Join(nodes, ", ") + "→" + strings.Join(peers, ", ")
}

// saidFault tells a fault in words, such as "power-loss on n1, n2 for 1ms
// (torn)".
func saidFault(r *kernel.Record) string {
	s := get(r, "kind")
	nodes, peers := strings.Fields(get(r, "nodes")), strings.Fields(get(r, "peers"))
	if s == "one-way" && len(nodes) > 0 {
		s = direction(nodes, peers)
		nodes, peers = nil, nil
	}
	if len(nodes) > 0 {
		s += " on " + strings.Join(nodes, ", ")
	}
	if len(peers) > 0 {
		s += " from " + strings.Join(peers, ", ")
	}
	s += suffix(r, "for", " for ")
	if profile := get(r, "profile"); profile != "" {
		s += " (" + profile + ")"
	}
	return s + attrs(r, "fault", "kind", "nodes", "peers", "for", "profile")
}

func count(r *kernel.Record, key string) int {
	a, _ := r.Get(key)
	return int(a.Num)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// told says what the fault was and did, first of all to the nodes that matter.
func (f *deed) told(matter map[string]bool) string {
	text := fmt.Sprintf("%s at %v", f.said, f.time)
	var nodes []string
	for node := range f.first {
		nodes = append(nodes, node)
	}
	for node := range f.sum {
		if f.first[node] == "" {
			nodes = append(nodes, node)
		}
	}
	slices.SortFunc(nodes, func(a, b string) int {
		if matter[a] != matter[b] {
			if matter[a] {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(f.done[b], f.done[a]), natural(a, b))
	})
	var did []string
	for i, node := range nodes[:min(len(nodes), maxDone)] {
		text := cmp.Or(f.sum[node], f.first[node])
		if i == 0 && node != "" && f.sum[node] != "" && f.first[node] != "" {
			text += ", first " + f.first[node]
		}
		did = append(did, text)
	}
	if len(did) == 0 {
		return text
	}
	if n := len(nodes) - maxDone; n > 0 {
		did = append(did, plural(n, "more node"))
	}
	if f.client != "" {
		did = append(did, "of the client concerned, the last one "+f.client)
	}
	return text + " (" + strings.Join(did, "; ") + ")"
}

// weight says how likely the fault has to do with the failure: whether it did
// something, to nodes that matter, in the time that matters.
func (f *deed) weight(matter map[string]bool, w span) int {
	n := 0
	if len(f.done)+len(f.crashed) > 0 {
		n += 2
	}
	hit := slices.ContainsFunc(f.crashed, func(s string) bool { return matter[s] })
	for node := range f.done {
		hit = hit || matter[node]
	}
	if hit {
		n += 3
	}
	if slices.ContainsFunc(f.nodes, func(s string) bool { return matter[s] }) {
		n++
	}
	if f.until >= w.since && f.event <= w.until {
		n += 2
	}
	return n
}

// most returns those that weigh most, the later ones of equals, in order.
func (d *deeds) most(n int, matter map[string]bool, w span) []*deed {
	out := slices.Clone(d.all)
	slices.SortStableFunc(out, func(a, b *deed) int {
		return cmp.Or(cmp.Compare(b.weight(matter, w), a.weight(matter, w)), cmp.Compare(b.event, a.event))
	})
	out = out[:min(n, len(out))]
	slices.SortStableFunc(out, func(a, b *deed) int { return cmp.Compare(a.event, b.event) })
	return out
}
