package isolation

import "slices"

// budget is how many steps the search for the smallest cycles takes at most.
const budget = 30_000_000

// step is an edge of a cycle, between two transactions.
type step struct {
	from, to int32
	kind     kind
	a, b     int32
}

// want says which cycles are looked for.
type want struct {
	first kind // one edge is of one of these kinds
	rest  kind // the others are of these
	extra kind // one of them is of this kind, if not 0
	apart bool // no two rw edges come one after the other
}

// finder looks for the smallest cycles of a part of a graph.
type finder struct {
	g     *graph
	left  *int // of the budget
	spent bool // some cycle was not looked for
	done  []int32
	round int32
	queue []visit
	next  []visit
}

// visit is a node reached in a search.
type visit struct {
	state  int32 // node, whether the extra edge was used, whether the last edge is rw
	parent int32 // place in the trail, -1 at the start
	edge   int32
}

const (
	usedExtra = 1
	lastRW    = 2
)

func newFinder(g *graph, left *int) *finder {
	return &finder{g: g, left: left, done: make([]int32, 4*g.nodes())}
}

// smallest returns the edges of a smallest cycle, from its first one on, as
// numbers of edges; nil if there is none.
func (f *finder) smallest(w want) []int32 {
	var best []int32
	length := int32(1 << 30)
	for n := range int32(f.g.nodes()) {
		for i := f.g.head[n]; i < f.g.head[n+1]; i++ {
			if f.g.edges[i].kind&w.first == 0 {
				continue
			}
			if c, l := f.back(n, i, w, length); c != nil {
				best, length = c, l
			}
			if length == 2 {
				return best
			}
		}
	}
	return best
}

// back looks for the shortest way from the end of an edge to its start, shorter
// than a length, and returns the cycle and its length.
func (f *finder) back(start, first int32, w want, below int32) ([]int32, int32) {
	if *f.left <= 0 {
		f.spent = true
		return nil, 0
	}
	f.round++
	var trail []visit
	state := f.g.edges[first].to * 4
	if f.g.edges[first].kind == rw {
		state |= lastRW
	}
	f.queue, f.next = append(f.queue[:0], visit{state, -1, first}), f.next[:0]
	for length := int32(1); length < below && len(f.queue) > 0; length++ {
		for i := 0; i < len(f.queue); i++ {
			v := f.queue[i]
			if f.done[v.state] == f.round || length == 1 && v.state/4 == start { // it replaced what it saw itself
				continue
			}
			f.done[v.state] = f.round
			*f.left--
			trail = append(trail, v)
			at := int32(len(trail) - 1)
			node := v.state / 4
			if node == start && (w.extra == 0 || v.state&usedExtra != 0) && !(w.apart && v.state&lastRW != 0) {
				return walk(trail, at), length
			}
			for j := f.g.head[node]; j < f.g.head[node+1]; j++ {
				e := &f.g.edges[j]
				switch {
				case e.kind == passing:
					f.queue = append(f.queue, visit{e.to*4 + v.state%4, at, j})
				case e.kind&w.rest != 0 && !(w.apart && e.kind == rw && v.state&lastRW != 0):
					f.next = append(f.next, visit{e.to*4 + after(v.state, e.kind, w), at, j})
				}
			}
		}
		f.queue, f.next = f.next, f.queue[:0]
	}
	return nil, 0
}

// after returns the flags of a state after one more edge.
func after(state int32, k kind, w want) int32 {
	flags := state & usedExtra
	if k&w.extra != 0 {
		flags |= usedExtra
	}
	if k == rw {
		flags |= lastRW
	}
	return flags
}

func walk(trail []visit, at int32) []int32 {
	var out []int32
	for ; at >= 0; at = trail[at].parent {
		out = append(out, trail[at].edge)
	}
	slices.Reverse(out)
	return out
}

// steps joins the edges of a cycle that starts at a node to steps between
// transactions; nodes maps the numbers of the part to those of the whole, of
// which the first ones are transactions.
func steps(g *graph, start int32, cycle, nodes []int32, txns int) []step {
	var out []step
	from := nodes[start]
	for _, i := range cycle {
		e := g.edges[i]
		to := nodes[e.to]
		if e.kind == passing {
			last := &out[len(out)-1]
			last.to = to
			if e.b >= 0 {
				last.b = e.b
			}
		} else {
			out = append(out, step{from, to, e.kind, e.a, e.b})
		}
		if int(to) < txns {
			from = to
		}
	}
	return out
}
