package raftcheck

import "go.etcd.io/raft/v3"

// leave is what is known of a leader that has to leave a joint configuration
// by itself.
type leave struct {
	from uint64 // the first entry that it has appended as leader; 0 before it
	due  bool   // since the last Ready it was told that everything up to its last change is applied
}

// observe notes that the leader was told of applied entries. Raft leaves then,
// unless leadership is being transferred, a change is still to be applied, or it
// is no member any more: then it drops all proposals.
func (l *leave) observe(n *Node, old, s *Status) {
	leads := s.Role == raft.StateLeader && old.Role == raft.StateLeader && s.Term == old.Term
	if s.Applied == old.Applied || !leads || !n.conf.joint() || !n.conf.autoLeave || !n.conf.member(n.id) {
		return
	}
	if old.Transferee == raft.None && s.Transferee == raft.None && l.from > 0 && s.Applied >= l.from-1 && n.lastChange() <= s.Applied {
		l.due = true
	}
}

// ready is P22 on the entries of a Ready, which are in the log already.
func (l *leave) ready(n *Node) error {
	due := l.due
	l.due = false
	if !due || n.last.Role != raft.StateLeader || n.last.Term != n.readyTerm || !n.conf.joint() || n.lastChange() > n.last.Applied {
		return nil
	}
	return n.fail(Liveness, "is leader and has applied entry %d, and does not propose to leave %v", n.last.Applied, n.conf)
}

// lastChange returns the index of the last configuration change that is in the
// log and not applied, 0 if there is none.
func (n *Node) lastChange() uint64 {
	if k := len(n.changes); k > 0 {
		return n.changes[k-1]
	}
	return 0
}
