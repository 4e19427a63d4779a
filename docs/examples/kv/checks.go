package kv

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
)

// Elections watches who leads.
type Elections struct {
	leaders map[int]string // by term
}

// OneLeader reports a second leader in a term.
func (e *Elections) OneLeader(n *faultline.Node) error {
	s, ok := program(n)
	if !ok || s.log == nil || s.role != leader {
		return nil
	}
	if e.leaders == nil {
		e.leaders = map[int]string{}
	}
	term := s.log.Term
	if first := e.leaders[term]; first != "" && first != n.Name() {
		return fmt.Errorf("%s leads in term %d, and so did %s", n.Name(), term, first)
	}
	e.leaders[term] = n.Name()
	return nil
}

// Changed reports whether there was more than one leader.
func (e *Elections) Changed() bool { return len(e.leaders) > 1 }

// IsLeader reports whether a server believes that it leads.
func IsLeader(n *faultline.Node) bool {
	s, ok := program(n)
	return ok && s.role == leader
}

func program(n *faultline.Node) (*Server, bool) {
	if n == nil {
		return nil, false
	}
	return faultline.Program[*Server](n)
}

// Replicas compares what has taken effect on the servers.
type Replicas struct {
	Servers []*faultline.Node
	checked map[*Server]int // entries compared so far
}

// Agree reports an entry that has taken effect on a server and differs from
// the one in its place on another.
func (r *Replicas) Agree(n *faultline.Node) error {
	s, ok := program(n)
	if !ok || s.log == nil || s.commit == 0 {
		return nil
	}
	if r.checked == nil {
		r.checked = map[*Server]int{}
	}
	from := min(r.checked[s], s.commit) // less after a recovery
	r.checked[s] = s.commit
	if from == s.commit {
		return nil
	}
	mine := s.Committed()
	for _, other := range r.Servers {
		o, ok := program(other)
		if !ok || o == s {
			continue
		}
		theirs := o.Committed()
		for i := from; i < min(len(mine), len(theirs)); i++ {
			if mine[i] != theirs[i] {
				return fmt.Errorf("entry %d is %v on %s and %v on %s", i+1, mine[i], n.Name(), theirs[i], other.Name())
			}
		}
	}
	return nil
}

// Durable reports a put that was acknowledged to its client and that the
// server with the most entries has not.
func (r *Replicas) Durable(h *history.History) error {
	var most []Entry
	for _, n := range r.Servers {
		if s, ok := program(n); ok && len(s.Committed()) > len(most) {
			most = s.Committed()
		}
	}
	kept := map[string]bool{}
	for _, e := range most {
		kept[e.Op.Value] = true
	}
	for call := range h.All() {
		op := call.Input.(Op)
		if op.Kind == "put" && call.Status == history.OK && !kept[op.Value] {
			return fmt.Errorf("%v was acknowledged to %s at %v, and is lost: it is not among the %d entries at the end",
				op, call.Process, call.Return.Time, len(most))
		}
	}
	return nil
}

// CanWrite reports that no put that was called since then has succeeded.
func (r *Replicas) CanWrite(load *Workload, since time.Duration) error {
	if load.lastPut > since {
		return nil
	}
	var state []string
	for _, n := range r.Servers {
		state = append(state, n.Name()+" "+describe(n))
	}
	return fmt.Errorf("the last put that succeeded was called at %v; %s", load.lastPut, strings.Join(state, ", "))
}

func describe(n *faultline.Node) string {
	s, ok := program(n)
	switch {
	case !ok:
		return "is " + n.State().String()
	case s.log == nil:
		return "recovers its log"
	}
	return fmt.Sprintf("is a %s in term %d with %d of %d entries in effect", s.role, s.log.Term, s.commit, len(s.log.Entries))
}
