package etcdraft

import (
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// noteOptions counts what an incarnation is configured with.
func (c *Cluster) noteOptions(r *Replica) {
	m := &r.mode
	pair := [...]Feature{noPreVoteNoCheckQuorum, preVoteOnly, checkQuorumOnly, preVoteAndCheckQuorum}
	n := 0
	if m.PreVote {
		n++
	}
	if m.CheckQuorum {
		n += 2
	}
	c.meet(pair[n])
	if was := c.programs[r.id-1]; was != nil {
		c.meetIf(was.mode.PreVote != m.PreVote || was.mode.CheckQuorum != m.CheckQuorum, modeRolled)
	}
	c.meetIf(m.Async, asyncStorage)
	c.meetIf(!m.Async, syncStorage)
	c.meetIf(m.MaxSizePerMsg == 0, oneEntryPerMessage)
	c.meetIf(m.MaxInflightMsgs <= 2, oneOrTwoInFlight)
	c.meetIf(m.MaxInflightBytes > 0, inFlightBytes)
	c.meetIf(m.MaxCommittedSizePerReady == 1, oneEntryApplied)
	c.meetIf(m.MaxCommittedSizePerReady == 0, appliedAsSent)
	c.meetIf(m.DisableProposalForwarding, noForwarding)
	c.meetIf(m.HeartbeatTick > 1, slowHeartbeats)
}

// noteTransfer counts a transfer of leadership that raft is asked for.
func (r *Replica) noteTransfer(to uint64) {
	c, conf := r.c, r.conf
	voter := slices.Contains(conf.GetVoters(), to) || slices.Contains(conf.GetVotersOutgoing(), to)
	learner := slices.Contains(conf.GetLearners(), to)
	switch {
	case r.role != raft.StateLeader:
		c.meet(transferFromFollower)
		return
	case to == r.id:
		c.meet(transferToSelf)
	case learner:
		c.meet(transferToLearner)
	case voter:
		c.meet(transferToVoter)
	default:
		c.meet(transferToStranger)
	}
	c.meetIf(to != r.id && !c.nodes[to-1].Alive(), transferToDown)
	c.meetIf(to != r.id && len(conf.GetVotersOutgoing()) > 0, transferInJoint)
	c.meetIf(r.status.Transferee != raft.None && r.status.Transferee != to, transferTwice)
}

// noteConf counts what a change of the configuration is, where it is applied
// first.
func (c *Cluster) noteConf(r *Replica, e *raftpb.Entry, cc *raftpb.ConfChangeV2, was, now *raftpb.ConfState) {
	c.meetIf(e.GetType() == raftpb.EntryConfChange, simpleChange)
	joint := len(now.GetVotersOutgoing()) > 0
	switch {
	case cc.LeaveJoint():
		c.meetIf(was.GetAutoLeave(), jointLeftByItself)
		c.meetIf(!was.GetAutoLeave(), jointLeftByRequest)
	case joint && now.GetAutoLeave() && cc.GetTransition() != raftpb.ConfChangeTransitionAuto:
		c.meet(jointImplicit)
	case joint && !now.GetAutoLeave():
		c.meet(jointExplicit)
	case e.GetType() == raftpb.EntryConfChangeV2:
		c.meet(autoChange)
	}
	c.meetIf(len(cc.GetChanges()) > 1, severalChanges)
	for k, ch := range cc.GetChanges() {
		c.meetIf(ch.GetType() == raftpb.ConfChangeUpdateNode, emptyStep)
		c.meetIf(k > 0 && ch.GetNodeId() == cc.GetChanges()[k-1].GetNodeId(), severalSteps)
		c.noteChange(r, ch.GetNodeId(), was, now)
	}
	if joint {
		return
	}
	n := len(now.GetVoters())
	c.meetIf(n == 1, oneVoter)
	c.meetIf(n%2 == 0, evenVoters)
	c.meetIf(n >= 5, manyVoters)
}

// noteChange counts what has become of one node in a change.
func (c *Cluster) noteChange(r *Replica, id uint64, was, now *raftpb.ConfState) {
	voted, votes := slices.Contains(was.GetVoters(), id), slices.Contains(now.GetVoters(), id)
	learnt := slices.Contains(was.GetLearners(), id)
	learns := slices.Contains(now.GetLearners(), id) || slices.Contains(now.GetLearnersNext(), id)
	c.meetIf(!voted && !learnt && learns, learnerAdded)
	c.meetIf(learnt && votes, learnerPromoted)
	c.meetIf(voted && learns, voterDemoted)
	c.meetIf(voted && !votes && !learns, voterRemoved)
	c.meetIf(voted && !votes && r.role == raft.StateLeader && id == r.id, leaderRemoved)
	if !isMember(was, id) && (votes || learns) && id <= uint64(len(c.members)) {
		c.meetIf(c.members[id-1], memberReturns)
		c.meetIf(!c.members[id-1], newMember)
		c.members[id-1] = true
	}
}

// changeWaits reports whether a committed change of the configuration that is
// durable is still to be applied.
func (r *Replica) changeWaits() bool {
	for i := max(r.status.Applied, r.log.before()) + 1; i <= min(r.status.Commit, r.log.last()); i++ {
		if r.log.entries[i-r.log.before()].GetType() != raftpb.EntryNormal {
			return true
		}
	}
	return false
}

// mayChange reports whether the application may propose a change of the
// configuration. Raft sees to it itself, unless it was told not to: then only a
// leader that has applied an entry of its term knows all changes before, and it
// must have applied its own last one.
func (r *Replica) mayChange(cc *raftpb.ConfChangeV2) bool {
	s := r.rn.BasicStatus()
	leads := s.RaftState == raft.StateLeader
	if !r.mode.DisableConfChangeValidation {
		return true
	}
	joint := len(r.conf.GetVotersOutgoing()) > 0
	return leads && r.newest == s.GetTerm() && r.changing != s.GetTerm() && joint == cc.LeaveJoint() && !r.conf.GetAutoLeave()
}

// leaveJoint helps a joint configuration out that is to leave by itself and
// does not: raft tries to when it applies an entry, and gives up if a transfer
// of leadership is going on. See Hazards.LostAutoLeave.
func (r *Replica) leaveJoint() {
	if r.role != raft.StateLeader || r.ticks%r.mode.ElectionTick != 0 || r.mode.Hazards.LostAutoLeave || !r.conf.GetAutoLeave() {
		return
	}
	r.c.meet(autoLeaveRepeated)
	err := r.rn.Propose(nil)
	r.observe(&Event{Kind: Proposed, Err: err})
}
