package raftcheck

import (
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// Applied tells that an entry has gone into the state machine. Configuration
// changes go in too, after [Node.ConfApplied].
func (n *Node) Applied(e *raftpb.Entry) error {
	i := e.GetIndex()
	if i != n.applied+1 {
		if err := n.fail(ApplyOrder, "applies entry %d after entry %d", i, n.applied); err != nil {
			return err
		}
	}
	n.applied = i
	if i > n.last.Commit {
		return n.fail(ApplyOrder, "applies entry %d; its commit index is %d", i, n.last.Commit)
	}
	if i > n.dur.log.last() && i > n.dur.snapshot {
		return n.fail(ApplyOrder, "applies entry %d; its durable log ends at %d", i, n.dur.log.last())
	}
	prev, known := n.c.canon.get(i - 1)
	want, ok := n.c.canon.get(i)
	if !known || i <= n.c.canon.base {
		return nil
	}
	if d := prev.next(e); !ok || d != want {
		return n.fail(ApplyOrder, "applies entry %d of term %d with digest %x; %s", i, d.term, d.hash, n.c.committed(i))
	}
	return nil
}

// ConfApplied tells of a call of ApplyConfChange for an entry, and of its
// result. A nil result says that the application has turned the change down
// and made no such call; all nodes must do the same.
func (n *Node) ConfApplied(e *raftpb.Entry, result *raftpb.ConfState, s Status) error {
	i := e.GetIndex()
	if i != n.applied+1 {
		if err := n.fail(Configuration, "applies the configuration change %d out of turn; the applied index is %d, the commit index %d", i, n.applied, n.last.Commit); err != nil {
			return err
		}
	}
	if i <= n.snapshotAt {
		if err := n.fail(Configuration, "applies the configuration change %d to raft, which has taken a snapshot at %d", i, n.snapshotAt); err != nil {
			return err
		}
	}
	was, got := n.conf, n.conf
	if result != nil {
		got = newConf(result)
		if err := n.followsRules(e, got); err != nil {
			return err
		}
	}
	if err := n.place(i, got); err != nil {
		return err
	}
	n.elections.grace = n.elections.ticks
	for k := range n.flows {
		n.flows[k].moved, n.flows[k].match, n.flows[k].known = true, 0, 0
		n.flows[k].window.shut()
	}
	if err := n.sameConf("after the change at", i); err != nil {
		return err
	}
	if err := n.observe(s, callOther); err != nil {
		return err
	}
	if n.last.Role == raft.StateLeader {
		if err := n.knowsNothing(was); err != nil {
			return err
		}
		if err := n.commitsAll(); err != nil {
			return err
		}
	}
	if n.cfg.stepDown && n.last.Role == raft.StateLeader && !n.conf.voter(n.id) {
		return n.fail(ConfChangeGuard, "is still leader after the configuration change %d, which takes away its vote, and StepDownOnRemoval is set", i)
	}
	return nil
}

// followsRules compares a change with what the rules say.
func (n *Node) followsRules(e *raftpb.Entry, got *conf) error {
	cc, err := decodeChange(e)
	if err != nil {
		return n.fail(Configuration, "applies entry %d, which is no configuration change: %v", e.GetIndex(), err)
	}
	want, err := n.conf.change(cc)
	if err != nil {
		return n.fail(Configuration, "applies the change %d to %v: %v", e.GetIndex(), n.conf, err)
	}
	if err := got.valid(); err != nil {
		return n.fail(Configuration, "applies the change %d and has %v: %v", e.GetIndex(), got, err)
	}
	if !got.equal(want) {
		return n.fail(Configuration, "applies the change %d to %v and has %v; the rules say %v", e.GetIndex(), n.conf, got, want)
	}
	return nil
}

func decodeChange(e *raftpb.Entry) (*raftpb.ConfChangeV2, error) {
	if e.GetType() == raftpb.EntryConfChange {
		cc := &raftpb.ConfChange{}
		err := proto.Unmarshal(e.GetData(), cc)
		one := &raftpb.ConfChangeSingle{Type: cc.GetType().Enum(), NodeId: new(cc.GetNodeId())}
		return &raftpb.ConfChangeV2{Changes: []*raftpb.ConfChangeSingle{one}}, err
	}
	cc := &raftpb.ConfChangeV2{}
	return cc, proto.Unmarshal(e.GetData(), cc)
}

// place notes the configuration from an index on, or compares it with what
// other nodes have there.
func (n *Node) place(index uint64, f *conf) error {
	c := n.c
	last := c.confs[len(c.confs)-1]
	if index > last.index {
		c.confs = append(c.confs, placed{index, f})
		n.conf = f
		return nil
	}
	n.conf = c.confAsOf(index)
	if !n.conf.equal(f) {
		was := n.conf
		n.conf = f
		return n.fail(Configuration, "has %v as of index %d; another node has %v there", f, index, was)
	}
	return nil
}

// sameConf compares raft's configuration with the one that it should have.
func (n *Node) sameConf(when string, index ...uint64) error {
	if n.raft == nil {
		return nil
	}
	st := n.raft.Status()
	if got := raftConf(&st, n.conf); !got.equal(n.conf) {
		return n.fail(Configuration, "%s %v: raft uses %v; the configuration is %v", when, index, got, n.conf)
	}
	for _, v := range n.c.order {
		_, tracked := n.progress(v.id)
		learner := n.conf.learner(v.id)
		switch {
		case tracked != n.conf.member(v.id):
			return n.fail(Configuration, "%s %v: raft tracks node %d: %t; the configuration is %v", when, index, v.id, tracked, n.conf)
		case tracked && n.found.IsLearner != learner:
			return n.fail(Configuration, "%s %v: raft tracks node %d as a learner: %t; the configuration is %v", when, index, v.id, !learner, n.conf)
		}
	}
	return nil
}

// content compares the data of a snapshot with that of others at its index.
func (n *Node) content(s *raftpb.Snapshot, made bool) error {
	i, d := s.GetMetadata().GetIndex(), hash(0).bytes(s.GetData())
	was, ok := n.c.snapshots[i]
	switch {
	case ok && was != d:
		return n.fail(Snapshots, "has a snapshot at %d with digest %x; another one there has digest %x", i, d, was)
	case !ok && made:
		n.c.snapshots[i] = d
	case !ok:
		return n.fail(Snapshots, "takes a snapshot at %d that no node has made", i)
	}
	return nil
}

// prefix checks that a snapshot says what is committed.
func (n *Node) prefix(s *raftpb.Snapshot) error {
	meta := s.GetMetadata()
	i := meta.GetIndex()
	want, ok := n.c.canon.get(i)
	if i > n.c.canon.base && (!ok || want.term != meta.GetTerm()) {
		return n.fail(Snapshots, "has a snapshot at %d of term %d; %s", i, meta.GetTerm(), n.c.committed(i))
	}
	if got, want := newConf(meta.GetConfState()), n.c.confAsOf(i); !got.equal(want) {
		return n.fail(Snapshots, "has a snapshot at %d with (%v); the configuration there is (%v)", i, got, want)
	}
	return nil
}

// SnapshotMade tells that a snapshot of the node's state machine was made.
func (n *Node) SnapshotMade(s *raftpb.Snapshot) error {
	i := s.GetMetadata().GetIndex()
	switch {
	case i != n.applied:
		if err := n.fail(Snapshots, "makes a snapshot at %d; the applied index is %d", i, n.applied); err != nil {
			return err
		}
	case i > n.dur.log.last() && i > n.dur.snapshot:
		if err := n.fail(Snapshots, "makes a snapshot at %d; its durable log ends at %d", i, n.dur.log.last()); err != nil {
			return err
		}
	}
	if err := n.prefix(s); err != nil {
		return err
	}
	return n.content(s, true)
}

// SnapshotSaved tells that a snapshot of the node's own state machine is
// durable.
func (n *Node) SnapshotSaved(index uint64) { n.dur.snapshot = max(n.dur.snapshot, index) }

// takesSnapshot is P13 on a snapshot that a Ready hands out.
func (n *Node) takesSnapshot(s *raftpb.Snapshot) error {
	meta := s.GetMetadata()
	i := meta.GetIndex()
	if i <= n.checked || i <= n.applied {
		if err := n.fail(Snapshots, "takes a snapshot at %d; entries up to %d are committed, up to %d applied", i, n.checked, n.applied); err != nil {
			return err
		}
	}
	if err := n.prefix(s); err != nil {
		return err
	}
	if err := n.content(s, false); err != nil {
		return err
	}
	at, ok := n.c.canon.get(i)
	if !ok || at.term != meta.GetTerm() {
		at = beginning(i, meta.GetTerm())
	}
	n.log.begin(i, at)
	n.quota.stable = i
	n.changes = n.changes[:0]
	n.checked, n.handed, n.snapshotAt = max(n.checked, i), max(n.handed, i), i
	n.conf = n.c.confAsOf(i)
	return n.sameConf("after the snapshot at", i)
}

// Installed tells that the state machine was replaced by a snapshot.
func (n *Node) Installed(s *raftpb.Snapshot) error {
	i := s.GetMetadata().GetIndex()
	was := n.applied
	n.applied = max(n.applied, i)
	switch {
	case i <= was:
		return n.fail(Snapshots, "installs a snapshot at %d; the applied index is %d", i, was)
	case i > n.dur.snapshot:
		return n.fail(Snapshots, "installs a snapshot at %d before it is durable; the one at %d is", i, n.dur.snapshot)
	}
	return nil
}

// Compacted tells that the entries up to an index were taken out of the log.
func (n *Node) Compacted(index uint64) error {
	if index > n.applied || index > n.dur.snapshot {
		if err := n.fail(Contract, "compacts its log up to %d; the applied index is %d and the durable snapshot is at %d", index, n.applied, n.dur.snapshot); err != nil {
			return err
		}
	}
	n.log.compact(index)
	n.dur.log.compact(index)
	n.changes = slices.DeleteFunc(n.changes, func(i uint64) bool { return i <= index })
	n.c.trim()
	return nil
}
