package etcdraft

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// Mode is how raft and the application around it are set up in one run. It is
// drawn from the seed; Config.Tune changes what was drawn.
type Mode struct {
	// Async uses raft's AsyncStorageWrites: entries are appended and applied by
	// workers of their own. Otherwise Ready and Advance are used.
	Async bool
	// PreVote and CheckQuorum are raft's options. With Rolling each start of a
	// node draws them anew, as in a change of the configuration node by node. At
	// least one of them is on then: a node with neither, whose term is ahead, is
	// ignored for ever by nodes with CheckQuorum, and ignores them.
	PreVote, CheckQuorum, Rolling bool
	// KeepPreVote leaves PreVote out of Rolling; see Hazards.BareElections.
	KeepPreVote bool
	// LeaseReads uses ReadOnlyLeaseBased; it implies CheckQuorum on every node.
	LeaseReads bool
	// TickEvery is the time between two ticks on a node's own clock.
	TickEvery     time.Duration
	ElectionTick  int // raft's election timeout, in ticks
	HeartbeatTick int // raft's time between heartbeats, in ticks

	MaxSizePerMsg             uint64 // raft's limit on the entries of a message, in bytes; 0: one entry
	MaxInflightMsgs           int    // raft's limit on messages on the way to a follower
	MaxInflightBytes          uint64 // the same in bytes; 0: none
	MaxCommittedSizePerReady  uint64 // raft's limit on entries being applied, in bytes; 0: MaxSizePerMsg, which is not 0 then
	MaxUncommittedEntriesSize uint64 // raft's limit on proposals not committed, in bytes; 0: none
	// StepDownOnRemoval and DisableProposalForwarding are raft's options.
	StepDownOnRemoval, DisableProposalForwarding bool
	// AppendDelay and ApplyDelay are how long the workers of Async wait at most
	// before they take up their work; what has come until then is done
	// together. When the faults are over it is 30 ms at most. In
	// the other mode ApplyDelay is the time between the sync and Advance.
	AppendDelay, ApplyDelay time.Duration
	// ApplyOne makes the apply worker of Async wait before each message, not
	// before all that have come: raft hears that the first is applied while it
	// has handed out later ones. When the faults are over it is as without.
	ApplyOne bool
	// ReadyDelay is how long a message from the network waits at most before
	// raft's Ready is taken, so that one Ready holds the outcome of several; 0
	// means not at all. A tick, and what the disk has done, do not wait. When the
	// faults are over nothing does.
	ReadyDelay time.Duration
	// SnapshotEvery is after how many applied entries a node makes a snapshot
	// and compacts its log, 0 for never; Retain is how many entries before the
	// snapshot stay in the log for slow followers.
	SnapshotEvery, Retain uint64
	// SnapshotBusy is in how many of a million cases raft is told that a
	// snapshot is temporarily unavailable.
	SnapshotBusy uint32
	// SnapshotTwice is in how many of a million cases a snapshot that has
	// arrived is given to raft a second time, up to a second later.
	SnapshotTwice uint32
	// PieceSize is how many bytes of a snapshot go in one message.
	PieceSize int
	// SegmentSize is the size in bytes of the segments of the log.
	SegmentSize int64
	// CheckpointEvery is after how many applied entries the state machine is
	// made durable by itself, so that a restart begins at a later index than
	// the newest snapshot's; 0 for never.
	CheckpointEvery uint64
	// ReadRetry is after how many ticks a ReadIndex without an answer is asked
	// again, 0 for never.
	ReadRetry    int
	ReuseContext bool // ask again under the context that it had
	// Unreachable is in how many of a million heartbeats a leader reports a
	// follower that it has not heard of as unreachable.
	Unreachable uint32
	// SnapshotLate is how long a snapshot that has come in waits at most before
	// raft is given it.
	SnapshotLate time.Duration
	// DisableConfChangeValidation is raft's option. The application then sees to
	// it that there is one change of the configuration at a time.
	DisableConfChangeValidation bool
	// Updates makes the administrator of a cluster whose members do not change
	// propose changes that change nothing, and ask for another or for an election
	// before they are applied.
	Updates bool
	// Overtaken is in how many of a million cases a node that hears of a new term
	// from a leader of an earlier one gets the last message of that leadership
	// once more, soon after, as from a connection that was given up.
	Overtaken uint32
	// Silent makes the built-in clients stop when the faults are over: the
	// cluster must come to rest, in order, without any of their writes.
	Silent bool
	// LongValues is how many bytes more a value of the built-in clients has at
	// most, every third one; 0: all are short. Raft's limits in bytes are met
	// sooner with long ones.
	LongValues int
	// Missing is how many voters stay down when the faults are over; fewer than
	// half, and none where members change. Without PreVote it is one less:
	// when every vote that is left is needed, perhaps only one node can win, and
	// each time that another one stands first, its timer begins
	// anew. With two chances in three to be late that goes on for longer than
	// twenty timeouts in one of a thousand runs. With Rolling it is none: a node
	// with PreVote or CheckQuorum does not answer the vote request of a lower
	// term, so one without them whose vote and log are needed has to count its
	// term up to that of the others, one timeout for each, see the hazard
	// MixedOptions.
	Missing int
	// Hazards are drawn only together with SafetyOnly.
	Hazards Hazards
	// SafetyOnly leaves out what must happen when the faults are over. One seed
	// in eight of those that change members has it, and then draws the hazards
	// that stop a cluster and do not make it wrong.
	SafetyOnly bool
}

