package isolation_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// dependency is an edge of the graph of a history, from one operation to
// another one: "ww", "wr", "rw", "session" or "realtime".
type dependency struct {
	from, to int
	kind     string
}

// graph is a history by the definitions of Adya, as small as can be: lists of
// which a last transaction saw all versions.
type graph struct {
	ops          []history.Operation
	took         []bool
	lists        map[string][]int // without what failed
	edges        []dependency
	dirty        bool // G1a or G1b
	inconsistent bool // something that no order of versions explains
	cut          bool // the last transaction saw a list that ends within another one's appends
}

func define(ops []history.Operation) *graph {
	g := &graph{ops: ops, lists: map[string][]int{}}
	last := ops[len(ops)-1]
	seen := map[int]bool{}
	for _, a := range last.Txn {
		for _, v := range a.Value.([]int) {
			if ops[v/10].Status == history.Fail {
				g.dirty = true
				continue
			}
			g.lists[a.Key] = append(g.lists[a.Key], v)
			seen[v/10] = true
		}
	}
	for i, op := range ops {
		g.took = append(g.took, op.Status == history.OK || op.Status == history.Unknown && seen[i])
	}
	for k, l := range g.lists {
		for i := 1; i < len(l); i++ {
			g.edge(l[i-1]/10, l[i]/10, "ww")
		}
		for _, i := range g.unseen(k) {
			g.edge(l[len(l)-1]/10, i, "ww")
		}
	}
	for i, op := range ops {
		for j, a := range op.Txn {
			if op.Status == history.OK && a.Type == history.AccessRead {
				g.read(i, j, a)
			}
		}
		for j, other := range ops {
			if i != j && g.took[i] && g.took[j] && op.Status == history.OK && op.Return.Event < other.Invoke.Event {
				g.edge(i, j, "realtime")
				if op.Process == other.Process {
					g.edge(i, j, "session")
				}
			}
		}
	}
	return g
}

func (g *graph) edge(from, to int, kind string) {
	if from != to {
		g.edges = append(g.edges, dependency{from, to, kind})
	}
}

// unseen returns who appended to a list what is not in it.
func (g *graph) unseen(key string) []int {
	var out []int
	for i, op := range g.ops {
		for _, a := range op.Txn {
			if g.took[i] && a.Type == history.AccessAppend && a.Key == key && !slices.Contains(g.lists[key], a.Value.(int)) {
				out = append(out, i)
			}
		}
	}
	return out
}

// read takes in what a transaction saw of what others appended.
func (g *graph) read(i, j int, a history.Access) {
	var saw []int
	for _, v := range a.Value.([]int) {
		switch {
		case v/10 == i:
		case g.ops[v/10].Status == history.Fail:
			g.dirty = true
		default:
			saw = append(saw, v)
		}
	}
	n := len(saw)
	if n > 0 {
		w := saw[n-1]
		if overwrites(g.ops[w/10].Txn[w%10+1:], a.Key) {
			g.dirty = true
			g.cut = g.cut || i == len(g.ops)-1
			return
		}
		g.edge(w/10, i, "wr")
	}
	if n > len(g.lists[a.Key]) || !slices.Equal(saw, g.lists[a.Key][:n]) {
		g.inconsistent = true
		return
	}
	if n < len(g.lists[a.Key]) {
		g.edge(i, g.lists[a.Key][n]/10, "rw")
		return
	}
	for _, t := range g.unseen(a.Key) {
		g.edge(i, t, "rw")
	}
}

// cycle looks for a cycle of edges of some kinds that is forbidden.
func (g *graph) cycle(kinds []string, forbidden func(path []string) bool) bool {
	visited := make([]bool, len(g.ops))
	var walk func(start, at int, path []string) bool
	walk = func(start, at int, path []string) bool {
		for _, e := range g.edges {
			if e.from != at || !slices.Contains(kinds, e.kind) {
				continue
			}
			next := append(path[:len(path):len(path)], e.kind)
			if e.to == start && forbidden(next) {
				return true
			}
			if !visited[e.to] && e.to > start {
				visited[e.to] = true
				found := walk(start, e.to, next)
				visited[e.to] = false
				if found {
					return true
				}
			}
		}
		return false
	}
	for i := range g.ops {
		if walk(i, i, nil) {
			return true
		}
	}
	return false
}

func count(path []string, kind string) (n int) {
	for _, k := range path {
		if k == kind {
			n++
		}
	}
	return n
}

