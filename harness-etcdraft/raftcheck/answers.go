package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// owed is an answer that the next Ready must hold: another node waits for it,
// or learns of a newer term by it alone.
type owed struct {
	to   uint64
	kind raftpb.MessageType // of the answer
	of   raftpb.MessageType // of what it answers
}

// owes notes what raft has to answer a message with. old is what the node was
// before it got it.
func (n *Node) owes(m *raftpb.Message, old *Status) {
	answer := raftpb.MsgAppResp
	switch m.GetType() {
	case raftpb.MsgApp, raftpb.MsgHeartbeat:
		switch {
		case m.GetTerm() < old.Term:
			if !n.cfg.checkQuorum && !n.cfg.preVote {
				return // the leader learns of the newer term when the node stands for election
			}
		case m.GetType() == raftpb.MsgHeartbeat:
			answer = raftpb.MsgHeartbeatResp
		}
	case raftpb.MsgSnap:
		if m.GetTerm() < old.Term {
			return
		}
	case raftpb.MsgVote, raftpb.MsgPreVote:
		answer = raftpb.MsgPreVoteResp
		if m.GetType() == raftpb.MsgVote {
			if m.GetTerm() < old.Term {
				return
			}
			answer = raftpb.MsgVoteResp
		}
		if n.cfg.checkQuorum && m.GetTerm() > old.Term && old.Lead != raft.None {
			return // the lease of the leader may not have ended
		}
	default:
		return
	}
	o := owed{m.GetFrom(), answer, m.GetType()}
	if k := len(n.owed); k == 0 || n.owed[k-1] != o {
		n.owed = append(n.owed, o)
	}
}

// pays is P22 on the messages of a Ready: what was asked since the last one is
// answered.
func (n *Node) pays(rd *raft.Ready) error {
	for k := range n.owed {
		if o := &n.owed[k]; !o.in(rd.Messages) {
			if err := n.fail(Liveness, "does not answer the %v of node %d", o.of, o.to); err != nil {
				return err
			}
		}
	}
	n.owed = n.owed[:0]
	return nil
}

// in reports whether the answer is among messages, or among what goes out when
// they are durable.
func (o *owed) in(messages []*raftpb.Message) bool {
	for _, m := range messages {
		if m.GetTo() == o.to && m.GetType() == o.kind || m.GetTo() == raft.LocalAppendThread && o.in(m.GetResponses()) {
			return true
		}
	}
	return false
}