// unlimited is raft's largest limit.
const unlimited = math.MaxUint64

// drawMode draws the mode of a run.
func drawMode(r *rand.Rand, cfg *Config) *Mode {
	coin := func(percent int) bool { return r.IntN(100) < percent }
	m := &Mode{
		Async:   coin(50),
		PreVote: coin(60), CheckQuorum: coin(60), Rolling: coin(15),
		LeaseReads:    cfg.LeaseReads && coin(50),
		TickEvery:     10 * time.Millisecond,
		ElectionTick:  10,
		HeartbeatTick: pick(r, 1, 1, 2),

		MaxSizePerMsg:             pick[uint64](r, 0, 64, 200, 1024, 4096, unlimited),
		MaxInflightMsgs:           pick(r, 1, 2, 4, 16, 256),
		MaxCommittedSizePerReady:  pick[uint64](r, 1, 100, 1024, unlimited, unlimited),
		MaxUncommittedEntriesSize: pick[uint64](r, 0, 0, 256, 4096),
		StepDownOnRemoval:         coin(50),
		DisableProposalForwarding: coin(30),

		SnapshotEvery:   pick[uint64](r, 0, 5, 20, 50, 200),
		Retain:          pick[uint64](r, 0, 1, 10, 50),
		SnapshotBusy:    pick[uint32](r, 0, 0, 100_000, 500_000),
		PieceSize:       pick(r, 64, 256, 4096),
		SegmentSize:     pick[int64](r, 2<<10, 8<<10, 64<<10),
		CheckpointEvery: pick[uint64](r, 0, 0, 7, 40),
		ReadRetry:       pick(r, 0, 8, 25),
		ReuseContext:    coin(50),
		Unreachable:     pick[uint32](r, 0, 20_000, 200_000),
	}
	if coin(60) {
		m.AppendDelay = pick(r, time.Millisecond, 5*time.Millisecond, 30*time.Millisecond, 120*time.Millisecond, 120*time.Millisecond)
	}
	if coin(60) {
		m.ApplyDelay = pick(r, time.Millisecond, 5*time.Millisecond, 30*time.Millisecond)
	}
	if m.MaxSizePerMsg < 1024 && m.MaxInflightMsgs < 16 { // or a follower never catches up
		m.MaxInflightMsgs = 16
	}
	if m.MaxCommittedSizePerReady < 1024 { // or it never applies what is committed
		m.ApplyDelay = min(m.ApplyDelay, 5*time.Millisecond)
	}
	if m.MaxSizePerMsg < unlimited && coin(50) {
		m.MaxInflightBytes = m.MaxSizePerMsg + pick[uint64](r, 64, 1024)
	}
	minority := 0
	if !cfg.Membership {
		minority = (cfg.Nodes - 1) / 2
	}
	switch {
	case m.Rolling:
		minority = 0
	case minority > 0 && !m.PreVote:
		minority--
	}
	m.Missing = r.IntN(minority + 1)
	m.SnapshotTwice = pick[uint32](r, 0, 0, 300_000)
	if cfg.Membership && r.IntN(8) == 0 {
		m.SafetyOnly = true
		m.Hazards = Hazards{BareElections: coin(50), StepDown: coin(50), RemoveLeader: coin(70), LastVoter: coin(70)}
		m.StepDownOnRemoval = m.Hazards.StepDown
	}
	if coin(30) {
		m.SnapshotLate = pick(r, 50*time.Millisecond, 500*time.Millisecond)
	}
	m.DisableConfChangeValidation = coin(25) && cfg.Membership
	m.Silent = coin(25) && cfg.rests
	m.LongValues = pick(r, 0, 0, 0, 300, 1000)
	m.Updates = coin(35) && !cfg.Membership
	m.Overtaken = pick[uint32](r, 0, 0, 500_000, 900_000)
	m.ApplyOne = coin(50) && m.Async && m.ApplyDelay > 0
	m.ReadyDelay = pick(r, 0, 0, 0, 8*time.Millisecond)
	if coin(10) && m.MaxSizePerMsg > 0 {
		m.MaxCommittedSizePerReady = 0
		if m.MaxSizePerMsg < 1024 {
			m.ApplyDelay = min(m.ApplyDelay, 5*time.Millisecond)
		}
	}
	if cfg.Tune != nil {
		cfg.Tune(m)
	}
	m.Missing = max(min(m.Missing, minority), 0)
	if cfg.Membership && !m.Hazards.BareElections {
		m.PreVote, m.KeepPreVote = true, true
	}
	if cfg.Membership && !m.Hazards.StepDown {
		m.StepDownOnRemoval = false
	}
	if m.LeaseReads {
		m.CheckQuorum = true
	}
	return m
}

