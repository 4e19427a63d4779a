package kv

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
)

// Judge looks into the servers while they run, and says what is wrong. Its
// methods are called after every event, so they look only at what is new.
type Judge struct {
	servers  []*faultline.Node
	history  *history.History
	workload *Workload

	leaders  map[int]string  // by term
	newest   int             // the highest term that had a leader
	judged   int             // the highest term whose leader was found to have all writes
	compared map[*Server]int // entries that were found to agree
}

// NewJudge makes the judge of a run.
func NewJudge(servers []*faultline.Node, h *history.History, load *Workload) *Judge {
	return &Judge{servers: servers, history: h, workload: load, leaders: map[int]string{}, compared: map[*Server]int{}}
}

// running returns the program of a server, unless it is down or recovers.
func running(n *faultline.Node) (*Server, bool) {
	if n == nil {
		return nil, false
	}
	s, ok := faultline.Program[*Server](n)
	return s, ok && s.log != nil
}

// IsLeader reports whether a server believes that it leads.
func IsLeader(n *faultline.Node) bool {
	s, ok := running(n)
	return ok && s.role == leader
}

// OneLeader reports a second leader in a term.
func (j *Judge) OneLeader(n *faultline.Node) error {
	if !IsLeader(n) {
		return nil
	}
	s, _ := running(n)
	term := s.log.Term
	if first := j.leaders[term]; first != "" && first != n.Name() {
		return fmt.Errorf("%s leads in term %d, and so did %s", n.Name(), term, first)
	}
	j.leaders[term] = n.Name()
	j.newest = max(j.newest, term)
	return nil
}

// LeaderChanged reports whether there was more than one leader.
func (j *Judge) LeaderChanged() bool { return len(j.leaders) > 1 }

// Durable reports a put that was acknowledged and that a new leader, whose
// term has begun to have effect, does not have.
func (j *Judge) Durable(n *faultline.Node) error {
	s, ok := running(n)
	if !ok || s.role != leader || s.log.Term <= j.judged || s.log.Term < j.newest || s.log.TermAt(s.commit) != s.log.Term {
		return nil
	}
	j.judged = s.log.Term
	kept := map[string]bool{}
	for _, e := range s.log.Entries {
		kept[e.Op.Value] = true
	}
	for call := range j.history.All() {
		op := call.Input.(Op)
		if op.Kind == "put" && call.Status == history.OK && !kept[op.Value] {
			return fmt.Errorf("put %v was acknowledged to %s at %v, and is lost: %s, the leader of term %d, does not have it",
				op, call.Process, call.Return.Time, n.Name(), s.log.Term)
		}
	}
	return nil
}

// Agree reports an entry that has taken effect on a server and differs from
// the one in its place on another.
func (j *Judge) Agree(n *faultline.Node) error {
	s, ok := running(n)
	if !ok || s.commit == j.compared[s] {
		return nil
	}
	from := min(j.compared[s], s.commit) // it starts again after a recovery
	j.compared[s] = s.commit
	for _, other := range j.servers {
		o, ok := running(other)
		if !ok {
			continue
		}
		for i := from + 1; i <= min(s.commit, o.commit); i++ {
			if a, b := s.log.At(i), o.log.At(i); a != b {
				return fmt.Errorf("entry %d is %q on %s and %q on %s", i, a, n.Name(), b, other.Name())
			}
		}
	}
	return nil
}

// CanWrite reports that no put that was called since then has succeeded.
func (j *Judge) CanWrite(since time.Duration) error {
	if j.workload.lastPut >= since {
		return nil
	}
	var state []string
	for _, n := range j.servers {
		state = append(state, n.Name()+" "+describe(n))
	}
	return fmt.Errorf("the last put that succeeded was called at %v; %s", j.workload.lastPut, strings.Join(state, ", "))
}

func describe(n *faultline.Node) string {
	s, ok := running(n)
	switch {
	case ok:
		return fmt.Sprintf("is a %s in term %d with %d of %d entries in effect", s.role, s.log.Term, s.commit, len(s.log.Entries))
	case n.Alive():
		return "recovers its log"
	}
	return "is " + n.State().String()
}
