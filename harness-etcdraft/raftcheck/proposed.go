package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// proposed counts the configuration changes that a leader was asked for since the
// last Ready. What it then appends may be handed out when the change before is
// applied, as without async writes, where the next Ready waits for Advance.
type proposed struct {
	changes int
	early   int // of them, while one in its log was not applied
}

// ChangeProposed tells of a call of ProposeConfChange.
func (n *Node) ChangeProposed(s Status) error {
	n.asksForChange()
	return n.observe(s, callOther)
}

// takesProposal notes the changes in a proposal of another node. Raft has put
// something else in the place of those that it turned down.
func (n *Node) takesProposal(m *raftpb.Message) {
	for _, e := range m.GetEntries() {
		if isChange(e) {
			n.asksForChange()
		}
	}
}

func (n *Node) asksForChange() {
	if n.last.Role != raft.StateLeader || n.fresh {
		return
	}
	n.proposed.changes++
	if n.lastChange() > n.last.Applied {
		n.proposed.early++
	}
}

// askedEarly is P15 on a change that a leader appends: not all that it was asked
// for came too early. Raft itself asks for an empty one.
func (n *Node) askedEarly(e *raftpb.Entry) error {
	p := &n.proposed
	if len(e.GetData()) == 0 || p.early == 0 || p.early < p.changes || n.cfg.unguarded {
		return nil
	}
	return n.fail(ConfChangeGuard, "is leader and appends the configuration change %d; when it was proposed, the one before was not applied yet", e.GetIndex())
}
