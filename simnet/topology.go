package simnet

import (
	"slices"

	"github.com/hmdsefi/gograph"
	"github.com/hmdsefi/gograph/traverse"
)

// The queries below ask which links are cut at the moment. Loss does not count
// as a cut, and whether a node is up counts only where that is said. They look
// at every pair of nodes while a cut is in force: ask them now and then, not
// after every event of a large run.

// open reports whether the link between two ports is not cut.
func (n *Network) open(from, to *Port) bool {
	p := pair{from.index, to.index}
	for _, e := range n.effects {
		if e.cut && e.covers(p) {
			return false
		}
	}
	return true
}

// Open reports whether the link from one node to another is not cut: a message
// sent now would get through, if nothing else happens to it. Names that are not
// attached have no links.
func (n *Network) Open(from, to string) bool {
	p, q := n.ports[from], n.ports[to]
	return p != nil && q != nil && n.open(p, q)
}

// anyCut reports whether a cut is in force.
func (n *Network) anyCut() bool {
	return slices.ContainsFunc(n.effects, func(e *Effect) bool { return e.cut })
}

// Components returns the groups of nodes that can talk, over any number of
// steps each of which is open both ways. Nodes are in the order of their
// attachment, and groups in that of their first node.
func (n *Network) Components() [][]string {
	g := n.graph(false)
	var out [][]string
	placed := make([]bool, len(n.byIndex))
	for i := range n.byIndex {
		if placed[i] {
			continue
		}
		list := n.walk(g, i)
		for _, j := range list {
			placed[j] = true
		}
		out = append(out, n.names(list))
	}
	return out
}

// Reaches returns the nodes that a message from the named node can get to,
// itself among them, passed on by others where needed. Nodes are in the order
// of their attachment. For a name that is not attached it returns nil.
func (n *Network) Reaches(from string) []string {
	p := n.ports[from]
	if p == nil {
		return nil
	}
	return n.names(n.walk(n.graph(true), int(p.index)))
}

// CanReachQuorum reports whether the named node is alive and has, among the
// members, a majority of nodes that are alive and to which the links are open
// both ways, without others in between. A member counts itself. Names that
// are not attached count as members that are not alive.
func (n *Network) CanReachQuorum(node string, members []string) bool {
	p := n.ports[node]
	if p == nil || !p.node.Alive() {
		return false
	}
	have := 0
	for _, m := range members {
		q := n.ports[m]
		if q == p || q != nil && q.node.Alive() && n.open(p, q) && n.open(q, p) {
			have++
		}
	}
	return have > len(members)/2
}

// graph returns the open links: those in each direction, or those between two
// nodes that are open both ways. Without a cut all nodes are connected, and a
// chain says as much as all pairs.
func (n *Network) graph(directed bool) gograph.Graph[int] {
	g := gograph.New[int]()
	if directed {
		g = gograph.New[int](gograph.Directed())
	}
	v := make([]*gograph.Vertex[int], len(n.byIndex))
	for i := range v {
		v[i] = g.AddVertexByLabel(i)
	}
	join := func(i, j int) {
		// The only error is an edge that is there already, which is not.
		_, _ = g.AddEdge(v[i], v[j])
	}
	cut := n.anyCut()
	for i, p := range n.byIndex {
		for j := range i {
			q := n.byIndex[j]
			switch {
			case !cut && j != i-1:
			case directed:
				if n.open(p, q) {
					join(i, j)
				}
				if n.open(q, p) {
					join(j, i)
				}
			case n.open(p, q) && n.open(q, p):
				join(i, j)
			}
		}
	}
	return g
}

// walk returns the vertices that can be reached from one, in order.
func (n *Network) walk(g gograph.Graph[int], from int) []int {
	it, err := traverse.NewBreadthFirstIterator(g, from)
	if err != nil {
		return nil // the vertex exists
	}
	var list []int
	for it.HasNext() {
		list = append(list, it.Next().Label())
	}
	slices.Sort(list)
	return list
}

func (n *Network) names(list []int) []string {
	out := make([]string, len(list))
	for i, j := range list {
		out[i] = n.byIndex[j].name
	}
	return out
}
