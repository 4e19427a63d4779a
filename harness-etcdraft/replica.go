package etcdraft

import (
	"errors"
	"fmt"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Replica is the program of a server in one incarnation: a RawNode of raft and
// the application around it. Checks look into it.
type Replica struct {
	kernel.Idle
	c    *Cluster
	node *faultline.Node
	id   uint64
	boot int
	mode Mode

	rn       *raft.RawNode // nil while it recovers, and when it refuses to start
	log      *memory
	store    Store
	state    *replicated
	applied  uint64            // raft's entries up to here were applied
	skip     uint64            // those up to here need not be: raft has accepted a snapshot
	held     []*raftpb.Message // snapshots that wait for Advance
	conf     *raftpb.ConfState
	confAt   uint64            // entry of the last change that was applied in this boot, 0: none
	confTo   *raftpb.ConfState // what it led to
	role     raft.StateType
	lead     uint64
	status   Status // after the last call into raft
	pumping  bool
	soon     *kernel.Timer // takes a Ready
	ticks    int           // since the start
	tick     *kernel.Timer
	requests requests
	reads    reads
	making   snapshots
	out      outgoing
	in       incoming
	ready    ready  // of the sync mode
	append   worker // of the async mode
	apply    worker
	votes    candidacy
	older    overtaken
	saving   []*raftpb.Message // handed to the store, in order
	drawn    kernel.Seq        // see draws
	refused  bool              // its disk is corrupt
	newest   uint64            // term of the last entry that was applied
	changing uint64            // term in which it has proposed a change that it has not applied yet
}

// newReplica makes the program of a server for its next incarnation.
func newReplica(c *Cluster, n *faultline.Node) *Replica {
	r := &Replica{c: c, node: n, id: c.ids[n.Name()], boot: n.Boot(), mode: *c.mode}
	r.drawn = kernel.Seq{Stream: n.Stream("raft")}
	if r.mode.Rolling {
		r.mode.PreVote = r.draws().PPM(500_000) || r.mode.KeepPreVote
		r.mode.CheckQuorum = r.draws().PPM(500_000) || r.mode.LeaseReads || !r.mode.PreVote && !r.mode.Hazards.MixedOptions
	}
	c.noteOptions(r)
	c.programs[r.id-1] = r
	r.tick = n.NewTimer()
	r.out.init(r)
	r.append.init(r, r.mode.AppendDelay, r.startAppend)
	r.apply.init(r, r.mode.ApplyDelay, r.startApply)
	r.soon = r.node.NewTimerFunc(func() {
		defer r.guard()
		r.pump()
	})
	r.ready.init(r)
	return r
}

// Node returns the machine that the replica runs on.
func (r *Replica) Node() *faultline.Node { return r.node }

// ID returns the raft ID.
func (r *Replica) ID() uint64 { return r.id }

// Boot returns the number of the incarnation, from 1.
func (r *Replica) Boot() int { return r.boot }

// Mode returns the mode of this incarnation.
func (r *Replica) Mode() *Mode { return &r.mode }

// Raft returns the node of raft; nil while the replica recovers.
func (r *Replica) Raft() *raft.RawNode { return r.rn }

// Applied returns the index up to which raft's entries were applied.
func (r *Replica) Applied() uint64 { return r.applied }

// Conf returns the configuration as of Applied.
func (r *Replica) Conf() *raftpb.ConfState { return r.conf }

// Machine returns the state machine.
func (r *Replica) Machine() StateMachine { return r.state.machine }

// Start recovers and then runs.
func (r *Replica) Start() {
	if r.c.isMissing(r.id) {
		return
	}
	r.node.Go("recover", func(p *kernel.Proc) {
		store, rec, err := r.c.cfg.Store.Open(p, r.node, &r.mode, r.c.cfg.Bugs)
		var corrupt *wal.CorruptError
		switch {
		case errors.As(err, &corrupt):
			r.refuse(corrupt)
		case err != nil:
			r.crash(err)
		default:
			defer r.guard()
			r.store = store
			r.begin(rec)
		}
	})
}

// begin makes the RawNode of what was recovered.
func (r *Replica) begin(rec *wal.Recovered) {
	r.log = newMemory(logStart(rec))
	r.log.snap = r.snapshotForRaft
	r.log.state = rec.State
	if err := r.log.append(rec.Entries); err != nil {
		r.contract(checkStorage, r.check().StorageFailed(fmt.Errorf("recovery: %w", err)))
		return
	}
	r.state = newReplicated(r.c.cfg.Machine(), &r.c.cfg.Bugs)
	r.restoreAtStart(rec)
	r.c.meetIf(rec.Torn > 0, tornTail)
	r.c.meetIf(r.log.last() > r.applied && r.boot > 1, replayedLog)
	rn, err := raft.NewRawNode(r.raftConfig())
	if err != nil {
		r.c.Violated(checkRestart, r, "NewRawNode: %v", err)
		return
	}
	r.rn = rn
	r.node.Log("raft-start", kernel.Int("term", int64(rec.State.GetTerm())), kernel.Int("commit", int64(rec.State.GetCommit())),
		kernel.Int("applied", int64(r.applied)), kernel.Int("last", int64(r.log.last())), kernel.Int("torn", rec.Torn))
	r.observe(&Event{Kind: Started, Recovered: rec, Index: r.applied, Conf: r.conf})
	r.tick.Reset(r.mode.TickEvery)
	r.pump()
}

// logStart returns the place before the first entry that raft will see. The
// first of the recovered entries that a snapshot covers stands in for it.
func logStart(rec *wal.Recovered) (index, term uint64) {
	s := rec.Snapshot.GetMetadata()
	if len(rec.Entries) > 0 && s.GetIndex() >= rec.Entries[0].GetIndex() {
		return rec.Entries[0].GetIndex(), rec.Entries[0].GetTerm()
	}
	return s.GetIndex(), s.GetTerm()
}

func (r *Replica) raftConfig() *raft.Config {
	m := &r.mode
	cfg := &raft.Config{
		ID: r.id, ElectionTick: m.ElectionTick, HeartbeatTick: m.HeartbeatTick,
		Storage: r.log, Applied: r.applied, AsyncStorageWrites: m.Async,
		MaxSizePerMsg: m.MaxSizePerMsg, MaxCommittedSizePerReady: m.MaxCommittedSizePerReady,
		MaxUncommittedEntriesSize: m.MaxUncommittedEntriesSize,
		MaxInflightMsgs:           m.MaxInflightMsgs, MaxInflightBytes: m.MaxInflightBytes,
		CheckQuorum: m.CheckQuorum, PreVote: m.PreVote, Logger: quietLogger{},
		DisableProposalForwarding: m.DisableProposalForwarding, StepDownOnRemoval: m.StepDownOnRemoval,
		DisableConfChangeValidation: m.DisableConfChangeValidation,
	}
	if m.LeaseReads {
		cfg.ReadOnlyOption = raft.ReadOnlyLeaseBased
	}
	return cfg
}

// Timer is the tick.
func (r *Replica) Timer(*kernel.Timer) {
	defer r.guard()
	r.tick.Reset(r.mode.TickEvery)
	r.ticks++
	r.rn.Tick()
	r.observeCall(Ticked)
	r.retryReads()
	r.askAlone()
	r.reportSilent()
	r.stepAside()
	r.leaveJoint()
	r.pump()
}

// Receive handles a message. One that comes while the replica recovers is lost.
func (r *Replica) Receive(from string, msg any) {
	if r.rn == nil {
		return
	}
	defer r.guard()
	switch m := msg.(type) {
	case *message:
		own := m.owned()
		r.noteLeader(own)
		r.step(own)
	case Request:
		r.onRequest(from, m)
	case *piece:
		r.onPiece(from, m)
	case pieceAck:
		r.onPieceAck(from, m)
	case AdminRequest:
		r.onAdmin(from, m)
	}
	r.pumpSoon()
}

// pumpSoon is pump, perhaps after a while. Entries that wait to be applied must
// not be applied to the configuration of a snapshot that raft has taken.
func (r *Replica) pumpSoon() {
	switch {
	case r.mode.ReadyDelay == 0 || r.c.calm() || len(r.apply.queue) > 0:
		r.pump()
	case !r.soon.Armed():
		r.soon.Reset(r.delay(r.mode.ReadyDelay))
	default:
		r.c.meet(readyOfSeveral)
	}
}

// step gives raft a message from the network.
//
// A snapshot waits for the Ready that is being worked on. Raft switches to the
// snapshot's configuration when it accepts it, and a configuration change that
// it has handed out before would then be applied to the wrong configuration.
func (r *Replica) step(m *raftpb.Message) {
	if m.GetType() == raftpb.MsgSnap && r.ready.busy && !r.mode.Hazards.EagerSnapshots {
		r.held = append(r.held, m)
		r.c.meet(snapshotHeld)
		return
	}
	if m.GetType() == raftpb.MsgReadIndex && !r.mayReadIndex() {
		return // see Hazards.SingleVoterReads; a client that waits asks again
	}
	r.c.meetIf(r.ready.busy, stepBeforeAdvance)
	err := r.rn.Step(m)
	r.observeMessage(Stepped, m, err)
}

// pump takes what raft has to do, until there is nothing more that can be done
// now.
func (r *Replica) pump() {
	if r.pumping {
		return
	}
	r.pumping = true
	for r.node.Alive() && (!r.ready.busy && r.rn.HasReady()) {
		if r.mode.Async {
			r.takeAsync()
		} else {
			r.takeSync()
		}
	}
	r.pumping = false
}

// send sends a message of raft to another node.
func (r *Replica) send(m *raftpb.Message) {
	r.observeMessage(Sent, m, nil)
	to := m.GetTo()
	if to == 0 || to > uint64(len(r.c.names)) {
		r.c.Violated(checkMembers, r, "raft sends a %s to %d, which no server is", kindName(m.GetType()), to)
		return
	}
	if m.GetType() == raftpb.MsgSnap {
		r.out.start(m)
		return
	}
	// Two receivers must not append to one array.
	m.Entries = m.Entries[:len(m.Entries):len(m.Entries)]
	r.node.Send(r.c.names[to-1], (*message)(m))
}

// noteRole leaves a record when the node's role or leader has changed.
func (r *Replica) noteRole(s *raft.SoftState) {
	if s == nil {
		return
	}
	if s.RaftState != r.role {
		if s.RaftState == raft.StateLeader {
			r.c.elections++
		}
		r.c.meetIf(s.RaftState != raft.StateFollower && !isMember(r.c.conf, r.id), nonMemberStands)
		r.node.Log("raft-"+roleName(s.RaftState), kernel.Int("term", int64(r.rn.BasicStatus().GetTerm())))
	}
	r.role, r.lead = s.RaftState, s.Lead
	if r.role != raft.StateLeader {
		r.reads.open = nil
	}
}

func roleName(s raft.StateType) string {
	switch s {
	case raft.StateLeader:
		return "leader"
	case raft.StateCandidate:
		return "candidate"
	case raft.StatePreCandidate:
		return "pre-candidate"
	}
	return "follower"
}

// crash ends the process after an error of its disk: what the page cache holds
// cannot be trusted, and no second try can tell. A supervisor starts it again.
func (r *Replica) crash(err error) {
	if errors.Is(err, simdisk.ErrStale) || !r.node.Alive() {
		return // it is gone already
	}
	r.c.meet(diskFailed)
	r.node.Log("disk-failed", kernel.Str("why", "the node crashes and recovers"))
	r.c.restartLater(r.node)
	r.node.Kill()
}

// refuse leaves the node down for good: its log is corrupt.
func (r *Replica) refuse(err *wal.CorruptError) {
	r.c.meet(refusedToStart)
	r.refused = true
	r.node.Log("refuses-to-start", kernel.Str("why", err.Why), kernel.Str("file", err.File))
	if len(r.node.Disk().Injected()) == 0 {
		r.contract(checkRestart, r.check().Refused(fmt.Errorf("no fault has corrupted the disk of %s: %w", r.node.Name(), err)))
	}
}

// check returns the checker of the node.
func (r *Replica) check() *raftcheck.Node { return r.c.raft.nodes[r.id-1] }

// contract fails the run, in the name of a check, if P23 does not hold.
func (r *Replica) contract(check string, err error) {
	if v, is := err.(*raftcheck.Violation); is {
		r.c.Violated(check, r, "%s", r.c.raft.told(v))
	}
}

// draws returns the replica's next choice, named by when it is made: one more of
// them leaves those of later as they were.
func (r *Replica) draws() *kernel.Seq {
	r.drawn.N = r.c.namer.Next(r.id, r.node.Sim().Now())
	return &r.drawn
}
