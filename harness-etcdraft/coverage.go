package etcdraft

import (
	"fmt"
	"strings"
)

// Feature is something that raft or the application around it can do, and that
// a sweep should have met.
type Feature uint8

// The features, in the order in which they are reported.
const (
	// Storage.

	SyncStorage Feature = iota
	AsyncStorage
	StepBeforeAdvance
	GroupCommit
	GroupApply
	CrashBeforeAdvance
	CrashWithAppends
	CrashWithApplies
	SnapshotOvertakes
	ReplayedLog
	MachineAheadTold
	MachineAheadSkips
	TornTail
	DiskFailed
	RefusedToStart
	AllDown

	// Elections and leadership.

	NoPreVoteNoCheckQuorum
	PreVoteOnly
	CheckQuorumOnly
	PreVoteAndCheckQuorum
	ModeRolled
	TransferToVoter
	TransferToLearner
	TransferToStranger
	TransferToDown
	TransferToSelf
	TransferTwice
	TransferFromFollower
	CampaignAsked
	LeaderForgotten
	NonMemberStands

	// Reads.

	ReadByLog
	ReadAtLeader
	ReadAtFollower
	ReadAgainSameContext
	ReadAgainNewContext
	ReadsPipelined
	LeaseRead
	StaleLeaseRead

	// Members.

	SimpleChange
	AutoChange
	JointImplicit
	JointExplicit
	SeveralChanges
	JointLeftByItself
	JointLeftByRequest
	AutoLeaveRepeated
	LearnerAdded
	LearnerPromoted
	VoterDemoted
	VoterRemoved
	LeaderRemoved
	MemberReturns
	NewMember
	OneVoter
	EvenVoters
	ManyVoters
	SteppedDownOnRemoval
	ChangesSerialised

	// Snapshots.

	SnapshotKept
	SnapshotForFollower
	SnapshotUnavailable
	SnapshotReceived
	SnapshotLate
	SnapshotAgain
	SnapshotStale
	SnapshotHeld
	SnapshotReported
	SnapshotFailed
	UnreachableReported
	LogKeptShort

	// Limits.

	OneEntryPerMessage
	OneOrTwoInFlight
	InFlightBytes
	OneEntryApplied
	ProposalDropped
	NoForwarding
	SlowHeartbeats

	// The end.

	NoTraffic
	MinorityDown

	features
)

// need says what a configuration must have for a feature to be possible.
type need uint8

const (
	always  need = iota
	several      // more than one server
	members      // Config.Membership
	leases       // Config.LeaseReads
	hazard       // a field of Hazards
	damage       // faults that the default rules do not have
)

