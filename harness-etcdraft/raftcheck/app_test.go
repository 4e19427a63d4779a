package raftcheck_test

import (
	"encoding/binary"
	"slices"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// delay draws a time up to most.
func (s *sim) delay(most int) int {
	if s.healed {
		most = min(most, 3)
	}
	return s.rng.IntN(most + 1)
}

func (n *node) diskDelay() int {
	if n.id == n.sim.mode.stalled {
		return n.sim.delay(300)
	}
	return n.sim.delay(n.sim.mode.disk)
}

func (n *node) appendLog(entries []*raftpb.Entry) error {
	last, _ := n.log.LastIndex()
	if len(entries) > 0 && entries[0].GetIndex() > last+1 {
		return errGap
	}
	return n.log.Append(entries)
}

// snapshotForRaft is Storage.Snapshot.
func (n *node) snapshotForRaft() (*raftpb.Snapshot, error) {
	if n.applied == 0 || n.sim.pct(15) && !n.sim.healed {
		return nil, raft.ErrSnapshotTemporarilyUnavailable
	}
	return n.snapshot()
}

func (n *node) snapshot() (*raftpb.Snapshot, error) {
	term, err := n.log.Term(n.applied)
	if err != nil {
		return nil, err
	}
	s := newSnapshot(n.applied, term, n.conf, n.digest)
	if n.sim.mode.bug == "snapshot off by one" {
		s.Metadata.Index = new(n.applied + 1)
	}
	n.sim.fail(n.check.SnapshotMade(s))
	return s, nil
}

// maybeSnapshot makes a snapshot, or makes the state machine durable, when it
// is time, and compacts the log.
func (n *node) maybeSnapshot() {
	m := n.sim.mode
	if n.rn == nil || n.sim.err != nil {
		return
	}
	if m.writeEvery == 10 && n.applied <= n.disk.state.GetCommit() && n.applied > 0 {
		n.disk.applied, n.disk.digest, n.disk.conf = n.applied, slices.Clone(n.digest), n.conf
	}
	first, _ := n.log.FirstIndex()
	if m.every == 0 || n.making || n.applied < first+m.every || n.applied > n.disk.state.GetCommit() {
		return
	}
	s, err := n.snapshot()
	if err != nil || n.sim.err != nil {
		return
	}
	if i := s.GetMetadata().GetIndex(); m.bug == "compacted early" && i > m.retain {
		n.sim.fail(n.check.Compacted(i - m.retain))
	}
	n.making = true
	n.later(n.diskDelay(), func() {
		n.making = false
		i := s.GetMetadata().GetIndex()
		if i < n.disk.snapshot.GetMetadata().GetIndex() {
			return
		}
		n.disk.snapshot = s
		n.check.SnapshotSaved(i)
		if i <= m.retain {
			return
		}
		if n.log.Compact(i-m.retain) == nil {
			n.disk.compact(i - m.retain)
			n.sim.fail(n.check.Compacted(i - m.retain))
		}
	})
}

// stepAside hands over leadership when the leader is no voter any more. While
// the configuration is joint it stays to leave it, if it can: raft drops the
// proposals of a leader that is no member at all, its own ones too.
func (n *node) stepAside() {
	voters, outgoing, learners := n.conf.GetVoters(), n.conf.GetVotersOutgoing(), n.conf.GetLearners()
	votes := slices.Contains(voters, n.id) || slices.Contains(outgoing, n.id)
	useful := votes || len(outgoing) > 0 && slices.Contains(learners, n.id)
	if n.rn.BasicStatus().RaftState == raft.StateLeader && !useful && n.sim.pct(5) {
		n.transfer(pick(n.sim.rng, voters...))
	}
}

func (n *node) transfer(to uint64) {
	n.sim.stats["transfer"]++
	n.call(func() { n.rn.TransferLeader(to) }, func(s raftcheck.Status) error { return n.check.Transferred(to, s) })
}

// propose writes something with a number of its own.
func (n *node) propose() {
	s := n.sim
	s.writes++
	id := raftcheck.WriteID{Client: 1, Seq: s.writes}
	s.check.Invoked(id)
	data := binary.LittleEndian.AppendUint64(make([]byte, 0, 64), s.writes)
	data = append(data, make([]byte, s.rng.IntN(48))...)
	s.stats["propose"]++
	var err error
	n.call(func() { err = n.rn.Propose(data) }, func(s raftcheck.Status) error { return n.check.Proposed(err, s) })
}

// executed notes what the state machine has carried out.
func (s *sim) executed(n *node, e *raftpb.Entry) {
	if e.GetType() != raftpb.EntryNormal || len(e.GetData()) < 8 {
		return
	}
	id := raftcheck.WriteID{Client: 1, Seq: binary.LittleEndian.Uint64(e.GetData())}
	// The network may repeat a proposal on its way to the leader; without
	// sessions the state machine cannot tell. Only the first time counts.
	if !s.done[id.Seq] || s.mode.bug == "carried out again" {
		s.fail(n.check.Executed(id, e.GetIndex()))
		s.done[id.Seq] = true
	}
	if s.done[id.Seq] && s.pct(50) {
		s.fail(s.check.Acknowledged(id))
	}
	s.stats["write"]++
}

type waiting struct {
	n     *node
	boot  uint64
	key   string
	index uint64
	ready bool
}

// read asks for a read index.
func (n *node) read() {
	s := n.sim
	if len(n.conf.GetVoters()) == 1 && !s.mode.singleReads && !s.live {
		return // see TestDefectSingleVoterReads
	}
	s.reads++
	key := binary.LittleEndian.AppendUint64(nil, s.reads)
	n.check.ReadRequested(key)
	s.waiting = append(s.waiting, &waiting{n: n, boot: n.boot, key: string(key)})
	n.call(func() { n.rn.ReadIndex(key) }, n.check.Called)
}

func (s *sim) readReady(n *node, states []raft.ReadState) {
	for _, r := range states {
		for _, w := range s.waiting {
			if w.n == n && w.key == string(r.RequestCtx) {
				w.ready, w.index = true, r.Index
			}
		}
		s.stats["read index"]++
	}
	s.serveReads(n)
}

func (s *sim) serveReads(n *node) {
	s.waiting = slices.DeleteFunc(s.waiting, func(w *waiting) bool {
		early := s.mode.bug == "read early" && w.ready
		if w.n != n || w.boot == n.boot && (!w.ready || n.applied < w.index) && !early {
			return false
		}
		if w.boot == n.boot {
			s.fail(n.check.ReadServed(w.index))
			s.stats["read"]++
		}
		return true
	})
}
