package timeline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

const maxDone = 3 // nodes of which it is said what a fault did to them

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
}

// span is the events that matter, from one to another.
type span struct{ since, until uint64 }

func (w span) has(event uint64) bool { return event > w.since && event <= w.until }

// deeds follows the faults of a run.
type deeds struct {
	all []*deed
	// open are those that go on, so that a record need not look at all.
	open []*deed
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
				return
			}
		}
	}
}

// end ends the fault, and reports that it has. What was done to a clock stays.
func (f *deed) end(r *kernel.Record) bool {
	if f.kind != "clock-step" {
		f.until = r.Event
	}
	return true
}

// saidFault tells a fault in words, such as "power-loss on n1, n2 for 1ms
// (torn)".
func saidFault(r *kernel.Record) string {
	s := get(r, "kind")
	if nodes := strings.Fields(get(r, "nodes")); len(nodes) > 0 {
		s += " on " + strings.Join(nodes, ", ")
	}
	if peers := get(r, "peers"); peers != "" {
		s += " from " + strings.Join(strings.Fields(peers), ", ")
	}
	s += suffix(r, "for", " for ")
	if profile := get(r, "profile"); profile != "" {
		s += " (" + profile + ")"
	}
	return s + attrs(r, "fault", "kind", "nodes", "peers", "for", "profile")
}

// did takes a record that the fault explains, and reports whether it does.
func (f *deed) did(r *kernel.Record) bool {
	switch f.kind {
	case "power-loss":
		return r.Event == f.event && f.lost(r)
	case "clock-step":
		return r.Kind == "clock/step" && r.Event == f.event && f.note(r.Node, r.Node+"'s wall clock moved by "+get(r, "by"))
	case "corrupt":
		return r.Kind == "disk/corrupt" && r.Event == f.event && f.note(r.Node, "a bit of "+r.Node+"'s "+get(r, "file")+" was flipped")
	case "sync-fail":
		_, failed := r.Get("outcome")
		return failed && (r.Kind == "disk/sync" || r.Kind == "disk/sync-dir") && f.hits(r.Node) &&
			f.note(r.Node, fmt.Sprintf("%s's sync of %s failed at %v", r.Node, get(r, "file"), r.Time))
	case "isolate", "partition", "one-way":
		return r.Kind == "net/drop" && get(r, "reason") == "cut" && (f.hits(r.Node) || f.hits(get(r, "from")) || f.hits(get(r, "to"))) && f.message(r, "cut off")
	case "loss":
		return r.Kind == "net/drop" && get(r, "reason") == "loss" && f.message(r, "lost")
	case "duplicate":
		return r.Kind == "net/dup" && f.message(r, "repeated")
	case "delay":
		return r.Kind == "net/delay" && f.message(r, "held up")
	}
	return false
}

// hits reports whether a node is one of those that it is on; a fault without
// nodes is on all.
func (f *deed) hits(node string) bool { return len(f.nodes) == 0 || slices.Contains(f.nodes, node) }

func (f *deed) note(node, text string) bool {
	if f.done[node]++; f.done[node] == 1 {
		f.first[node] = text
	}
	return true
}

// lost takes what a power loss left of a node's disk.
func (f *deed) lost(r *kernel.Record) bool {
	switch r.Kind {
	case "disk/fate":
		if outcome := get(r, "outcome"); outcome == "kept" {
			return true
		}
		what := get(r, "op") + " of " + get(r, "file")
		if n := get(r, "len"); n != "" && n != "0" {
			what = fmt.Sprintf("%s bytes of %s", n, get(r, "file"))
		}
		return f.note(r.Node, what)
	case "disk/crash":
		kept, lost, torn := count(r, "kept"), count(r, "lost"), count(r, "torn")
		if lost+torn == 0 {
			return true
		}
		f.done[r.Node] = lost + torn
		what := fmt.Sprintf("lost %d", lost)
		if torn > 0 {
			what = fmt.Sprintf("lost %d and tore %d", lost, torn)
		}
		text := fmt.Sprintf("%s %s of %s", r.Node, what, plural(kept+lost+torn, "unsynced disk operation"))
		if first := f.first[r.Node]; first != "" && len(f.sum) == 0 {
			text += ", first " + first
		}
		f.sum[r.Node] = text
		return true
	}
	return false
}

// message takes a message that the fault did something to; it counts for the
// nodes at both ends.
func (f *deed) message(r *kernel.Record, what string) bool {
	from, to := get(r, "from"), get(r, "to")
	if from == "" {
		from = r.Node
	}
	f.note("", fmt.Sprintf("%s %s→%s", message(r), from, to))
	f.sum[""] = fmt.Sprintf("%s %s, first %s", plural(f.done[""], "message"), what, f.first[""])
	f.done[from]++
	f.done[to]++
	return true
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
	for _, node := range nodes[:min(len(nodes), maxDone)] {
		if s := f.sum[node]; s != "" {
			did = append(did, s)
		} else {
			did = append(did, f.first[node])
		}
	}
	if len(did) == 0 {
		return text
	}
	if n := len(nodes) - maxDone; n > 0 {
		did = append(did, plural(n, "more node"))
	}
	return text + " (" + strings.Join(did, "; ") + ")"
}

// weight says how likely the fault has to do with the failure: whether it did
// something, to nodes that matter, in the time that matters.
func (f *deed) weight(matter map[string]bool, w span) int {
	n := 0
	if len(f.done) > 0 {
		n += 2
	}
	for node := range f.done {
		if matter[node] {
			n += 3
			break
		}
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
