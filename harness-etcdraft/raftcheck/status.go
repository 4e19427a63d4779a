package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
)

// Called tells of a call into raft for which there is no method of its own:
// Campaign, ForgetLeader. It is P18 on the last: a leader
// reads by the lease that its followers know of.
func (n *Node) Called(s Status) error {
	if n.c.cfg.LeaseReads && n.last.Lead != raft.None && s.Lead == raft.None && s.Role == raft.StateFollower {
		return n.fail(LeaseReads, "is asked to forget its leader, node %d, and does; reads rely on the lease", n.last.Lead)
	}
	return n.observe(s, callOther)
}

// Advanced tells of a call of Advance.
func (n *Node) Advanced(s Status) error {
	for k := range n.writes {
		if n.writes[k].sync {
			if err := n.fail(PersistBeforeSend, "calls Advance before everything of the Ready is durable"); err != nil {
				return err
			}
			break
		}
	}
	n.quota.advance()
	return n.observe(s, callOther)
}

// Reported tells of a call of ReportUnreachable for a peer. It is P16 on a
// leader: what it sends next is behind what is known to match.
func (n *Node) Reported(peer uint64, s Status) error {
	f := n.flow(peer)
	f.moved = true
	f.window.shut()
	if err := n.observe(s, callOther); err != nil {
		return err
	}
	if p, ok := n.progress(peer); ok && s.Role == raft.StateLeader {
		return n.sendsBehind(peer, p)
	}
	return nil
}

// SnapshotReported tells of a call of ReportSnapshot for a peer. It is P22 on
// a leader: it waits for that snapshot no more.
func (n *Node) SnapshotReported(peer uint64, s Status) error {
	if err := n.Reported(peer, s); err != nil {
		return err
	}
	if p, ok := n.progress(peer); ok && s.Role == raft.StateLeader && p.State == tracker.StateSnapshot {
		return n.fail(Liveness, "was told how the snapshot for node %d has ended, and goes on waiting for it: match %d, pending snapshot %d", peer, p.Match, p.PendingSnapshot)
	}
	return nil
}

// call says what kind of call into raft it was.
type call uint8

const (
	callOther call = iota
	callTick
	callStep
	callTimeoutNow // a step of MsgTimeoutNow
)

// observe compares what raft says of itself with what it said before.
func (n *Node) observe(s Status, by call) error {
	old := n.last
	if s == old {
		return nil
	}
	n.last = s
	n.elections.led = n.elections.led || s.Role == raft.StateLeader
	n.leave.observe(n, &old, &s)
	if err := n.monotonic(&old, &s); err != nil {
		return err
	}
	if by == callOther || by == callTick {
		if err := n.laterTerm(&old, &s, 0); err != nil {
			return err
		}
	}
	if s.Transferee != old.Transferee {
		if s.Transferee != raft.None { // raft begins to count anew; at the end it does not
			n.elections.grace = n.elections.ticks
		}
		if err := n.transfer.change(n, &s); err != nil {
			return err
		}
	}
	if s.Lead != old.Lead || s.Term != old.Term {
		if err := n.newLead(&old, &s); err != nil {
			return err
		}
	}
	if s.Role != old.Role || s.Term != old.Term || s.Lead != old.Lead || s.Vote != old.Vote {
		n.elections.idle = 0
	}
	if s.Role != old.Role || s.Term != old.Term {
		if err := n.newRole(&old, &s, by); err != nil {
			return err
		}
	}
	if s.Commit != old.Commit {
		return n.newCommit(&old, &s)
	}
	return nil
}

// monotonic is the part of P11 on raft's state, and of P2 on its vote.
func (n *Node) monotonic(old, s *Status) error {
	switch {
	case s.Term < old.Term:
		return n.fail(Monotonic, "had term %d before", old.Term)
	case s.Commit < old.Commit:
		return n.fail(Monotonic, "goes back from commit index %d to %d", old.Commit, s.Commit)
	case s.Applied < old.Applied:
		return n.fail(Monotonic, "goes back from applied index %d to %d", old.Applied, s.Applied)
	case s.Term == old.Term && s.Vote != old.Vote && old.Vote != raft.None:
		return n.fail(OneVote, "changes its vote from %d to %d", old.Vote, s.Vote)
	case s.Applied > s.Commit:
		return n.fail(ApplyOrder, "has applied up to %d, and its commit index is %d", s.Applied, s.Commit)
	}
	return nil
}

// newLead is P1 as the nodes see it.
func (n *Node) newLead(old, s *Status) error {
	if s.Role == raft.StateLeader && s.Lead != n.id {
		return n.fail(ElectionSafety, "is leader and believes that node %d is", s.Lead)
	}
	if s.Lead == raft.None {
		return nil
	}
	l, known := n.c.leaders[s.Term]
	if !known {
		n.c.leaders[s.Term] = leader{node: s.Lead}
	} else if l.node != s.Lead {
		return n.fail(ElectionSafety, "follows node %d; node %d leads this term", s.Lead, l.node)
	}
	return nil
}