// breaks reports whether a level does not allow the history.
func (g *graph) breaks(l isolation.Level) bool {
	order := []string{"ww", "wr", "rw"}
	switch l {
	case isolation.StrongSessionSnapshot, isolation.StrongSessionSerializable:
		order = append(order, "session")
	case isolation.StrongSnapshot, isolation.StrictSerializable:
		order = append(order, "session", "realtime")
	}
	rws := func(p []string) int { return count(p, "rw") }
	switch l {
	case isolation.ReadUncommitted:
		return g.inconsistent || g.cycle(order, func(p []string) bool { return count(p, "ww") == len(p) })
	case isolation.ReadCommitted:
		return g.inconsistent || g.dirty || g.cycle(order, func(p []string) bool { return rws(p) == 0 })
	case isolation.ConsistentView:
		return g.inconsistent || g.dirty || g.cycle(order, func(p []string) bool { return rws(p) <= 1 })
	case isolation.SnapshotIsolation, isolation.StrongSessionSnapshot, isolation.StrongSnapshot:
		return g.inconsistent || g.dirty || g.cycle(order, func(p []string) bool {
			for i := range p {
				if p[i] == "rw" && p[(i+1)%len(p)] == "rw" {
					return false
				}
			}
			return true
		})
	}
	return g.inconsistent || g.dirty || g.cycle(order, func([]string) bool { return true })
}

// worst returns what the worst cycle of reads and writes may be called; nil if
// there is none.
func (g *graph) worst() []isolation.Anomaly {
	data := []string{"ww", "wr", "rw"}
	rws := func(p []string) int { return count(p, "rw") }
	switch {
	case g.cycle(data, func(p []string) bool { return count(p, "ww") == len(p) }):
		return []isolation.Anomaly{isolation.G0}
	case g.cycle(data, func(p []string) bool { return rws(p) == 0 }):
		return []isolation.Anomaly{isolation.G1c}
	case g.cycle(data, func(p []string) bool { return rws(p) == 1 }):
		return []isolation.Anomaly{isolation.GSingle, isolation.LostUpdate}
	case g.breaks(isolation.SnapshotIsolation) && !g.dirty:
		return []isolation.Anomaly{isolation.GNonadjacent, isolation.LongFork}
	case g.cycle(data, func([]string) bool { return true }) && !g.dirty:
		return []isolation.Anomaly{isolation.G2Item, isolation.WriteSkew}
	}
	return nil
}

// called reports whether one of some anomalies was found.
func called(r *isolation.Result, any []isolation.Anomaly) bool {
	return slices.ContainsFunc(r.Found, func(f isolation.Found) bool {
		return f.Kind.Order == isolation.Plain && slices.Contains(any, f.Kind.Anomaly)
	})
}

// TestAgainstDefinitions compares the levels that hold, and the name of the worst cycle,
// with the definitions, applied to every cycle of small histories.
func TestAgainstDefinitions(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	broken := map[isolation.Level]int{}
	for range *histories {
		m := &mixed{}
		m.draw(r)
		h := m.history()
		res, err := isolation.Checker{}.Run(h.All())
		if err != nil {
			t.Fatal(err)
		}
		// The transactions by their numbers in the values, the last one behind.
		byCall := h.Operations()
		ops := make([]history.Operation, len(byCall))
		for _, op := range byCall {
			at := len(m.txns)
			for i, x := range m.txns {
				if uint64(x.call) == op.Invoke.Event && op.Process == x.process {
					at = i
				}
			}
			ops[at] = op
		}
		g := define(ops)
		if g.cut { // then nobody knows the order of the versions
			continue
		}
		for _, l := range isolation.Levels() {
			want := g.breaks(l)
			if want == res.Holds(l) {
				t.Fatalf("%s is broken: %v by definition; found %v\n%s", l, want, names(res), told(h))
			}
			if want {
				broken[l]++
			}
		}
		if w := g.worst(); w != nil && !g.inconsistent && !called(res, w) {
			t.Fatalf("the worst cycle is %v; found %v\n%s", w, names(res), told(h))
		}
	}
	for _, l := range isolation.Levels() {
		if n := broken[l]; n < *histories/50 || n > *histories*49/50 {
			t.Errorf("%s: %d of %d histories break it; the comparison needs many of both", l, n, *histories)
		}
	}
}
