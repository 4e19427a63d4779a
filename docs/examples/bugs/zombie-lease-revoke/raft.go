package zombieleaserevoke

import (
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// electAfter is how long raft waits for a leader that says nothing.
const electAfter = 300 * time.Millisecond

// Messages between raft and the members.
type (
	alive struct{ Round int }
	// lead answers who leads.
	lead struct {
		Term   int
		Leader string
		Round  int // of the question
	}
	// revoke asks to end a lease, by the leader of a term; 0: by anybody.
	revoke struct {
		Lease string
		Term  int
	}
)

// raft is the program of the node that stands for what is agreed on.
type raft struct {
	kernel.Idle
	node    *faultline.Node
	term    int
	leader  string
	heard   time.Duration // of the leader
	revoked []string      // the leases that have ended, in order
	by      string        // who has asked for the last one
}

// Receive takes in what a member says.
func (r *raft) Receive(from string, msg any) {
	now := r.node.Monotonic()
	switch m := msg.(type) {
	case alive:
		if from != r.leader && (r.leader == "" || now-r.heard > electAfter) {
			r.term, r.leader = r.term+1, from
			r.node.Log("elects", kernel.Str("leader", from), kernel.Int("term", int64(r.term)))
		}
		if from == r.leader {
			r.heard = now
		}
		r.node.Send(from, lead{r.term, r.leader, m.Round})
	case revoke:
		if m.Term != 0 && m.Term != r.term {
			return
		}
		for _, lease := range r.revoked {
			if lease == m.Lease {
				return
			}
		}
		r.revoked, r.by = append(r.revoked, m.Lease), from
		r.node.Point("revoked")
	}
}
