package raftcheck_test

import (
	"testing"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// async is a RawNode with AsyncStorageWrites. Its storage does what it is told
// only when the test says so.
type async struct {
	*raft.RawNode
	store   *raft.MemoryStorage
	waiting []*raftpb.Message // for the storage
	sent    []*raftpb.Message // to other nodes
	applied map[uint64]string // commands by index
	conf    *raftpb.ConfState // after the last change that was applied
}

func newAsync(t *testing.T, id uint64, store *raft.MemoryStorage) *async {
	t.Helper()
	if state, _, err := store.InitialState(); err == nil && state.GetTerm() == 0 {
		must(store.SetHardState(&raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(0)), Commit: new(uint64(1))}))
	}
	rn, err := raft.NewRawNode(&raft.Config{
		ID: id, ElectionTick: 10, HeartbeatTick: 1, Storage: store, MaxInflightMsgs: 16, MaxSizePerMsg: 1 << 20, Logger: logger{}, AsyncStorageWrites: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return &async{RawNode: rn, store: store, applied: map[uint64]string{}}
}

// take hands out everything that raft has to do, in the order that its
// documentation asks for, without waiting for the storage.
func (a *async) take() {
	for a.HasReady() {
		for _, m := range a.Ready().Messages {
			switch m.GetTo() {
			case raft.LocalAppendThread, raft.LocalApplyThread:
				a.waiting = append(a.waiting, m)
			default:
				a.sent = append(a.sent, m)
			}
		}
	}
}

// work lets the storage do what it was told, and raft what follows.
func (a *async) work() {
	for a.take(); len(a.waiting) > 0; a.take() {
		m := a.waiting[0]
		a.waiting = a.waiting[1:]
		if m.GetTo() == raft.LocalApplyThread {
			a.apply(m)
		} else {
			must(a.store.Append(m.GetEntries()))
			if m.GetTerm() > 0 {
				must(a.store.SetHardState(&raftpb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}))
			}
		}
		a.answer(m)
	}
}

func (a *async) apply(m *raftpb.Message) {
	for _, e := range m.GetEntries() {
		a.applied[e.GetIndex()] = string(e.GetData())
		if e.GetType() == raftpb.EntryConfChangeV2 {
			cc, err := decode(e)
			must(err)
			a.conf = a.ApplyConfChange(cc)
		}
	}
}

func (a *async) answer(m *raftpb.Message) {
	for _, r := range m.GetResponses() {
		if r.GetTo() == a.BasicStatus().ID {
			must(a.Step(r))
		} else {
			a.sent = append(a.sent, r)
		}
	}
}

// pass delivers what from has sent to those that are there, and drops the rest.
func pass(from *async, to map[uint64]*async) {
	for _, m := range from.sent {
		if n := to[m.GetTo()]; n != nil {
			_ = n.Step(m)
			n.work()
		}
	}
	from.sent = nil
}

// With asynchronous writes a candidate asks for votes, and with those of others
// leads and replicates, before its own term and vote are durable. After a crash
// it does not know the term, stands in it again, and is given the same votes
// again, because those who have given them may repeat them: one term has two
// leaders that know nothing of each other, and two entries with one index and
// one term. What one has replicated is taken for what the other has; a node
// commits and applies what the leader does not have. Avoided: a vote request
// waits for the storage.
func TestDefectVoteNotDurable(t *testing.T) {
	first := newAsync(t, 1, formatted(1, 2, 3))
	b, c := newAsync(t, 2, formatted(1, 2, 3)), newAsync(t, 3, formatted(1, 2, 3))
	must(first.Campaign())
	first.take() // its storage is slow, and does nothing until the end
	pass(first, map[uint64]*async{2: b, 3: c})
	give(b, first)
	give(c, first)
	first.take()
	if s := first.BasicStatus(); s.RaftState != raft.StateLeader || s.GetTerm() != 2 {
		t.Fatalf("mended: node 1 does not lead with the votes of the others: %v in term %d", s.RaftState, s.GetTerm())
	}
	must(first.Propose([]byte("x")))
	first.take()
	pass(first, map[uint64]*async{2: b}) // the empty entry
	give(b, first)
	first.take()
	pass(first, map[uint64]*async{2: b}) // and x

	// It loses power, and nothing of it was durable.
	again := newAsync(t, 1, first.store)
	must(again.Campaign())
	again.work()
	pass(again, map[uint64]*async{3: c})
	pass(c, map[uint64]*async{1: again})
	again.work()
	if s := again.BasicStatus(); s.RaftState != raft.StateLeader || s.GetTerm() != 2 {
		t.Fatalf("mended: node 1 does not lead again: %v in term %d", s.RaftState, s.GetTerm())
	}
	must(again.Propose([]byte("y")))
	for range 8 {
		again.work()
		pass(again, map[uint64]*async{2: b, 3: c})
		pass(b, map[uint64]*async{1: again})
		pass(c, map[uint64]*async{1: again})
		again.Tick()
	}
	if again.applied[3] != "y" || b.applied[3] != "x" {
		t.Fatalf("mended: entry 3 is %q on node 1 and %q on node 2", again.applied[3], b.applied[3])
	}
	t.Logf("both have committed and applied entry 3 of term 2: node 1 has %q, node 2 has %q", again.applied[3], b.applied[3])
}

// give delivers what from has sent to one node, which does nothing about it.
func give(from, to *async) {
	for _, m := range from.sent {
		_ = to.Step(m)
	}
	from.sent = nil
}

// With asynchronous writes a leader that has become the only voter replicates to
// learners what is not durable with itself. If it then loses power, and with it
// the commit index of the change, it comes back with the configuration before:
// it needs the vote of a node that is no voter any more, and whose log is longer.
// That node refuses, and cannot stand itself: nobody can lead. Avoided: with
// asynchronous writes two voters stay.
func TestDefectLastVoterForgets(t *testing.T) {
	a, b := newAsync(t, 1, formatted(1, 2)), newAsync(t, 2, formatted(1, 2))
	talk := func(a *async) {
		for range 4 {
			a.work()
			pass(a, map[uint64]*async{2: b})
			pass(b, map[uint64]*async{1: a})
		}
	}
	must(a.Campaign())
	talk(a)
	must(a.ProposeConfChange(change(raftpb.ConfChangeAddLearnerNode, 2, raftpb.ConfChangeTransitionAuto)))
	a.work() // the change is durable
	pass(a, map[uint64]*async{2: b})
	give(b, a)
	a.take() // it is committed; the commit index waits for the storage from here on
	for _, m := range a.waiting {
		if m.GetTo() == raft.LocalApplyThread {
			a.apply(m)
			a.answer(m)
		}
	}
	must(a.Propose([]byte("x")))
	a.take()
	pass(a, map[uint64]*async{2: b})
	if len(a.conf.GetVoters()) != 1 || len(b.conf.GetVoters()) != 1 {
		t.Fatalf("node 1 should be the only voter: %v, %v", a.conf, b.conf)
	}

	again := newAsync(t, 1, a.store) // after a power loss
	for range 500 {
		again.Tick()
		b.Tick()
		talk(again)
	}
	if again.BasicStatus().RaftState == raft.StateLeader || b.BasicStatus().RaftState == raft.StateLeader {
		t.Fatalf("mended: %v, %v", again.BasicStatus(), b.BasicStatus())
	}
	t.Logf("after 500 ticks node 1 is a %v in term %d", again.BasicStatus().RaftState, again.BasicStatus().GetTerm())
}
