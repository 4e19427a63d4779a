package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// elections is what P19 and P22 know of the ticks of an incarnation.
type elections struct {
	ticks    int
	quiet    int       // the tick at which the leader was heard last; -1 for never
	grace    int       // the tick from which on silence of followers counts
	appended bool      // raft was given entries or a snapshot since the last Ready
	led      bool      // it has led since then
	idle     int       // ticks in which nothing keeps the node from standing for election
	asked    []request // since the last Ready
	forced   uint64    // the term for which it stands because its leader has told it to
}

// request is a request for a vote.
type request struct {
	from, term uint64
	pre        bool
	refused    bool // the node was in its leader's lease
}

// lead begins a leadership.
func (e *elections) lead() { e.grace = e.ticks }

// flow is what a leader has to do with a follower.
type flow struct {
	id      uint64
	heard   bool   // it has answered at all
	contact int    // at which tick, last
	match   uint64 // as it was seen last
	known   uint64 // what it had acknowledged, and was committed, at the last Ready
	moved   bool   // the window may have moved since the last Ready
	beat    bool   // it has answered a heartbeat since the last Ready
	probes  int    // messages with entries since it has answered anything
	window  window
}

func (f *flow) answers(tick int) { f.heard, f.contact = true, tick }

func (n *Node) flow(id uint64) *flow {
	for k := range n.flows {
		if n.flows[k].id == id {
			return &n.flows[k]
		}
	}
	n.flows = append(n.flows, flow{id: id})
	return &n.flows[len(n.flows)-1]
}

// Ticked tells of a call of Tick.
func (n *Node) Ticked(s Status) error {
	e := &n.elections
	e.ticks++
	deposed := n.last.Role == raft.StateLeader && s.Role == raft.StateFollower
	if err := n.observe(s, callTick); err != nil {
		return err
	}
	if deposed && n.c.quorum(n.conf, func(v *Node) bool { return n.heardWithin(v, 1) }) {
		return n.fail(ElectionRules, "is leader no more; it has heard from a quorum since its last tick")
	}
	if s.Role != raft.StateLeader {
		return n.stands(&s)
	}
	if s.Transferee != raft.None && e.ticks-n.transfer.at > n.cfg.election {
		if err := n.fail(Liveness, "has been transferring leadership to node %d for %d ticks; the election timeout is %d", s.Transferee, e.ticks-n.transfer.at, n.cfg.election); err != nil {
			return err
		}
	}
	if n.cfg.checkQuorum {
		return n.inTouch()
	}
	return nil
}

// stands is P22 on a voter that hears from nobody: it stands for election within
// two election timeouts.
func (n *Node) stands(s *Status) error {
	e := &n.elections
	// What a pre-candidate does again is not seen before the next Ready.
	free := s.Role != raft.StatePreCandidate && n.conf.voter(n.id) && !e.appended && s.Applied >= n.snapshotAt && n.lastChange() <= s.Applied
	if !free {
		e.idle = 0
		return nil
	}
	if e.idle++; e.idle <= 2*n.cfg.election {
		return nil
	}
	return n.fail(Liveness, "has heard from nobody for %d ticks and does not stand for election; the election timeout is %d", e.idle, n.cfg.election)
}

// inTouch is P19 on a leader with CheckQuorum: it hears from a quorum.
func (n *Node) inTouch() error {
	e, most := &n.elections, 2*n.cfg.election+1
	if e.ticks-e.grace <= most {
		return nil
	}
	heard := func(v *Node) bool { return n.heardWithin(v, most) }
	if !n.c.quorum(n.conf, heard) {
		return n.fail(ElectionRules, "is still leader; within %d ticks it has heard only from %s", most, n.c.voters(n.conf, heard))
	}
	return nil
}

// heardWithin reports whether a leader has heard from a node within that many
// ticks.
func (n *Node) heardWithin(v *Node, most int) bool {
	if v == n {
		return true
	}
	for k := range n.flows {
		if f := &n.flows[k]; f.id == v.id {
			return f.heard && n.elections.ticks-f.contact <= most
		}
	}
	return false
}

// laterTerm is P19 on a node that goes to a later term: it has been told of that
// term, or it stands for election.
func (n *Node) laterTerm(old, s *Status, told uint64) error {
	if s.Term <= old.Term || s.Term == told || s.Role != raft.StateFollower {
		return nil
	}
	return n.fail(ElectionRules, "goes from term %d to %d, of which nobody has told it, and does not stand for election", old.Term, s.Term)
}

// termOf returns the term that a message tells of; 0 if it is one in which
// somebody may stand for election later.
func termOf(m *raftpb.Message) uint64 {
	if k := m.GetType(); k == raftpb.MsgPreVote || k == raftpb.MsgPreVoteResp && !m.GetReject() {
		return 0
	}
	return m.GetTerm()
}

