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

	syncStorage Feature = iota
	asyncStorage
	stepBeforeAdvance
	readyOfSeveral
	groupCommit
	groupApply
	applyBehind
	crashBeforeAdvance
	crashWithAppends
	crashWithApplies
	snapshotOvertakes
	replayedLog
	machineAheadTold
	machineAheadSkips
	tornTail
	diskFailed
	refusedToStart
	allDown

	// Elections and leadership.

	noPreVoteNoCheckQuorum
	preVoteOnly
	checkQuorumOnly
	preVoteAndCheckQuorum
	modeRolled
	transferToVoter
	transferToLearner
	transferToStranger
	transferToDown
	transferToSelf
	transferTwice
	transferFromFollower
	campaignAsked
	campaignInChange
	askedBeforeDurable
	messageOvertaken
	leaderForgotten
	nonMemberStands

	// Reads.

	readByLog
	readAtLeader
	readAtFollower
	readAgainSameContext
	readAgainNewContext
	readsPipelined
	leaseRead
	staleLeaseRead

	// Members.

	simpleChange
	autoChange
	jointImplicit
	jointExplicit
	severalChanges
	severalSteps
	emptyStep
	transferInJoint
	jointLeftByItself
	jointLeftByRequest
	autoLeaveRepeated
	learnerAdded
	learnerPromoted
	voterDemoted
	voterRemoved
	leaderRemoved
	memberReturns
	newMember
	oneVoter
	evenVoters
	manyVoters
	steppedDownOnRemoval
	changesSerialised

	// Snapshots.

	snapshotKept
	snapshotForFollower
	snapshotUnavailable
	snapshotReceived
	snapshotLate
	snapshotAgain
	snapshotStale
	snapshotHeld
	snapshotReported
	snapshotFailed
	unreachableReported
	logKeptShort

	// Limits.

	oneEntryPerMessage
	oneOrTwoInFlight
	inFlightBytes
	oneEntryApplied
	appliedAsSent
	proposalDropped
	noForwarding
	slowHeartbeats

	// The end.

	noTraffic
	minorityDown

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
	syncStorage:        {"storage by Ready and Advance", always},
	asyncStorage:       {"storage by AsyncStorageWrites", always},
	stepBeforeAdvance:  {"step between Ready and Advance", several},
	readyOfSeveral:     {"Ready taken after several messages", several},
	groupCommit:        {"several appends made durable together", several},
	groupApply:         {"several applies taken up together", always},
	applyBehind:        {"apply answered while others wait", always},
	crashBeforeAdvance: {"crash between Ready and Advance", always},
	crashWithAppends:   {"crash with appends not durable", always},
	crashWithApplies:   {"crash with applies waiting", always},
	snapshotOvertakes:  {"snapshot overtakes entries to apply", several},
	replayedLog:        {"restart from a snapshot and the log", always},
	machineAheadTold:   {"restart at the state machine's own index", always},
	machineAheadSkips:  {"restart that skips what the state machine has", always},
	tornTail:           {"torn tail cut off", always},
	diskFailed:         {"crash because an operation of the disk failed", always},
	refusedToStart:     {"corruption found, start refused", damage},
	allDown:            {"all servers down at once", always},

	noPreVoteNoCheckQuorum: {"start with neither PreVote nor CheckQuorum", always},
	preVoteOnly:            {"start with PreVote only", always},
	checkQuorumOnly:        {"start with CheckQuorum only", always},
	preVoteAndCheckQuorum:  {"start with PreVote and CheckQuorum", always},
	modeRolled:             {"restart with other options than before", always},
	transferToVoter:        {"transfer to a voter", several},
	transferToLearner:      {"transfer to a learner", members},
	transferToStranger:     {"transfer to no member", members},
	transferToDown:         {"transfer to a server that is down", several},
	transferToSelf:         {"transfer to the leader itself", always},
	transferTwice:          {"transfer during another one", several},
	transferFromFollower:   {"transfer asked of a follower", several},
	campaignAsked:          {"Campaign", always},
	campaignInChange:       {"Campaign asked for while a committed change is to be applied", several},
	askedBeforeDurable:     {"vote requests leave before the candidate's own vote is durable", members},
	messageOvertaken:       {"message of a leader overtaken by its next leadership", several},
	leaderForgotten:        {"ForgetLeader of a follower", several},
	nonMemberStands:        {"removed node that goes on and stands for election", hazard},

	readByLog:            {"read through the log", always},
	readAtLeader:         {"ReadIndex of the leader", several},
	readAtFollower:       {"ReadIndex of a follower", several},
	readAgainSameContext: {"ReadIndex again, same context", several},
	readAgainNewContext:  {"ReadIndex again, new context", several},
	readsPipelined:       {"several ReadIndex at once", several},
	leaseRead:            {"read by lease", leases},
	staleLeaseRead:       {"stale read by lease, in a declared window", leases},

	simpleChange:         {"change in the old format", members},
	autoChange:           {"change, joint if needed", members},
	jointImplicit:        {"joint change that leaves by itself", members},
	jointExplicit:        {"joint change that is left by request", members},
	severalChanges:       {"several changes at once", members},
	severalSteps:         {"several changes of one node at once", members},
	emptyStep:            {"update of a node, which changes nothing", members},
	transferInJoint:      {"transfer in a joint configuration", members},
	jointLeftByItself:    {"joint configuration left by itself", members},
	jointLeftByRequest:   {"joint configuration left by request", members},
	autoLeaveRepeated:    {"stuck joint configuration helped out", hazard},
	learnerAdded:         {"learner added", members},
	learnerPromoted:      {"learner promoted", members},
	voterDemoted:         {"voter demoted", members},
	voterRemoved:         {"voter removed", members},
	leaderRemoved:        {"leader removed or demoted", hazard},
	memberReturns:        {"removed node added again", members},
	newMember:            {"new node with an empty disk", members},
	oneVoter:             {"change to one voter", members},
	evenVoters:           {"change to an even number of voters", members},
	manyVoters:           {"change to five voters or more", members},
	steppedDownOnRemoval: {"StepDownOnRemoval", hazard},
	changesSerialised:    {"DisableConfChangeValidation, change turned down by the application", members},

	snapshotKept:        {"snapshot of a node's own", always},
	snapshotForFollower: {"snapshot asked for by raft", several},
	snapshotUnavailable: {"ErrSnapshotTemporarilyUnavailable", several},
	snapshotReceived:    {"snapshot installed", several},
	snapshotLate:        {"MsgSnap delivered late", several},
	snapshotAgain:       {"MsgSnap delivered twice", several},
	snapshotStale:       {"MsgSnap behind the commit index", several},
	snapshotHeld:        {"MsgSnap waits for Advance", several},
	snapshotReported:    {"ReportSnapshot: finished", several},
	snapshotFailed:      {"ReportSnapshot: failed", several},
	unreachableReported: {"ReportUnreachable", several},
	logKeptShort:        {"log compacted up to the snapshot", always},

	oneEntryPerMessage: {"MaxSizePerMsg of one entry", several},
	oneOrTwoInFlight:   {"MaxInflightMsgs of one or two", several},
	inFlightBytes:      {"MaxInflightBytes", several},
	oneEntryApplied:    {"MaxCommittedSizePerReady of one entry", always},
	appliedAsSent:      {"MaxCommittedSizePerReady left to MaxSizePerMsg", always},
	proposalDropped:    {"proposal dropped by raft", always},
	noForwarding:       {"DisableProposalForwarding", several},
	slowHeartbeats:     {"HeartbeatTick of two", several},

	noTraffic:    {"progress without writes of clients", several},
	minorityDown: {"minority down in the quiet phase", several},
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
	if c.Membership && (f == noPreVoteNoCheckQuorum || f == checkQuorumOnly) {
		return false // see Hazards.BareElections
	}
	if f == minorityDown && (c.Membership || c.Nodes < 3) {
		return false // see Mode.Missing
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
	fmt.Fprintf(&b, "features of raft met in %s (runs, times):", plural(s.runs, "run"))
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
