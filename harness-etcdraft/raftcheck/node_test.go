package raftcheck_test

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// node is one machine of the simulator, with at most one incarnation.
type node struct {
	sim   *sim
	id    uint64
	boot  uint64
	check *raftcheck.Node
	disk  disk

	rn     *raft.RawNode // nil while down
	inRaft bool          // a call into raft is going on
	cfg    *raft.Config
	log    *storage
	conf   *raftpb.ConfState

	applied uint64 // by the state machine
	digest  []byte // of everything applied
	handed  uint64 // handed out to be applied up to here

	busy    bool // sync: a Ready is being worked on
	appends []*raftpb.Message
	saving  bool // async: the append worker is busy
	applies []*raftpb.Message
	working bool // async: the apply worker is busy
	making  bool // a snapshot is on its way to the disk
}

// later schedules a call in the name of this incarnation.
func (n *node) later(d int, do func()) {
	boot := n.boot
	n.sim.after(d, func() {
		if n.rn != nil && n.boot == boot {
			do()
		}
	})
}

// start starts an incarnation from what is on the disk.
func (n *node) start() {
	s, m, d := n.sim, n.sim.mode, &n.disk
	n.boot++
	n.busy, n.saving, n.working, n.making = false, false, false, false
	n.appends, n.applies = nil, nil
	n.applied, n.digest, n.conf = 0, make([]byte, 8), &raftpb.ConfState{}
	if d.snapshot != nil {
		meta := d.snapshot.GetMetadata()
		n.applied, n.digest, n.conf = meta.GetIndex(), slices.Clone(d.snapshot.GetData()), meta.GetConfState()
	}
	if d.applied > n.applied {
		n.applied, n.digest, n.conf = d.applied, slices.Clone(d.digest), d.conf
	}
	if m.bug == "conf forgotten" && d.snapshot != nil {
		n.conf = &raftpb.ConfState{Voters: []uint64{1, 2, 3}}
	}
	n.handed = n.applied
	n.log = d.open(n.conf)
	n.log.make = n.snapshotForRaft
	n.cfg = &raft.Config{
		ID: n.id, ElectionTick: 10, HeartbeatTick: 1 + int(s.mode.retain)%2, Storage: n.log, Applied: n.applied,
		AsyncStorageWrites: m.async, MaxSizePerMsg: m.maxSize, MaxCommittedSizePerReady: m.maxCommitted,
		MaxUncommittedEntriesSize: m.maxPending, MaxInflightMsgs: m.inflight, MaxInflightBytes: m.inflightBytes,
		CheckQuorum: m.checkQuorum, PreVote: m.preVote, Logger: logger{s, *traceFlag},
		DisableProposalForwarding: m.noForward, StepDownOnRemoval: m.stepDown, DisableConfChangeValidation: m.unguarded,
	}
	if m.rolling {
		// A node with neither beside others with CheckQuorum may be left behind in
		// a term of its own, which nobody joins and of which it tells nobody.
		n.cfg.CheckQuorum = s.pct(50)
		n.cfg.PreVote = !n.cfg.CheckQuorum || s.pct(50)
	}
	if m.lease {
		n.cfg.CheckQuorum, n.cfg.ReadOnlyOption = true, raft.ReadOnlyLeaseBased
	}
	given := *n.cfg
	n.inRaft = true
	rn, err := raft.NewRawNode(&given)
	n.inRaft = false
	must(err)
	n.rn = rn
	s.fail(n.check.Boot(&raftcheck.Boot{
		Number: n.boot, Config: n.cfg, Raft: rn, Status: raftcheck.StatusOf(rn), Conf: n.conf, Applied: n.applied,
		State: d.state, Snapshot: d.snapshot, Entries: d.recovered(),
	}))
	n.later(s.rng.IntN(perTick), n.tick)
}

// crash ends the incarnation.
func (n *node) crash() {
	n.rn = nil
	n.check.Crashed()
	n.disk.crash(n.sim.rng)
	n.sim.stats["crash"]++
}

// call makes a call into raft, tells the checker, and lets raft work.
func (n *node) call(do func(), told func(raftcheck.Status) error) {
	if n.sim.err != nil {
		return
	}
	n.inRaft = true
	do()
	n.inRaft = false
	n.sim.fail(told(raftcheck.StatusOf(n.rn)))
	n.pump()
}

func (n *node) tick() {
	n.later(perTick, n.tick)
	n.call(n.rn.Tick, n.check.Ticked)
	if n.rn != nil {
		n.stepAside()
	}
}

