package txn

import (
	"maps"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	spreadEvery = 200 * time.Millisecond
	spreadMost  = 30 // commits at a time
)

// committed brings a commit to a replica.
type committed struct {
	Number   int
	Snapshot int // it may rely on commits up to this one
	Writes   []place
}

// place is a value and its place in a list.
type place struct {
	Key   string
	At    int
	Value int
}

// applied says that a replica has the first commits, up to a number.
type applied struct{ Commits int }

// snapshot asks a replica for lists, as they are at one moment.
type snapshot struct {
	Txn  string
	Keys []string
}

// publish sends the last commit to the replicas.
func (s *Server) publish() {
	for _, r := range slices.Sorted(maps.Keys(s.replicas)) {
		s.node.Send(r, s.store.log[len(s.store.log)-1])
	}
}

// spread sends the replicas the commits that they do not have.
func (s *Server) spread() {
	for _, r := range slices.Sorted(maps.Keys(s.replicas)) {
		have := s.replicas[r]
		for _, c := range s.store.log[have:min(have+spreadMost, len(s.store.log))] {
			s.node.Send(r, c)
		}
	}
	s.node.AfterFunc(spreadEvery, s.spread)
}

// Replica is the program of a replica, which answers transactions that only
// read. It applies a commit when it has all that the commit may rely on: commits
// that do not rely on each other are applied as they come.
type Replica struct {
	kernel.Idle
	node    *faultline.Node
	lists   map[string][]int
	has     map[int]bool // commits that were applied
	all     int          // it has the commits up to this one
	waiting []committed
}

// NewReplica makes the program of a replica.
func NewReplica(n *faultline.Node) *Replica {
	return &Replica{node: n, lists: map[string][]int{}, has: map[int]bool{}}
}

// Start starts the replica.
func (r *Replica) Start() {}

// Receive takes in a commit, or answers a read.
func (r *Replica) Receive(from string, msg any) {
	switch m := msg.(type) {
	case committed:
		r.waiting = append(r.waiting, m)
		for r.applyOne() {
		}
		r.node.Send(from, applied{r.all})
	case snapshot:
		answer := reply{Txn: m.Txn, Seq: 1, OK: true}
		for _, key := range m.Keys {
			answer.Lists = append(answer.Lists, slices.Clone(r.lists[key]))
		}
		r.node.Send(from, answer)
	}
}

// applyOne applies a commit that waits, if there is one that can be.
func (r *Replica) applyOne() bool {
	for i, c := range r.waiting {
		if r.has[c.Number] || r.ready(c) {
			r.waiting = slices.Delete(r.waiting, i, i+1)
			if !r.has[c.Number] {
				r.apply(c)
			}
			return true
		}
	}
	return false
}

// ready reports that all that a commit may rely on is there.
func (r *Replica) ready(c committed) bool {
	next := map[string]int{}
	for _, w := range c.Writes {
		if len(r.lists[w.Key])+next[w.Key] != w.At {
			return false
		}
		next[w.Key]++
	}
	return c.Snapshot <= r.all
}

func (r *Replica) apply(c committed) {
	for _, w := range c.Writes {
		r.lists[w.Key] = append(r.lists[w.Key], w.Value)
	}
	r.has[c.Number] = true
	for r.has[r.all+1] {
		r.all++
	}
}