// Stepped tells of a call of Step. m is the message as it was given to raft,
// from the network or from one of the node's own storage workers.
func (n *Node) Stepped(m *raftpb.Message, s Status) error {
	by, old := callStep, n.last
	n.c.clock++
	n.owes(m, &n.last)
	kind := m.GetType()
	switch kind {
	case raftpb.MsgVote, raftpb.MsgPreVote:
		n.elections.idle = 0
		if err := n.askedToVote(m, &s); err != nil {
			return err
		}
	case raftpb.MsgProp:
		n.takesProposal(m)
	case raftpb.MsgTimeoutNow:
		if m.GetTerm() >= n.last.Term { // others are ignored
			by = callTimeoutNow
		}
	case raftpb.MsgApp, raftpb.MsgSnap:
		if m.GetTerm() >= n.last.Term { // others are ignored
			n.elections.appended = true
		}
	case raftpb.MsgStorageAppendResp:
		n.quota.saves(n, m, &s)
	case raftpb.MsgStorageApplyResp:
		n.quota.release(n, m.GetEntries())
	case raftpb.MsgVoteResp:
		if m.GetFrom() == n.id && m.GetTerm() == n.last.Term && (n.dur.term != m.GetTerm() || n.dur.vote != n.id) {
			if err := n.fail(PersistBeforeSend, "counts its own vote; durable are term %d and vote %d", n.dur.term, n.dur.vote); err != nil {
				return err
			}
		}
	case raftpb.MsgAppResp:
		if m.GetFrom() == n.id {
			if err := n.acknowledges(m, m.GetTerm()); err != nil {
				return err
			}
		}
	}
	stands := kind == raftpb.MsgTimeoutNow && n.mustStand(m)
	if err := n.observe(s, by); err != nil {
		return err
	}
	if err := n.laterTerm(&old, &s, termOf(m)); err != nil {
		return err
	}
	if stands {
		if s.Role == raft.StateFollower || s.Role == raft.StatePreCandidate {
			return n.fail(Liveness, "is told by node %d to stand for election and is %v", m.GetFrom(), s.Role)
		}
		n.elections.forced = s.Term
	}
	if m.GetTerm() != s.Term {
		return nil
	}
	switch kind {
	case raftpb.MsgTransferLeader:
		return n.takesUp(m.GetFrom(), &s)
	case raftpb.MsgApp, raftpb.MsgHeartbeat, raftpb.MsgSnap:
		if s.Role != raft.StateFollower || s.Lead != m.GetFrom() {
			return n.fail(ElectionRules, "gets a %v of node %d, which leads its term, and is %v and follows node %d", kind, m.GetFrom(), s.Role, s.Lead)
		}
		if kind == raftpb.MsgSnap {
			if err := n.takesUpSnapshot(m.GetSnapshot().GetMetadata(), &s); err != nil {
				return err
			}
		}
		n.elections.quiet, n.elections.idle = n.elections.ticks, 0
		if kind == raftpb.MsgHeartbeat {
			*n.beatOf(m.GetFrom()) = beat{m.GetFrom(), s.Term, n.c.clock}
		}
	case raftpb.MsgHeartbeatResp:
		if s.Role == raft.StateLeader {
			f := n.flow(m.GetFrom())
			f.answers(n.elections.ticks)
			f.beat = true
		}
	case raftpb.MsgAppResp:
		if s.Role == raft.StateLeader {
			return n.hears(m)
		}
	case raftpb.MsgReadIndexResp:
		n.reads.told = n.reads.told || s.Role == raft.StateFollower && n.conf.member(m.GetFrom())
	}
	return nil
}

// takesUpSnapshot is P22 on a follower that gets a snapshot of its leader. One
// that is behind what is committed, or of a time at which the node was no
// member, is ignored.
func (n *Node) takesUpSnapshot(meta *raftpb.SnapshotMetadata, s *Status) error {
	if s.Commit >= meta.GetIndex() || !newConf(meta.GetConfState()).member(n.id) {
		return nil
	}
	return n.fail(Liveness, "ignores the snapshot at %d of its leader; its commit index is %d, and the configuration there is (%v)", meta.GetIndex(), s.Commit, newConf(meta.GetConfState()))
}

