package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// transfer is what is known of a leader's transfer of leadership.
type transfer struct {
	at      int    // the tick at which it began or ended
	changes int    // how often it began or ended since the last Ready
	before  uint64 // the target at the last Ready
	told    bool   // the target was told to stand for election
}

// Transferred tells of a call of TransferLeader. It is P22 on a leader: it
// takes up a transfer to another voter.
func (n *Node) Transferred(to uint64, s Status) error {
	n.passesOn(raftpb.MsgTransferLeader)
	if err := n.observe(s, callOther); err != nil {
		return err
	}
	return n.takesUp(to, &s)
}

// takesUp is P22 on a leader that was asked to hand leadership over.
func (n *Node) takesUp(to uint64, s *Status) error {
	if s.Role != raft.StateLeader || to == n.id || s.Transferee == to || !n.conf.voter(to) {
		return nil
	}
	return n.fail(Liveness, "is leader and does not take up a transfer of leadership to node %d", to)
}

// change is P22 on a transfer that begins or ends: it goes from a leader to
// another voter.
func (t *transfer) change(n *Node, s *Status) error {
	t.at, t.told = n.elections.ticks, false
	t.changes++
	switch {
	case s.Transferee == raft.None:
		return nil
	case s.Role != raft.StateLeader:
		return n.fail(Liveness, "is transferring leadership to node %d and does not lead", s.Transferee)
	case s.Transferee == n.id:
		return n.fail(Liveness, "is transferring leadership to itself")
	case !n.conf.voter(s.Transferee):
		return n.fail(Liveness, "is transferring leadership to node %d, which cannot lead; its configuration is %v", s.Transferee, n.conf)
	}
	return nil
}

// running returns the target of a transfer that has gone on since the last
// Ready or began after it, so that nothing was appended meanwhile.
func (t *transfer) running(n *Node) uint64 {
	if t.changes == 0 || t.changes == 1 && t.before == raft.None {
		return n.last.Transferee
	}
	return raft.None
}

// ready is P22 on a Ready of a leader that is transferring leadership, and P19 on
// whom it tells to stand for election.
func (t *transfer) ready(n *Node, rd *raft.Ready) error {
	if to := n.last.Transferee; to != raft.None && t.changes == 0 && len(rd.Entries) > 0 {
		if err := n.fail(Liveness, "is transferring leadership to node %d and appends entry %d", to, rd.Entries[0].GetIndex()); err != nil {
			return err
		}
	}
	if err := t.tells(n, rd); err != nil {
		return err
	}
	to := t.running(n)
	t.changes, t.before = 0, n.last.Transferee
	if to == raft.None {
		return nil
	}
	for _, m := range rd.Messages {
		if m.GetType() != raftpb.MsgTimeoutNow {
			continue
		}
		if m.GetTo() != to {
			return n.fail(ElectionRules, "tells node %d to stand for election, and is transferring leadership to node %d", m.GetTo(), to)
		}
		if p, ok := n.progress(to); ok && p.Match < n.log.last() {
			return n.fail(Liveness, "tells node %d to stand for election, and knows that it has entries up to %d; its own log ends at %d", to, p.Match, n.log.last())
		}
	}
	return nil
}

// tells is P22 on a transfer to a node that has the whole log: it is told to
// stand for election.
func (t *transfer) tells(n *Node, rd *raft.Ready) error {
	to := n.last.Transferee
	if to == raft.None || t.told {
		return nil
	}
	t.told = (&owed{to: to, kind: raftpb.MsgTimeoutNow}).in(rd.Messages)
	if t.told {
		return nil
	}
	if p, ok := n.progress(to); ok && p.Match == n.log.last() {
		return n.fail(Liveness, "is transferring leadership to node %d, which has the whole log, up to %d, and does not tell it to stand for election", to, p.Match)
	}
	return nil
}

// mustStand reports whether nothing keeps a follower from standing for election
// when it is told to.
func (n *Node) mustStand(m *raftpb.Message) bool {
	s := &n.last
	return s.Role == raft.StateFollower && m.GetTerm() >= s.Term && n.conf.voter(n.id) &&
		!n.elections.appended && s.Applied >= n.snapshotAt && n.lastChange() <= s.Applied
}
