package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
)

// Live is P22 on the state of the cluster: it returns what is missing until
// every running member is up to date behind one leader, and nil when nothing
// is. Ask it in a phase without faults, with a majority up, and demand that it
// holds within a bound. It needs no traffic of clients.
func (c *Checker) Live() error {
	var l *Node
	for _, n := range c.order {
		if n.up && n.last.Role == raft.StateLeader && (l == nil || n.last.Term > l.last.Term) {
			l = n
		}
	}
	if l == nil {
		return c.fail(Liveness, "no node is leader")
	}
	s := &l.last
	d, ok := l.log.get(s.Commit)
	switch {
	case !ok || d.term != s.Term:
		return l.fail(Liveness, "is leader and has not committed an entry of its term; the commit index is %d, of term %d", s.Commit, d.term)
	case s.Commit != l.log.last():
		return l.fail(Liveness, "is leader and has committed up to %d; its log ends at %d", s.Commit, l.log.last())
	case s.Transferee != raft.None:
		return l.fail(Liveness, "is still transferring leadership to node %d", s.Transferee)
	case l.conf.joint() && l.conf.autoLeave:
		return l.fail(Liveness, "does not leave %v", l.conf)
	case l.applied != s.Commit:
		return l.fail(Liveness, "is leader and has applied up to %d; the commit index is %d", l.applied, s.Commit)
	case len(l.reads.open) > 0:
		return l.fail(Liveness, "is leader and has not answered %d reads that it was asked for in this term", len(l.reads.open))
	}
	return c.followersLive(l)
}

// followersLive checks the running members but the leader.
func (c *Checker) followersLive(l *Node) error {
	for _, v := range c.order {
		if v == l || !v.up || !l.conf.member(v.id) {
			continue
		}
		switch {
		case v.last.Term != l.last.Term || v.last.Lead != l.id:
			return v.fail(Liveness, "follows node %d; node %d leads term %d", v.last.Lead, l.id, l.last.Term)
		case v.applied != l.last.Commit:
			return v.fail(Liveness, "has applied up to %d; the leader's commit index is %d", v.applied, l.last.Commit)
		}
		if p, ok := l.progress(v.id); ok && p.State != tracker.StateReplicate {
			return l.fail(Liveness, "leads, and keeps node %d in %v: match %d, next %d, pending snapshot %d", v.id, p.State, p.Match, p.Next, p.PendingSnapshot)
		}
	}
	return nil
}