// askedToVote is P19 and P3 on a node that is asked for a vote.
func (n *Node) askedToVote(m *raftpb.Message, s *Status) error {
	old, from, pre := &n.last, m.GetFrom(), m.GetType() == raftpb.MsgPreVote
	if pre && (s.Term != old.Term || s.Vote != old.Vote) {
		return n.fail(ElectionRules, "is asked for a pre-vote by node %d and goes from term %d and vote %d to term %d and vote %d", from, old.Term, old.Vote, s.Term, s.Vote)
	}
	refused := n.cfg.checkQuorum && !forced(m) && m.GetTerm() > old.Term && n.inLease(old)
	if refused && (s.Term != old.Term || s.Vote != old.Vote) {
		return n.fail(ElectionRules, "follows node %d, heard %d ticks ago, and turns to node %d in term %d; the election timeout is %d", old.Lead, n.elections.ticks-n.elections.quiet, from, s.Term, n.cfg.election)
	}
	n.elections.asked = append(n.elections.asked, request{from, m.GetTerm(), pre, refused})
	if pre || s.Vote != from || s.Term == old.Term && old.Vote == from || n.elections.appended {
		return nil
	}
	if end := n.log.end(); m.GetLogTerm() < end.term || m.GetLogTerm() == end.term && m.GetIndex() < n.log.last() {
		return n.fail(ElectionCertificate, "votes for node %d, whose log ends at entry %d of term %d; its own ends at entry %d of term %d",
			from, m.GetIndex(), m.GetLogTerm(), n.log.last(), end.term)
	}
	return nil
}

// inLease reports whether a node must refuse other candidates because it has
// a leader.
func (n *Node) inLease(s *Status) bool {
	if s.Lead == raft.None {
		return false
	}
	if s.Role == raft.StateLeader {
		return true
	}
	return n.elections.quiet >= 0 && n.elections.ticks-n.elections.quiet < n.cfg.election
}

// grants is P19 on a vote that a Ready hands out.
func (n *Node) grants(m *raftpb.Message) error {
	pre := m.GetType() == raftpb.MsgPreVoteResp
	if m.GetReject() || !pre && m.GetType() != raftpb.MsgVoteResp || m.GetTo() == n.id {
		return nil
	}
	refused := false
	for _, r := range n.elections.asked {
		if r.from == m.GetTo() && r.term == m.GetTerm() && r.pre == pre {
			if !r.refused {
				return nil
			}
			refused = true
		}
	}
	if refused {
		return n.fail(ElectionRules, "grants node %d a %v for term %d, and follows node %d, heard %d ticks ago; the election timeout is %d",
			m.GetTo(), m.GetType(), m.GetTerm(), n.last.Lead, n.elections.ticks-n.elections.quiet, n.cfg.election)
	}
	return nil
}

// campaigns is P15 and P19 on a node that becomes a candidate, or a candidate
// in another term.
func (n *Node) campaigns(old, s *Status, by call) error {
	if !n.conf.voter(n.id) {
		if err := n.fail(ConfChangeGuard, "campaigns and is no voter; its configuration is %v", n.conf); err != nil {
			return err
		}
	}
	if i, found := n.hasChange(s); found {
		if err := n.fail(ConfChangeGuard, "campaigns; the configuration change at %d is committed and not applied", i); err != nil {
			return err
		}
	}
	if n.snapshotAt > n.dur.snapshot {
		if err := n.fail(ConfChangeGuard, "campaigns while it installs the snapshot at %d", n.snapshotAt); err != nil {
			return err
		}
	}
	e := &n.elections
	if by == callTick && old.Lead != raft.None && n.inLease(old) {
		if err := n.fail(ElectionRules, "campaigns; it has heard from its leader, node %d, %d ticks ago, and the election timeout is %d", old.Lead, e.ticks-e.quiet, n.cfg.election); err != nil {
			return err
		}
	}
	switch {
	case by == callStep && old.Role == raft.StateFollower:
		return n.fail(ElectionRules, "campaigns for term %d, and its timeout has not passed; it follows node %d in term %d", s.Term, old.Lead, old.Term)
	case s.Role == raft.StatePreCandidate && s.Term != old.Term:
		return n.fail(ElectionRules, "becomes pre-candidate and goes from term %d to %d", old.Term, s.Term)
	case s.Role == raft.StatePreCandidate || s.Term == old.Term || !n.cfg.preVote || by == callTimeoutNow:
		return nil
	}
	// Raft counts a late promise for the term that the node has now, from its
	// last campaign, as one for the next term.
	promised := func(v *Node) bool {
		_, next := v.preVotes[preVote{s.Term, n.id}]
		_, late := v.preVotes[preVote{s.Term - 1, n.id}]
		return next || late || v == n
	}
	if !n.c.quorum(n.conf, promised) {
		return n.fail(ElectionRules, "becomes candidate with the pre-votes of %s", n.c.voters(n.conf, promised))
	}
	return nil
}