// pick returns one of the values.
func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// String describes the mode in a line.
func (m *Mode) String() string {
	parts := []string{"sync"}
	if m.Async {
		each := ""
		if m.ApplyOne {
			each = " each"
		}
		parts[0] = fmt.Sprintf("async (append after %v, apply after %v%s)", m.AppendDelay, m.ApplyDelay, each)
	} else if m.ApplyDelay > 0 {
		parts[0] = fmt.Sprintf("sync (advance after %v)", m.ApplyDelay)
	}
	for _, flag := range []struct {
		on   bool
		name string
	}{
		{m.PreVote, "pre-vote"}, {m.CheckQuorum, "check-quorum"}, {m.Rolling, "both redrawn per start"},
		{m.LeaseReads, "lease reads"}, {m.StepDownOnRemoval, "step down on removal"},
		{m.DisableProposalForwarding, "no forwarding"}, {m.DisableConfChangeValidation, "no validation of changes"},
		{m.Updates, "changes that change nothing"}, {m.Silent, "clients stop with the faults"},
	} {
		if flag.on {
			parts = append(parts, flag.name)
		}
	}
	parts = append(parts,
		fmt.Sprintf("tick %v, election %d, heartbeat %d", m.TickEvery, m.ElectionTick, m.HeartbeatTick),
		fmt.Sprintf("message %s, in flight %d or %s", size(m.MaxSizePerMsg), m.MaxInflightMsgs, size(m.MaxInflightBytes)),
		fmt.Sprintf("committed per Ready %s, uncommitted %s", size(cmp.Or(m.MaxCommittedSizePerReady, m.MaxSizePerMsg)), size(m.MaxUncommittedEntriesSize)),
		fmt.Sprintf("snapshot every %d keeping %d, busy %d%%, pieces of %d B", m.SnapshotEvery, m.Retain, m.SnapshotBusy/10_000, m.PieceSize),
		fmt.Sprintf("segments of %d B", m.SegmentSize),
		fmt.Sprintf("checkpoint every %d", m.CheckpointEvery),
		fmt.Sprintf("ReadIndex again after %d ticks", m.ReadRetry))
	if m.LongValues > 0 {
		parts = append(parts, fmt.Sprintf("values of up to %d B more", m.LongValues))
	}
	if m.ReadyDelay > 0 {
		parts = append(parts, fmt.Sprintf("Ready late by %v", m.ReadyDelay))
	}
	if m.SnapshotLate > 0 {
		parts = append(parts, fmt.Sprintf("snapshots late by %v", m.SnapshotLate))
	}
	if m.SnapshotTwice > 0 {
		parts = append(parts, fmt.Sprintf("%d%% of snapshots twice", m.SnapshotTwice/10_000))
	}
	if m.Overtaken > 0 {
		parts = append(parts, fmt.Sprintf("%d%% of leaders overtaken by their own older messages", m.Overtaken/10_000))
	}
	if m.Missing > 0 {
		parts = append(parts, fmt.Sprintf("%d missing at the end", m.Missing))
	}
	if m.SafetyOnly {
		parts = append(parts, "liveness not checked")
	}
	return strings.Join(append(parts, m.Hazards.names()...), ", ")
}

func size(n uint64) string {
	if n == unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d B", n)
}

// padding is what makes some values long.
func (m *Mode) padding(n int) string {
	if m.LongValues == 0 || n%3 > 0 {
		return ""
	}
	return strings.Repeat(".", n*131%m.LongValues)
}
