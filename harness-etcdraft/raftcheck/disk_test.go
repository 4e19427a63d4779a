package raftcheck_test

import (
	mrand "math/rand/v2"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// op is a write to a disk.
type op struct {
	state    *raftpb.HardState
	snapshot *raftpb.Snapshot
	entries  []*raftpb.Entry
}

// disk is what survives a crash, and the writes that may.
type disk struct {
	state      *raftpb.HardState
	snapshot   *raftpb.Snapshot
	base       uint64 // of the entries
	baseTerm   uint64
	entries    []*raftpb.Entry
	pending    []op
	forgetVote bool // a mistake

	// A state machine that is durable by itself.
	applied uint64
	digest  []byte
	conf    *raftpb.ConfState
}

// format makes the disk of one of the first voters.
func (d *disk) format(voters int) {
	conf := &raftpb.ConfState{}
	for id := range voters {
		conf.Voters = append(conf.Voters, uint64(id+1))
	}
	d.do(op{
		state:    &raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(0)), Commit: new(uint64(1))},
		snapshot: newSnapshot(1, 1, conf, make([]byte, 8)),
	})
}

func newSnapshot(index, term uint64, conf *raftpb.ConfState, data []byte) *raftpb.Snapshot {
	return &raftpb.Snapshot{
		Data:     append([]byte(nil), data...),
		Metadata: &raftpb.SnapshotMetadata{ConfState: conf, Index: new(index), Term: new(term)},
	}
}

// do carries out a write.
func (d *disk) do(o op) {
	if o.snapshot != nil {
		d.snapshot = o.snapshot
		d.base, d.baseTerm = o.snapshot.GetMetadata().GetIndex(), o.snapshot.GetMetadata().GetTerm()
		d.entries = nil
	}
	if o.state != nil {
		d.state = o.state
		if d.forgetVote {
			d.state = &raftpb.HardState{Term: o.state.Term, Vote: new(uint64(0)), Commit: o.state.Commit}
		}
	}
	entries := o.entries
	for len(entries) > 0 && entries[0].GetIndex() <= d.base {
		entries = entries[1:]
	}
	if len(entries) > 0 {
		keep := entries[0].GetIndex() - d.base - 1
		d.entries = append(d.entries[:keep:keep], entries...)
	}
}

// sync makes the oldest writes durable.
func (d *disk) sync(count int) {
	for _, o := range d.pending[:count] {
		d.do(o)
	}
	d.pending = d.pending[count:]
}

// crash decides which of the pending writes have happened: the first ones, and
// of the next one a part.
func (d *disk) crash(r *mrand.Rand) {
	if len(d.pending) == 0 {
		return
	}
	k := r.IntN(len(d.pending) + 1)
	if k < len(d.pending) && d.pending[k].snapshot == nil && r.IntN(2) == 0 {
		d.sync(k)
		torn := d.pending[0]
		torn.entries = torn.entries[:r.IntN(len(torn.entries)+1)]
		if c := torn.state.GetCommit(); torn.state != nil && c > d.state.GetCommit() {
			torn.state = &raftpb.HardState{Term: torn.state.Term, Vote: torn.state.Vote, Commit: new(d.state.GetCommit())}
		}
		d.do(torn)
	} else {
		d.sync(k)
	}
	d.pending = nil
}

// compact forgets entries.
func (d *disk) compact(i uint64) {
	if i <= d.base || i > d.base+uint64(len(d.entries)) {
		return
	}
	k := i - d.base
	d.base, d.baseTerm = i, d.entries[k-1].GetTerm()
	d.entries = append([]*raftpb.Entry(nil), d.entries[k:]...)
}

// recovered returns the entries in the form of [raftcheck.Boot].
func (d *disk) recovered() []*raftpb.Entry {
	if d.base == d.snapshot.GetMetadata().GetIndex() {
		return d.entries
	}
	return append([]*raftpb.Entry{{Index: new(d.base), Term: new(d.baseTerm)}}, d.entries...)
}

// storage is raft's storage: a MemoryStorage with snapshots on demand.
type storage struct {
	*raft.MemoryStorage
	conf *raftpb.ConfState
	make func() (*raftpb.Snapshot, error)
}

func (s *storage) InitialState() (*raftpb.HardState, *raftpb.ConfState, error) {
	hs, _, err := s.MemoryStorage.InitialState()
	return hs, s.conf, err
}

func (s *storage) Snapshot() (*raftpb.Snapshot, error) { return s.make() }

// open builds the storage of an incarnation.
func (d *disk) open(conf *raftpb.ConfState) *storage {
	ms := raft.NewMemoryStorage()
	if d.base > 0 {
		must(ms.ApplySnapshot(newSnapshot(d.base, d.baseTerm, conf, nil)))
	}
	must(ms.Append(append([]*raftpb.Entry(nil), d.entries...)))
	if d.state != nil {
		must(ms.SetHardState(d.state))
	}
	return &storage{MemoryStorage: ms, conf: conf}
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
