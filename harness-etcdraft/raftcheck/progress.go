package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// hears is P16 on a leader that a follower has answered with a MsgAppResp. An
// answer that says nothing new is not looked into.
func (n *Node) hears(m *raftpb.Message) error {
	id := m.GetFrom()
	f := n.flow(id)
	f.answers(n.elections.ticks)
	f.moved = true
	f.window.answer(m)
	if n.c.cfg.Off.Has(Progress) || !m.GetReject() && m.GetIndex() <= f.match {
		return nil
	}
	p, ok := n.progress(id)
	if !ok {
		return nil
	}
	was := f.match
	f.match = p.Match
	if err := n.sendsBehind(id, p); err != nil {
		return err
	}
	switch {
	case p.Match < was:
		return n.fail(Progress, "believed that node %d has entries up to %d, and now only up to %d", id, was, p.Match)
	case p.State == tracker.StateSnapshot && p.PendingSnapshot == 0:
		return n.fail(Progress, "waits for node %d to install a snapshot, and has sent none", id)
	case p.Match > n.log.last():
		return n.fail(Progress, "believes that node %d has up to %d; its own log ends at %d", id, p.Match, n.log.last())
	}
	if p.State == tracker.StateSnapshot && p.Match >= n.log.base {
		if err := n.fail(Liveness, "waits for node %d to install a snapshot, and knows that it has entries up to %d; its own log begins behind %d", id, p.Match, n.log.base); err != nil {
			return err
		}
	}
	v := n.c.nodes[id]
	if p.Match == 0 || v == nil || v.dur.term != n.last.Term || v.dur.snapshot >= p.Match {
		return nil
	}
	has, ok := v.dur.log.get(p.Match)
	mine, known := n.log.get(p.Match)
	if !known { // compacted, so it is committed
		mine, known = n.c.canon.get(p.Match)
	}
	switch {
	case v.dur.log.base >= p.Match:
	case !ok:
		return n.fail(Progress, "believes that node %d has up to %d; its durable log ends at %d", id, p.Match, v.dur.log.last())
	case known && has != mine:
		return n.fail(Progress, "believes that node %d has entry %d of term %d; durable there is one of term %d", id, p.Match, mine.term, has.term)
	}
	return nil
}

// sendsBehind is P16 on what a leader would send next.
func (n *Node) sendsBehind(id uint64, p *tracker.Progress) error {
	if p.Match < p.Next {
		return nil
	}
	return n.fail(Progress, "expects node %d to have up to %d, and would send from %d on", id, p.Match, p.Next)
}

// knowsNothing is P16 on a new leader, and on the new members of a leader:
// they have not acknowledged anything to it. known are the members that may
// have.
func (n *Node) knowsNothing(known *conf) error {
	for _, v := range n.c.order {
		if v == n || known.member(v.id) {
			continue
		}
		if p, ok := n.progress(v.id); ok && p.Match > 0 {
			return n.fail(Progress, "leads and believes that node %d has up to %d; it has not heard from it yet", v.id, p.Match)
		}
	}
	return nil
}

// progress returns what a leader knows of a follower.
func (n *Node) progress(id uint64) (*tracker.Progress, bool) {
	if n.raft == nil {
		return nil, false
	}
	n.visiting, n.hasFound = id, false
	n.raft.WithProgress(n.visit)
	return &n.found, n.hasFound
}

func (n *Node) visitProgress(id uint64, _ raft.ProgressType, p tracker.Progress) {
	if id == n.visiting {
		n.found, n.hasFound = p, true
	}
}

// commitsAll is P22 on a leader in a new configuration: what a quorum of it has
// acknowledged is committed.
func (n *Node) commitsAll() error {
	if !n.conf.voter(n.id) {
		return nil // raft leaves it to the next leader
	}
	match := map[*Node]uint64{}
	for _, v := range n.c.order {
		if p, ok := n.progress(v.id); ok {
			match[v] = p.Match
		}
	}
	for _, v := range n.c.order {
		i := match[v]
		if d, ok := n.log.get(i); i <= n.last.Commit || !ok || d.term != n.last.Term {
			continue
		}
		has := func(v *Node) bool { return match[v] >= i }
		if n.c.quorum(n.conf, has) {
			return n.fail(Liveness, "is leader and has committed up to %d; %s have acknowledged up to %d", n.last.Commit, n.c.voters(n.conf, has), i)
		}
	}
	return nil
}
