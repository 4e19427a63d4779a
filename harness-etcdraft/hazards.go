package etcdraft

// Hazards are uses of raft v3.7.0 that its documentation does not forbid and
// that go wrong. Config.Tune turns them on; no seed draws them, but for those
// that stop a cluster, which seeds draw that do not check liveness
// ([Mode].SafetyOnly): BareElections, StepDown, RemoveLeader and LastVoter. Each comment
// says what happens.
type Hazards struct {
	// EagerSnapshots gives raft a snapshot while entries that it has handed out
	// before are still to be applied, and applies those afterwards. Raft
	// switches to the snapshot's configuration at once, so that a configuration
	// change among those entries is applied to the wrong one: raft panics or
	// has another configuration than its log says. The test
	// TestDefectSnapshotBeforeApply of the package raftcheck shows it with the
	// library alone.
	EagerSnapshots bool
	// BareElections lets members change without PreVote. A node that has missed
	// the changes and whose term is ahead then never learns of a voter that
	// needs its vote, nor that voter of the higher term: raft does not answer a
	// MsgVote of a lower term, so each stands for election alone. Without
	// CheckQuorum as well, a learner whose term a removed node has raised
	// ignores its leader for ever, never says so, and cannot stand. The tests
	// TestDefectLowerTermUnanswered and TestDefectLearnerLeftBehind of the package
	// raftcheck show it with the library alone.
	BareElections bool
	// StepDown lets members change while StepDownOnRemoval is on. A leader that
	// removes or demotes itself steps down when it has applied that, and tells
	// nobody. The others still have the configuration before, and may need its
	// vote, which it refuses when its log goes on behind the change: nobody can
	// lead. The test TestDefectStepDownTellsNobody of the package raftcheck shows
	// it with the library alone.
	StepDown bool
	// RemoveLeader lets the administrator remove or demote the leader without
	// handing leadership over before. If the leader crashes when it has applied
	// that and has not told anybody, the same happens as with StepDown. The test
	// TestDefectRemovedLeaderRestarts of the package raftcheck shows it with the
	// library alone. With SingleVoterReads, a removed leader that leaves one voter
	// also answers reads by itself, see TestDefectRemovedLeaderReads there.
	RemoveLeader bool
	// SingleVoterReads asks ReadIndex of a node that is the only voter. It
	// answers as soon as it leads, before it has committed in its term: after a
	// restart its commit index may be behind what it had acknowledged, and the
	// read is stale. Without the hazard such a read goes through the log. The
	// test TestDefectSingleVoterReads of the package raftcheck shows it with the
	// library alone.
	SingleVoterReads bool
	// ForgottenReads leaves reads to raft that wait for an answer to a heartbeat
	// when their leader becomes the only member: nobody is left to answer, and
	// raft does not look at them again. Without the hazard such a leader asks
	// again with the same contexts, and is answered at once. The test
	// TestDefectReadsLeftBehind of the package raftcheck shows it with the library
	// alone.
	ForgottenReads bool
	// LastVoter lets the administrator leave one voter with asynchronous writes. It
	// then replicates to learners what is not durable with itself, and when it
	// loses power, and the commit index of the change with it, it needs the vote of
	// a node that is no voter any more and has the longer log: nobody can lead. The
	// test TestDefectLastVoterForgets of the package raftcheck shows it with the
	// library alone.
	LastVoter bool
	// LostAutoLeave leaves a joint configuration to itself that is to leave by
	// itself. If it is applied during a transfer of leadership, raft's attempt
	// to leave is dropped, and raft tries again only when another entry is
	// applied: without writes the configuration stays joint. Without the hazard
	// the leader proposes an empty entry every election timeout while that lasts.
	// The test TestDefectAutoLeaveLost of the package raftcheck shows it with
	// the library alone.
	LostAutoLeave bool
	// MixedOptions lets Mode.Rolling draw neither PreVote nor CheckQuorum. Such
	// a node, when its term is ahead, is refused by nodes with CheckQuorum as
	// long as they hear from their leader, and ignores that leader without
	// answering: it stays out. The test TestDefectMixedOptions of the package
	// raftcheck shows it with the library alone.
	MixedOptions bool
	// EarlyCandidate sends vote requests in the async mode at once, as raft hands
	// them out, before the candidate's own term and vote are durable. It can then
	// lead with the votes of others, crash, and lead again in the same term
	// without knowing of it: two entries have one index and one term, and nodes
	// apply different commands. Without the hazard vote requests wait until the
	// storage has what was handed out before them; where the others cannot elect
	// the candidate without its own vote, until its log is durable. The test
	// TestDefectVoteNotDurable of the package raftcheck shows it with the library
	// alone.
	EarlyCandidate bool
}

// names lists what is on.
func (h Hazards) names() []string {
	var out []string
	if h.EagerSnapshots {
		out = append(out, "hazard: eager snapshots")
	}
	if h.BareElections {
		out = append(out, "hazard: bare elections")
	}
	if h.StepDown {
		out = append(out, "hazard: step down")
	}
	if h.RemoveLeader {
		out = append(out, "hazard: remove leader")
	}
	if h.SingleVoterReads {
		out = append(out, "hazard: single-voter reads")
	}
	if h.ForgottenReads {
		out = append(out, "hazard: forgotten reads")
	}
	if h.LastVoter {
		out = append(out, "hazard: last voter")
	}
	if h.LostAutoLeave {
		out = append(out, "hazard: lost auto leave")
	}
	if h.MixedOptions {
		out = append(out, "hazard: mixed options")
	}
	if h.EarlyCandidate {
		out = append(out, "hazard: early candidate")
	}
	return out
}
