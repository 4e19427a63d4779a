package isolation

import (
	"slices"

	"github.com/hmdsefi/gograph"
	"github.com/hmdsefi/gograph/connectivity"
)

// kind is a kind of edge, as a bit.
type kind uint8

const (
	ww      kind = 1 << iota // the target wrote the version after one of the source's
	wr                       // the target read a version of the source
	rw                       // the target wrote the version after one that the source read
	session                  // the target is the next transaction of the process
	rt                       // the source had returned before the target was called
	passing                  // leaves a node that stands for no transaction
	data    = ww | wr | rw
)

// edge says that its source is before its target. a and b are writes: the
// version of the source and that of the target, -1 where there is none.
type edge struct {
	to, a, b int32
	kind     kind
}

// arc is an edge with its source.
type arc struct {
	from int32
	edge
}

// graph holds the edges of each node in a row.
type graph struct {
	head  []int32 // of each node, and the end
	edges []edge
}

// newGraph sorts arcs by their source; those of one source stay in order.
func newGraph(nodes int, arcs []arc) *graph {
	g := &graph{head: make([]int32, nodes+1), edges: make([]edge, len(arcs))}
	for i := range arcs {
		g.head[arcs[i].from+1]++
	}
	for i := range nodes {
		g.head[i+1] += g.head[i]
	}
	next := slices.Clone(g.head[:nodes])
	for i := range arcs {
		at := &next[arcs[i].from]
		g.edges[*at] = arcs[i].edge
		*at++
	}
	return g
}

func (g *graph) nodes() int { return len(g.head) - 1 }

func (g *graph) out(n int32) []edge { return g.edges[g.head[n]:g.head[n+1]] }

// smallGraph is up to how many nodes gograph finds the components. Beyond, the
// compact search below is used: of 10,000 nodes and 40,000 edges it takes 1.3 ms
// and 0.4 MB, where gograph takes 540 ms and 12 MB (BenchmarkComponents).
const smallGraph = 200

// components returns the strongly connected components of two nodes or more
// that the edges of some kinds make, each sorted, by their first node.
func (g *graph) components(kinds kind) [][]int32 {
	var out [][]int32
	if g.nodes() <= smallGraph {
		out = g.byGograph(kinds)
	} else {
		out = g.compact(kinds)
	}
	for _, c := range out {
		slices.Sort(c)
	}
	slices.SortFunc(out, func(a, b []int32) int { return int(a[0]) - int(b[0]) })
	return out
}

func (g *graph) byGograph(kinds kind) [][]int32 {
	gg := gograph.New[int32](gograph.Directed())
	vertices := make([]*gograph.Vertex[int32], g.nodes())
	for i := range vertices {
		vertices[i] = gg.AddVertexByLabel(int32(i))
	}
	for i := range vertices {
		for _, e := range g.out(int32(i)) {
			if e.kind&kinds != 0 {
				_, _ = gg.AddEdge(vertices[i], vertices[e.to]) // the error is that it is there
			}
		}
	}
	var out [][]int32
	for _, c := range connectivity.Tarjan(gg) {
		if len(c) < 2 {
			continue
		}
		nodes := make([]int32, len(c))
		for i, v := range c {
			nodes[i] = v.Label()
		}
		out = append(out, nodes)
	}
	return out
}

// compact is the algorithm of Tarjan (Depth-First Search and Linear Graph
// Algorithms, SIAM J. Comput. 1, 1972) without recursion.
func (g *graph) compact(kinds kind) [][]int32 {
	n := g.nodes()
	index, low := make([]int32, n), make([]int32, n) // from 1; low is done when it is over
	const over = int32(1<<31 - 1)
	next := slices.Clone(g.head[:n])
	var stack, calls []int32
	var out [][]int32
	count := int32(0)
	for root := range int32(n) {
		if index[root] != 0 {
			continue
		}
		calls = append(calls[:0], root)
		for len(calls) > 0 {
			v := calls[len(calls)-1]
			if index[v] == 0 {
				count++
				index[v], low[v] = count, count
				stack = append(stack, v)
			}
			deeper := false
			for next[v] < g.head[v+1] {
				e := &g.edges[next[v]]
				if e.kind&kinds == 0 {
					next[v]++
					continue
				}
				if index[e.to] == 0 {
					calls = append(calls, e.to)
					deeper = true
					break
				}
				if low[e.to] != over {
					low[v] = min(low[v], low[e.to])
				}
				next[v]++
			}
			if deeper {
				continue
			}
			calls = calls[:len(calls)-1]
			if low[v] != index[v] {
				continue
			}
			at := len(stack) - 1
			for stack[at] != v {
				at--
			}
			if len(stack)-at > 1 {
				out = append(out, slices.Clone(stack[at:]))
			}
			for _, u := range stack[at:] {
				low[u] = over
			}
			stack = stack[:at]
		}
	}
	return out
}

// part returns the graph of some nodes alone, with their places as numbers.
func (g *graph) part(nodes []int32, kinds kind) *graph {
	place := make(map[int32]int32, len(nodes))
	for i, n := range nodes {
		place[n] = int32(i)
	}
	p := &graph{head: make([]int32, len(nodes)+1)}
	for i, n := range nodes {
		for _, e := range g.out(n) {
			if to, ok := place[e.to]; ok && e.kind&kinds != 0 {
				e.to = to
				p.edges = append(p.edges, e)
			}
		}
		p.head[i+1] = int32(len(p.edges))
	}
	return p
}