// featureTexts are the features in words.
var featureTexts = [...]struct {
	text string
	need need
}{
	SyncStorage:        {"storage by Ready and Advance", always},
	AsyncStorage:       {"storage by AsyncStorageWrites", always},
	StepBeforeAdvance:  {"step between Ready and Advance", several},
	GroupCommit:        {"several appends made durable together", several},
	GroupApply:         {"several applies taken up together", always},
	CrashBeforeAdvance: {"crash between Ready and Advance", always},
	CrashWithAppends:   {"crash with appends not durable", always},
	CrashWithApplies:   {"crash with applies waiting", always},
	SnapshotOvertakes:  {"snapshot overtakes entries to apply", several},
	ReplayedLog:        {"restart from a snapshot and the log", always},
	MachineAheadTold:   {"restart at the state machine's own index", always},
	MachineAheadSkips:  {"restart that skips what the state machine has", always},
	TornTail:           {"torn tail cut off", always},
	DiskFailed:         {"crash because an operation of the disk failed", always},
	RefusedToStart:     {"corruption found, start refused", damage},
	AllDown:            {"all servers down at once", always},

	NoPreVoteNoCheckQuorum: {"start with neither PreVote nor CheckQuorum", always},
	PreVoteOnly:            {"start with PreVote only", always},
	CheckQuorumOnly:        {"start with CheckQuorum only", always},
	PreVoteAndCheckQuorum:  {"start with PreVote and CheckQuorum", always},
	ModeRolled:             {"restart with other options than before", always},
	TransferToVoter:        {"transfer to a voter", several},
	TransferToLearner:      {"transfer to a learner", members},
	TransferToStranger:     {"transfer to no member", members},
	TransferToDown:         {"transfer to a server that is down", several},
	TransferToSelf:         {"transfer to the leader itself", always},
	TransferTwice:          {"transfer during another one", several},
	TransferFromFollower:   {"transfer asked of a follower", several},
	CampaignAsked:          {"Campaign", always},
	LeaderForgotten:        {"ForgetLeader of a follower", several},
	NonMemberStands:        {"removed node that goes on and stands for election", hazard},

	ReadByLog:            {"read through the log", always},
	ReadAtLeader:         {"ReadIndex of the leader", several},
	ReadAtFollower:       {"ReadIndex of a follower", several},
	ReadAgainSameContext: {"ReadIndex again, same context", several},
	ReadAgainNewContext:  {"ReadIndex again, new context", several},
	ReadsPipelined:       {"several ReadIndex at once", several},
	LeaseRead:            {"read by lease", leases},
	StaleLeaseRead:       {"stale read by lease, in a declared window", leases},

	SimpleChange:         {"change in the old format", members},
	AutoChange:           {"change, joint if needed", members},
	JointImplicit:        {"joint change that leaves by itself", members},
	JointExplicit:        {"joint change that is left by request", members},
	SeveralChanges:       {"several changes at once", members},
	JointLeftByItself:    {"joint configuration left by itself", members},
	JointLeftByRequest:   {"joint configuration left by request", members},
	AutoLeaveRepeated:    {"stuck joint configuration helped out", hazard},
	LearnerAdded:         {"learner added", members},
	LearnerPromoted:      {"learner promoted", members},
	VoterDemoted:         {"voter demoted", members},
	VoterRemoved:         {"voter removed", members},
	LeaderRemoved:        {"leader removed or demoted", hazard},
	MemberReturns:        {"removed node added again", members},
	NewMember:            {"new node with an empty disk", members},
	OneVoter:             {"change to one voter", members},
	EvenVoters:           {"change to an even number of voters", members},
	ManyVoters:           {"change to five voters or more", members},
	SteppedDownOnRemoval: {"StepDownOnRemoval", hazard},
	ChangesSerialised:    {"DisableConfChangeValidation, change turned down by the application", members},

	SnapshotKept:        {"snapshot of a node's own", always},
	SnapshotForFollower: {"snapshot asked for by raft", several},
	SnapshotUnavailable: {"ErrSnapshotTemporarilyUnavailable", several},
	SnapshotReceived:    {"snapshot installed", several},
	SnapshotLate:        {"MsgSnap delivered late", several},
	SnapshotAgain:       {"MsgSnap delivered twice", several},
	SnapshotStale:       {"MsgSnap behind the commit index", several},
	SnapshotHeld:        {"MsgSnap waits for Advance", several},
	SnapshotReported:    {"ReportSnapshot: finished", several},
	SnapshotFailed:      {"ReportSnapshot: failed", several},
	UnreachableReported: {"ReportUnreachable", several},
	LogKeptShort:        {"log compacted up to the snapshot", always},

	OneEntryPerMessage: {"MaxSizePerMsg of one entry", several},
	OneOrTwoInFlight:   {"MaxInflightMsgs of one or two", several},
	InFlightBytes:      {"MaxInflightBytes", several},
	OneEntryApplied:    {"MaxCommittedSizePerReady of one entry", always},
	ProposalDropped:    {"proposal dropped by raft", always},
	NoForwarding:       {"DisableProposalForwarding", several},
	SlowHeartbeats:     {"HeartbeatTick of two", several},

	NoTraffic:    {"progress without writes of clients", several},
	MinorityDown: {"minority down in the quiet phase", several},
}

// String returns the feature in words.
func (f Feature) String() string { return featureTexts[f].text }

// Coverage says how often each [Feature] was met in one run.
type Coverage [features]uint64

// Coverage returns what the run has met so far.
func (c *Cluster) Coverage() *Coverage { return &c.met }

// meet counts a feature.
func (c *Cluster) meet(f Feature) { c.met[f]++ }

// meetIf counts a feature that is met when a condition holds.
func (c *Cluster) meetIf(holds bool, f Feature) {
	if holds {
		c.met[f]++
	}
}

// possible reports whether the default faults can lead there.
func (c *Config) possible(f Feature) bool {
	if c.Membership && (f == NoPreVoteNoCheckQuorum || f == CheckQuorumOnly) {
		return false // see Hazards.BareElections
	}
	switch featureTexts[f].need {
	case several:
		return c.Nodes+c.Spares > 1
	case members:
		return c.Membership
	case leases:
		return c.LeaseReads
	case hazard, damage:
		return false
	}
	return true
}

// CoverageSum adds up the coverage of the runs of a sweep.
type CoverageSum struct {
	runs  int
	seeds [features]int    // in which it was met
	times [features]uint64 // in all of them
}

// Add adds a run.
func (s *CoverageSum) Add(c *Coverage) {
	s.runs++
	for f, n := range c {
		s.times[f] += n
		if n > 0 {
			s.seeds[f]++
		}
	}
}

// Never returns the features that no run has met although the configuration
// makes them possible.
func (s *CoverageSum) Never(cfg Config) []Feature {
	var out []Feature
	for f := range features {
		if s.seeds[f] == 0 && cfg.possible(f) {
			out = append(out, f)
		}
	}
	return out
}

// Text lists in how many runs each feature was met, and how often; and loudly
// those that never were.
func (s *CoverageSum) Text(cfg Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "features of raft met in %d runs (runs, times):", s.runs)
	for f := range features {
		if s.seeds[f] > 0 {
			fmt.Fprintf(&b, "\n\t%6d %9d  %v", s.seeds[f], s.times[f], f)
		}
	}
	if never := s.Never(cfg); len(never) > 0 {
		fmt.Fprintf(&b, "\n\tNEVER MET in these runs:")
		for _, f := range never {
			fmt.Fprintf(&b, "\n\t       !!!  %v", f)
		}
	}
	return b.String()
}