// newRole checks what a node must fulfil to become a candidate or a leader.
func (n *Node) newRole(old, s *Status, by call) error {
	clear(n.reads.open)
	switch s.Role {
	case raft.StateLeader:
		if old.Role != raft.StateLeader || old.Term != s.Term {
			return n.becomesLeader(s)
		}
	case raft.StateCandidate, raft.StatePreCandidate:
		return n.campaigns(old, s, by)
	}
	return nil
}

// becomesLeader is P1, P3 and P10.
func (n *Node) becomesLeader(s *Status) error {
	n.fresh, n.leave = true, leave{}
	n.quota.uncommitted = 0
	n.flows = n.flows[:0]
	n.elections.lead()
	if l := n.c.leaders[s.Term]; l.node != 0 && (l.node != n.id || l.boot != 0 && l.boot != n.boot) {
		if err := n.fail(ElectionSafety, "becomes leader; node %d (boot %d) leads this term", l.node, l.boot); err != nil {
			return err
		}
	}
	n.c.leaders[s.Term] = leader{n.id, n.boot}
	granted := func(v *Node) bool {
		if v == n {
			return n.dur.term == s.Term && n.dur.vote == n.id
		}
		g := v.votes[s.Term]
		return g.sent && g.candidate == n.id
	}
	if !n.c.quorum(n.conf, granted) {
		if err := n.fail(ElectionCertificate, "becomes leader with the votes of %s", n.c.voters(n.conf, granted)); err != nil {
			return err
		}
	}
	if err := n.knowsNothing(&conf{}); err != nil {
		return err
	}
	k := n.c.canon.before(s.Term)
	if k <= n.log.base {
		return nil
	}
	want, _ := n.c.canon.get(k)
	if got, ok := n.log.get(k); !ok {
		return n.fail(LeaderCompleteness, "becomes leader with a log that ends at %d; entry %d of term %d is committed", n.log.last(), k, want.term)
	} else if got != want {
		return n.fail(LeaderCompleteness, "becomes leader with entry %d of term %d and digest %x; term %d and digest %x is committed", k, got.term, got.hash, want.term, want.hash)
	}
	return nil
}

// newCommit is P9, and starts P8.
func (n *Node) newCommit(old, s *Status) error {
	n.c.maxCommit = max(n.c.maxCommit, s.Commit)
	if s.Role == raft.StateLeader && old.Role == raft.StateLeader && old.Term == s.Term {
		if err := n.leaderCommits(s); err != nil {
			return err
		}
	}
	if n.elections.appended {
		return nil // the log may be another one; the next Ready tells
	}
	return n.advanceCommit()
}

// leaderCommits is P9.
func (n *Node) leaderCommits(s *Status) error {
	d, ok := n.log.get(s.Commit)
	switch {
	case !ok:
		return n.fail(CommitRule, "commits up to %d; its log goes from %d to %d", s.Commit, n.log.base+1, n.log.last())
	case d.term != s.Term:
		return n.fail(CommitRule, "commits up to entry %d of term %d, by counting replicas of an older term", s.Commit, d.term)
	}
	has := func(v *Node) bool {
		if v.dur.log.base >= s.Commit || v.dur.snapshot >= s.Commit {
			return true
		}
		x, ok := v.dur.log.get(s.Commit)
		return ok && x.term == s.Term
	}
	if !n.c.quorum(n.conf, has) {
		return n.fail(CommitRule, "commits entry %d, which is durable on %s", s.Commit, n.c.voters(n.conf, has))
	}
	return nil
}

// advanceCommit is P8: it compares what is newly known to be committed.
func (n *Node) advanceCommit() error {
	c := &n.c.canon
	to := min(n.last.Commit, n.log.last())
	for i := max(n.checked, n.log.base, c.base) + 1; i <= to; i++ {
		d, _ := n.log.get(i)
		want, ok := c.get(i)
		switch {
		case ok && want != d:
			if err := n.fail(CommittedAgreement, "commits entry %d of term %d and digest %x; %s", i, d.term, d.hash, n.c.committed(i)); err != nil {
				return err
			}
		case !ok && i == c.last()+1:
			if n.last.Role != raft.StateLeader {
				if err := n.fail(CommitRule, "commits entry %d of term %d, which no leader has committed", i, d.term); err != nil {
					return err
				}
			}
			c.list = append(c.list, commit{d, n.last.Term})
		}
	}
	n.checked = max(n.checked, to)
	return nil
}

// committed describes what is committed at an index.
func (c *Checker) committed(i uint64) string {
	d, ok := c.canon.get(i)
	if !ok {
		return sprintf("what is known to be committed ends at %d", c.canon.last())
	}
	return sprintf("term %d and digest %x is committed", d.term, d.hash)
}

// hasChange reports whether a configuration change is committed here and raft
// does not count it as applied.
func (n *Node) hasChange(s *Status) (uint64, bool) {
	for _, i := range n.changes {
		if i > s.Applied {
			return i, i <= s.Commit
		}
	}
	return 0, false
}
