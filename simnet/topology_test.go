package simnet

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

func TestTopologyAgainstBruteForce(t *testing.T) {
	s := kernel.Seq{Stream: kernel.NewStream(1, "topology")}
	for round := range 300 {
		var names []string
		for i := range 1 + s.Below(7) {
			names = append(names, fmt.Sprintf("n%d", i))
		}
		c := newCluster(t, kernel.Config{}, Config{}, names...)
		open := randomCuts(c, names, &s)
		wantTopology(t, round, c, names, open)
	}
}

// randomCuts cuts links in all ways there are and returns which are open.
func randomCuts(c *cluster, names []string, s *kernel.Seq) [][]bool {
	n := len(names)
	open := make([][]bool, n)
	for i := range open {
		open[i] = make([]bool, n)
		for j := range open[i] {
			open[i][j] = true
		}
	}
	for range s.Below(6) {
		a, b := int(s.Below(uint64(n))), int(s.Below(uint64(n)))
		switch s.Below(5) {
		case 0:
			c.net.Cut(Pair{names[a], names[b]})
			open[a][b] = false
		case 1:
			c.net.Cut(Outbound(names[a]))
			for j := range n {
				open[a][j] = open[a][j] && a == j
			}
		case 2:
			c.net.Cut(Inbound(names[a]))
			for i := range n {
				open[i][a] = open[i][a] && a == i
			}
		case 3:
			if a != b {
				_, _ = c.net.Partition([]string{names[a]}, []string{names[b]})
				open[a][b], open[b][a] = false, false
			}
		case 4: // another effect that is gone again
			c.net.Cut(Pair{Any, Any}).Undo()
			c.net.Degrade([]Pair{{Any, Any}}, Change{Loss: million})
		}
	}
	return open
}

// closure is Warshall's.
func closure(edge func(i, j int) bool, n int) [][]bool {
	r := make([][]bool, n)
	for i := range r {
		r[i] = make([]bool, n)
		for j := range r[i] {
			r[i][j] = i == j || edge(i, j)
		}
	}
	for k := range n {
		for i := range n {
			for j := range n {
				r[i][j] = r[i][j] || r[i][k] && r[k][j]
			}
		}
	}
	return r
}

func wantTopology(t *testing.T, round int, c *cluster, names []string, open [][]bool) {
	t.Helper()
	n := len(names)
	there := closure(func(i, j int) bool { return open[i][j] }, n)
	both := closure(func(i, j int) bool { return open[i][j] && open[j][i] }, n)
	var components [][]string
	for i := range n {
		var reaches, component []string
		first := true
		for j := range n {
			if got := c.net.Open(names[i], names[j]); got != open[i][j] {
				t.Fatalf("round %d: %s to %s is open: %v", round, names[i], names[j], got)
			}
			if there[i][j] {
				reaches = append(reaches, names[j])
			}
			if both[i][j] {
				component = append(component, names[j])
				first = first && j >= i
			}
		}
		if first {
			components = append(components, component)
		}
		if got := c.net.Reaches(names[i]); !slices.Equal(got, reaches) {
			t.Fatalf("round %d: %s reaches %v, want %v", round, names[i], got, reaches)
		}
	}
	if got := c.net.Components(); !slices.EqualFunc(got, components, slices.Equal[[]string]) {
		t.Fatalf("round %d: components are %v, want %v", round, got, components)
	}
	c.sim.RunFor(ms) // start the nodes
	for i := range n {
		have := 0
		for j := range n {
			if i == j || open[i][j] && open[j][i] {
				have++
			}
		}
		if got := c.net.CanReachQuorum(names[i], names); got != (have > n/2) {
			t.Fatalf("round %d: %s reaches a quorum: %v, but it reaches %d of %d", round, names[i], got, have, n)
		}
	}
}

func TestQuorumCountsLivingMembers(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b", "c", "client")
	servers := []string{"a", "b", "c"}
	want := func(when, node string, want bool) {
		t.Helper()
		if got := c.net.CanReachQuorum(node, servers); got != want {
			t.Errorf("%s: CanReachQuorum(%s) is %v", when, node, got)
		}
	}
	want("before the start", "a", false)
	c.sim.RunFor(ms)
	want("all up", "a", true)
	want("all up", "client", true)
	c.node("b").Kill()
	want("one down", "a", true)
	c.node("a").Pause()
	want("one down, one paused", "c", true)
	c.node("c").Kill()
	want("two down", "a", false)
	want("two down", "client", false)
	want("unknown", "nobody", false)
	if got := c.net.CanReachQuorum("a", nil); got {
		t.Error("a majority of nobody was reached")
	}
	if got := c.net.Reaches("nobody"); got != nil {
		t.Errorf("an unknown node reaches %v", got)
	}
}
