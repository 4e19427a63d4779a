package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// owed is a message that the next Ready must hold: another node waits for it,
// or learns of a newer term by it alone.
type owed struct {
	to    uint64
	kind  raftpb.MessageType
	of    raftpb.MessageType // what it answers or passes on
	grant bool               // it must not be a rejection
}

// owes notes what raft has to answer a message with. old is what the node was
// before it got it.
func (n *Node) owes(m *raftpb.Message, old *Status) {
	o := owed{to: m.GetFrom(), kind: raftpb.MsgAppResp, of: m.GetType()}
	switch late := m.GetTerm() < old.Term; m.GetType() {
	case raftpb.MsgApp, raftpb.MsgHeartbeat:
		if late && !n.cfg.checkQuorum && !n.cfg.preVote {
			return // the leader learns of the newer term when the node stands for election
		}
		if !late && m.GetType() == raftpb.MsgHeartbeat {
			o.kind = raftpb.MsgHeartbeatResp
		}
	case raftpb.MsgSnap:
		if late {
			return
		}
	case raftpb.MsgPreVote:
		if n.mayRefuse(m, old) {
			return
		}
		o.kind, o.grant = raftpb.MsgPreVoteResp, m.GetTerm() > old.Term && n.electable(m)
	case raftpb.MsgVote:
		if late || n.mayRefuse(m, old) {
			return
		}
		free := old.Vote == m.GetFrom() || old.Vote == raft.None && old.Lead == raft.None
		o.kind, o.grant = raftpb.MsgVoteResp, (m.GetTerm() > old.Term || free) && n.electable(m)
	case raftpb.MsgHeartbeatResp:
		if m.GetTerm() != old.Term || !n.lacks(m.GetFrom()) {
			return
		}
		o.kind = raftpb.MsgApp
	default:
		return
	}
	n.owe(o)
}

// lacks reports whether a leader knows that a follower lacks entries, and can
// send them.
func (n *Node) lacks(id uint64) bool {
	if n.last.Role != raft.StateLeader || n.flow(id).match >= n.log.last() {
		return false
	}
	p, ok := n.progress(id)
	return ok && p.State != tracker.StateSnapshot && p.Match < n.log.last() && p.Next > n.log.base
}

// owe notes a message that the next Ready must hold.
func (n *Node) owe(o owed) {
	if k := len(n.owed); k == 0 || n.owed[k-1] != o {
		n.owed = append(n.owed, o)
	}
}

// mayRefuse reports whether a request for a vote may go unanswered, because the
// lease of the leader may not have ended.
func (n *Node) mayRefuse(m *raftpb.Message, old *Status) bool {
	return n.cfg.checkQuorum && m.GetTerm() > old.Term && old.Lead != raft.None && !forced(m)
}

// electable reports whether the log of a candidate is surely good enough.
func (n *Node) electable(m *raftpb.Message) bool {
	if n.elections.appended || n.elections.led {
		return false // the log may be another one; the next Ready tells
	}
	end := n.log.end()
	return m.GetLogTerm() > end.term || m.GetLogTerm() == end.term && m.GetIndex() >= n.log.last()
}

// forced reports whether a vote is asked for to take over from the leader.
func forced(m *raftpb.Message) bool { return string(m.GetContext()) == "CampaignTransfer" }

// passesOn notes that a follower has to pass something on to its leader.
func (n *Node) passesOn(kind raftpb.MessageType) {
	if n.last.Role == raft.StateFollower && n.last.Lead != raft.None {
		n.owe(owed{to: n.last.Lead, kind: kind, of: kind})
	}
}

// Proposed tells of a call of Propose that has returned err.
func (n *Node) Proposed(err error, s Status) error {
	if err == nil {
		n.passesOn(raftpb.MsgProp)
	}
	return n.observe(s, callOther)
}

// pays is P22 on the messages of a Ready: what was asked since the last one is
// answered or passed on.
func (n *Node) pays(rd *raft.Ready) error {
	for k := range n.owed {
		o := &n.owed[k]
		if o.in(rd.Messages) {
			continue
		}
		var err error
		switch {
		case o.kind == o.of:
			err = n.fail(Liveness, "does not pass a %v on to node %d, its leader", o.of, o.to)
		case o.kind == raftpb.MsgApp:
			err = n.fail(Liveness, "is leader, gets a %v of node %d, which lacks entries, and sends it none", o.of, o.to)
		case o.grant:
			err = n.fail(Liveness, "does not grant the %v of node %d, whose log is no worse than its own, and has voted for no other", o.of, o.to)
		default:
			err = n.fail(Liveness, "does not answer the %v of node %d", o.of, o.to)
		}
		if err != nil {
			return err
		}
	}
	n.owed = n.owed[:0]
	return nil
}

// in reports whether the message is among those that go out, or among those
// that do when everything is durable.
func (o *owed) in(messages []*raftpb.Message) bool {
	for _, m := range messages {
		if m.GetTo() == o.to && m.GetType() == o.kind && !(o.grant && m.GetReject()) {
			return true
		}
		if m.GetTo() == raft.LocalAppendThread && o.in(m.GetResponses()) {
			return true
		}
	}
	return false
}
