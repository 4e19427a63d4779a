package etcdraft

import (
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// snapshots is what a replica knows of its own snapshots.
type snapshots struct {
	busy     bool             // one is on its way to the disk
	index    uint64           // of the newest that is durable
	checking bool             // a checkpoint is on its way
	checked  uint64           // index of the newest checkpoint
	first    *raftpb.Snapshot // that the replica has started from
}

// currentSnapshot encodes the state machine as it is, with the configuration
// as of the same index.
func (r *Replica) currentSnapshot() (*raftpb.Snapshot, error) {
	index := r.applied
	if r.c.cfg.Bugs.SnapshotOffByOne && index < r.log.last() {
		index++
	}
	s, err := r.encodeState(index)
	if err == nil {
		r.observe(&Event{Kind: SnapshotMade, Snapshot: s})
	}
	return s, err
}

// encodeState encodes the state machine as that of an index.
func (r *Replica) encodeState(index uint64) (*raftpb.Snapshot, error) {
	term, err := r.log.Term(index)
	if err != nil {
		return nil, err
	}
	return &raftpb.Snapshot{
		Data:     r.state.snapshot(),
		Metadata: &raftpb.SnapshotMetadata{ConfState: r.conf, Index: new(index), Term: new(term)},
	}, nil
}

// snapshotForRaft is Storage.Snapshot: a leader needs one for a follower that
// the log does not reach any more.
func (r *Replica) snapshotForRaft() (*raftpb.Snapshot, error) {
	if r.mode.SnapshotBusy > 0 && r.draws().PPM(r.mode.SnapshotBusy) {
		r.c.meet(snapshotUnavailable)
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	ahead := r.state.index > r.applied // the state machine, after a restart
	if ahead && raft.IsEmptySnap(r.making.first) {
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	r.c.meet(snapshotForFollower)
	if ahead { // it may stay so until a follower gets its snapshot
		return r.making.first, nil
	}
	return r.currentSnapshot()
}

// maybeSnapshot makes a snapshot when enough was applied since the last one,
// and compacts the log when it is durable.
func (r *Replica) maybeSnapshot() {
	every := r.mode.SnapshotEvery
	if every == 0 || r.making.busy || r.applied < r.making.index+every || r.state.index > r.applied {
		return
	}
	s, err := r.currentSnapshot()
	if err != nil {
		r.c.Violated(checkStorage, r, "a snapshot at %d: %v", r.applied, err)
		return
	}
	r.making.busy = true
	if r.c.cfg.Bugs.CompactEarly {
		r.compact(s)
	}
	r.store.SaveSnapshot(s, func(err error) {
		defer r.guard()
		if err != nil {
			r.crash(err)
			return
		}
		r.making.busy = false
		r.c.meet(snapshotKept)
		r.observe(&Event{Kind: SnapshotSaved, Snapshot: s})
		r.making.index = max(r.making.index, s.GetMetadata().GetIndex())
		r.compact(s)
		r.pump()
	})
}

// compact forgets the entries that a snapshot covers, apart from the newest.
func (r *Replica) compact(s *raftpb.Snapshot) {
	index := s.GetMetadata().GetIndex()
	if index <= r.mode.Retain {
		return
	}
	r.c.meetIf(r.mode.Retain == 0, logKeptShort)
	index -= r.mode.Retain
	r.observe(&Event{Kind: Compacted, Index: index})
	r.store.Compact(index)
	r.log.compact(index)
}

// install replaces the state machine by a snapshot of the leader, which is
// durable.
func (r *Replica) install(s *raftpb.Snapshot) {
	meta := s.GetMetadata()
	if meta.GetIndex() <= r.applied {
		r.c.Violated(checkSnapshot, r, "raft hands out a snapshot at %d to install, and %d was applied", meta.GetIndex(), r.applied)
		return
	}
	if err := r.state.restore(s.GetData()); err != nil {
		r.c.Violated(checkSnapshot, r, "the snapshot at %d cannot be restored: %v", meta.GetIndex(), err)
		return
	}
	r.applied, r.conf = meta.GetIndex(), meta.GetConfState()
	r.state.index = r.applied
	r.making.index = max(r.making.index, r.applied)
	r.c.meet(snapshotReceived)
	r.node.Log("snapshot-installed", kernel.Int("index", int64(r.applied)), kernel.Int("term", int64(meta.GetTerm())))
	r.observe(&Event{Kind: SnapshotInstalled, Snapshot: s})
	r.c.confChanged(r.applied, r.conf)
}

// maybeCheckpoint saves the state machine by itself when enough was applied
// since the last time.
func (r *Replica) maybeCheckpoint() {
	every := r.mode.CheckpointEvery
	if every == 0 || r.making.checking || r.applied < r.making.checked+every || r.state.index > r.applied {
		return
	}
	s, err := r.encodeState(r.applied)
	if err != nil {
		return // just compacted: the next one will do
	}
	r.making.checking, r.making.checked = true, r.applied
	r.store.SaveCheckpoint(s, func(err error) {
		defer r.guard()
		if err != nil {
			r.crash(err)
			return
		}
		r.making.checking = false
	})
}

// restoreAtStart loads what the state machine begins with. With a checkpoint
// that is ahead of the snapshot there are two ways to go on, both right: tell
// raft that all of it was applied, or go on from the snapshot and skip what the
// state machine has had already.
func (r *Replica) restoreAtStart(rec *wal.Recovered) {
	r.conf = &raftpb.ConfState{}
	base, state := rec.Snapshot, rec.Snapshot
	if c := rec.Checkpoint; c.GetMetadata().GetIndex() > base.GetMetadata().GetIndex() {
		state = c
		told := c.GetMetadata().GetIndex() <= rec.State.GetCommit() && r.draws().PPM(500_000)
		if told {
			base = c
		}
		r.c.meetIf(told, machineAheadTold)
		r.c.meetIf(!told, machineAheadSkips)
	}
	if base != nil {
		r.applied, r.conf = base.GetMetadata().GetIndex(), base.GetMetadata().GetConfState()
	}
	if state != nil {
		if err := r.state.restore(state.GetData()); err != nil {
			r.c.Violated(checkSnapshot, r, "the state at %d cannot be restored: %v", state.GetMetadata().GetIndex(), err)
		}
		r.state.index = state.GetMetadata().GetIndex()
	}
	r.making.first, r.making.index, r.making.checked = rec.Snapshot, rec.Snapshot.GetMetadata().GetIndex(), r.state.index
	if r.c.cfg.Bugs.ForgetConfState && len(r.conf.GetVoters()) > 0 {
		r.conf = r.c.first.GetMetadata().GetConfState()
	}
	r.log.conf = r.conf
}