func (n *node) step(m *raftpb.Message) {
	switch m.GetType() {
	case raftpb.MsgProp, raftpb.MsgReadIndex, raftpb.MsgTransferLeader: // raft passes these on
		m = proto.Clone(m).(*raftpb.Message)
	}
	n.call(func() { _ = n.rn.Step(m) }, func(b raftcheck.Status) error { return n.check.Stepped(m, b) })
}

func (n *node) reportSnapshot(to uint64, failed bool) {
	status := raft.SnapshotFinish
	if failed {
		status = raft.SnapshotFailure
	}
	n.call(func() { n.rn.ReportSnapshot(to, status) }, func(b raftcheck.Status) error { return n.check.SnapshotReported(to, b) })
}

func (n *node) reportUnreachable(to uint64) {
	n.call(func() { n.rn.ReportUnreachable(to) }, func(b raftcheck.Status) error { return n.check.Reported(to, b) })
}

// unapplied reports whether something is handed out and not applied. Raft must
// not be given a snapshot then: a configuration change among those entries
// would be applied on top of the snapshot's configuration.
func (n *node) unapplied() bool { return n.handed > n.applied || n.busy }

// pump takes what raft has to do.
func (n *node) pump() {
	for n.sim.err == nil && !n.busy && n.rn.HasReady() {
		n.inRaft = true
		rd := n.rn.Ready()
		n.inRaft = false
		n.sim.fail(n.check.Accepted(&rd, raftcheck.StatusOf(n.rn)))
		if k := len(rd.CommittedEntries); k > 0 {
			n.handed = rd.CommittedEntries[k-1].GetIndex()
		}
		if !raft.IsEmptySnap(rd.Snapshot) {
			n.handed = max(n.handed, rd.Snapshot.GetMetadata().GetIndex())
			n.sim.stats["snapshot"]++
		}
		n.sim.stats["message"] += len(rd.Messages)
		n.sim.readReady(n, rd.ReadStates)
		if n.cfg.AsyncStorageWrites {
			n.takeAsync(rd)
		} else {
			n.takeSync(rd)
		}
	}
}

// takeSync makes a Ready durable, and does the rest when it is.
func (n *node) takeSync(rd raft.Ready) {
	n.busy = true
	hasSnapshot := !raft.IsEmptySnap(rd.Snapshot)
	if raft.IsEmptyHardState(rd.HardState) && len(rd.Entries) == 0 && !hasSnapshot {
		n.finish(rd)
		return
	}
	o := op{entries: rd.Entries}
	if !raft.IsEmptyHardState(rd.HardState) {
		o.state = rd.HardState
	}
	if hasSnapshot {
		o.snapshot = rd.Snapshot
	}
	n.disk.pending = append(n.disk.pending, o)
	sync := rd.MustSync || hasSnapshot
	switch n.sim.mode.bug {
	case "sent early":
		for _, m := range rd.Messages {
			n.sends(m)
		}
	case "conf at append":
		for _, e := range rd.Entries {
			if e.GetType() != raftpb.EntryNormal {
				n.applyConf(e)
			}
		}
	case "installed early":
		if hasSnapshot {
			n.install(rd.Snapshot)
		}
	case "advanced early":
		n.call(func() { n.rn.Advance(rd) }, n.check.Advanced)
	}
	wait := 0
	if sync {
		wait = n.diskDelay()
	}
	n.later(wait, func() {
		n.saved(o, sync)
		n.finish(rd)
		n.pump()
	})
}

// saved tells that the oldest write is done, and shows it to raft.
func (n *node) saved(o op, sync bool) {
	if sync && n.sim.mode.bug == "sync skipped" {
		n.sim.fail(n.check.Durable())
	} else if sync {
		n.disk.sync(slices.IndexFunc(n.disk.pending, func(p op) bool { return same(p, o) }) + 1)
		n.sim.fail(n.check.Durable())
	} else {
		n.sim.fail(n.check.Written())
	}
	if n.sim.err != nil {
		return
	}
	if o.snapshot != nil {
		must(n.log.ApplySnapshot(newSnapshot(o.snapshot.GetMetadata().GetIndex(), o.snapshot.GetMetadata().GetTerm(), nil, nil)))
	}
	if err := n.appendLog(o.entries); err != nil {
		n.sim.fail(n.check.StorageFailed(err))
	}
	if o.state != nil {
		must(n.log.SetHardState(o.state))
	}
}

func same(a, b op) bool {
	return a.state == b.state && a.snapshot == b.snapshot && len(a.entries) == len(b.entries) &&
		(len(a.entries) == 0 || a.entries[0] == b.entries[0])
}

// finish does what follows when a Ready is durable.
func (n *node) finish(rd raft.Ready) {
	for _, m := range rd.Messages {
		n.sends(m)
	}
	if !raft.IsEmptySnap(rd.Snapshot) {
		n.install(rd.Snapshot)
	}
	wait := 0
	if len(rd.CommittedEntries) > 0 {
		wait = n.sim.delay(n.sim.mode.apply)
	}
	n.later(wait, func() {
		n.apply(rd.CommittedEntries)
		n.busy = false
		n.call(func() { n.rn.Advance(rd) }, n.check.Advanced)
		n.maybeSnapshot()
	})
}

func (n *node) sends(m *raftpb.Message) {
	n.sim.fail(n.check.Sent(m))
	n.sim.send(m)
}

// takeAsync gives a Ready's messages to the workers and the network.
func (n *node) takeAsync(rd raft.Ready) {
	for _, m := range rd.Messages {
		switch m.GetTo() {
		case raft.LocalAppendThread:
			o := op{entries: m.GetEntries()}
			if m.Term != nil {
				o.state = &raftpb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}
			}
			if !raft.IsEmptySnap(m.GetSnapshot()) {
				o.snapshot = m.GetSnapshot()
			}
			n.disk.pending = append(n.disk.pending, o)
			n.appends = append(n.appends, m)
			n.startAppend()
		case raft.LocalApplyThread:
			n.applies = append(n.applies, m)
			n.startApply()
		default:
			n.sends(m)
		}
	}
}

// startAppend makes everything that waits durable together.
func (n *node) startAppend() {
	if n.saving || len(n.appends) == 0 {
		return
	}
	n.saving = true
	list := n.appends
	n.appends = nil
	n.later(n.diskDelay(), func() {
		n.saving = false
		for _, m := range list {
			o := n.disk.pending[0]
			n.disk.sync(1)
			n.disk.pending = append([]op{o}, n.disk.pending...)
			n.saved(o, true)
			if n.sim.err != nil {
				return
			}
			if o.snapshot != nil {
				n.install(o.snapshot)
			}
			n.respond(m)
		}
		n.startAppend()
		n.maybeSnapshot()
	})
}

func (n *node) respond(m *raftpb.Message) {
	for _, r := range m.GetResponses() {
		switch {
		case n.sim.err != nil:
			return
		case r.GetTo() == n.id:
			n.step(r)
		default:
			n.sends(r)
		}
	}
}

func (n *node) startApply() {
	if n.working || len(n.applies) == 0 {
		return
	}
	n.working = true
	m := n.applies[0]
	n.applies = n.applies[1:]
	n.later(n.sim.delay(n.sim.mode.apply), func() {
		n.working = false
		n.apply(m.GetEntries())
		n.respond(m)
		n.startApply()
		n.maybeSnapshot()
	})
}

// apply applies committed entries.
func (n *node) apply(entries []*raftpb.Entry) {
	for _, e := range entries {
		if e.GetIndex() <= n.applied || n.sim.err != nil {
			continue // an installed snapshot has overtaken it
		}
		if e.GetType() != raftpb.EntryNormal {
			n.applyConf(e)
		}
		if n.sim.mode.bug == "entry skipped" && e.GetIndex()%8 == 0 {
			continue
		}
		h := fnv.New64a()
		h.Write(n.digest)
		h.Write(binary.LittleEndian.AppendUint64(nil, e.GetIndex()))
		h.Write(e.GetData())
		n.digest = h.Sum(nil)
		n.applied = e.GetIndex()
		n.sim.fail(n.check.Applied(e))
		n.sim.executed(n, e)
	}
	n.sim.serveReads(n)
}

func (n *node) applyConf(e *raftpb.Entry) {
	cc, err := decode(e)
	must(err)
	n.inRaft = true
	n.conf = n.rn.ApplyConfChange(cc)
	n.inRaft = false
	n.sim.stats["conf change"]++
	n.sim.fail(n.check.ConfApplied(e, n.conf, raftcheck.StatusOf(n.rn)))
}

// decode reads the configuration change in an entry.
func decode(e *raftpb.Entry) (raftpb.ConfChangeI, error) {
	if e.GetType() == raftpb.EntryConfChange {
		cc := &raftpb.ConfChange{}
		return cc, proto.Unmarshal(e.GetData(), cc)
	}
	cc := &raftpb.ConfChangeV2{}
	return cc, proto.Unmarshal(e.GetData(), cc)
}

func (n *node) install(s *raftpb.Snapshot) {
	meta := s.GetMetadata()
	n.applied, n.digest, n.conf = meta.GetIndex(), slices.Clone(s.GetData()), meta.GetConfState()
	n.sim.fail(n.check.Installed(s))
}
