package raftcheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// What goes wrong around changes of the members, each with the library alone.

// newBareWith is newBare with other options.
func newBareWith(id uint64, store *raft.MemoryStorage, tune func(*raft.Config)) *bare {
	cfg := &raft.Config{
		ID: id, ElectionTick: 10, HeartbeatTick: 1, Storage: store, MaxInflightMsgs: 16, MaxSizePerMsg: 1 << 20, Logger: logger{},
	}
	tune(cfg)
	rn, err := raft.NewRawNode(cfg)
	must(err)
	return &bare{RawNode: rn, store: store}
}

// formattedAt is the store of a node at a term, with the members as of index 1.
func formattedAt(term uint64, conf *raftpb.ConfState) *raft.MemoryStorage {
	store := raft.NewMemoryStorage()
	must(store.ApplySnapshot(newSnapshot(1, 1, conf, nil)))
	must(store.SetHardState(&raftpb.HardState{Term: new(term), Vote: new(uint64(0)), Commit: new(uint64(1))}))
	return store
}

// take returns what a node sends and forgets it.
func (b *bare) take() []*raftpb.Message {
	b.settle()
	list := b.sent
	b.sent = nil
	return list
}

func message(kind raftpb.MessageType, from, to, term, index, logTerm uint64) *raftpb.Message {
	return &raftpb.Message{Type: kind.Enum(), From: new(from), To: new(to), Term: new(term), Index: new(index), LogTerm: new(logTerm)}
}

// A node does not answer a request for a vote of a lower term, so that the
// candidate never learns of the higher one (§5.1 of the Raft paper has it
// answered). Here node 2 has missed that node 1 came and node 3 went: it asks
// node 3, which is gone, and node 1 asks it, in terms that are behind.
// Avoided: PreVote where members change.
func TestDefectLowerTermUnanswered(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	one := newBare(t, 1, formattedAt(5, &raftpb.ConfState{Voters: []uint64{1, 2}}))
	two := newBare(t, 2, formattedAt(500, &raftpb.ConfState{Voters: []uint64{2, 3}}))
	answers := 0
	for range 2000 { // a hundred election timeouts
		one.Tick()
		two.Tick()
		for _, m := range one.take() {
			_ = two.Step(m)
		}
		for _, m := range two.take() {
			if m.GetTo() == 1 {
				answers++
				_ = one.Step(m)
			}
		}
	}
	if answers > 0 || one.BasicStatus().RaftState == raft.StateLeader || two.BasicStatus().RaftState == raft.StateLeader {
		t.Fatalf("mended: %d answers, %v, %v", answers, one.BasicStatus(), two.BasicStatus())
	}
	t.Logf("after 2000 ticks node 1 is a %v in term %d, node 2 a %v in term %d",
		one.BasicStatus().RaftState, one.BasicStatus().GetTerm(), two.BasicStatus().RaftState, two.BasicStatus().GetTerm())
}

// A learner whose term a removed node has raised ignores its leader for ever:
// without PreVote and CheckQuorum it does not answer messages of a lower term,
// and it never stands for election, which would tell of its term. Avoided:
// PreVote where members change.
func TestDefectLearnerLeftBehind(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	conf := &raftpb.ConfState{Voters: []uint64{1, 2}, Learners: []uint64{3}}
	learner := newBare(t, 3, formattedAt(5, conf))
	_ = learner.Step(message(raftpb.MsgVote, 4, 3, 9, 1, 1)) // node 4 was removed and does not know
	learner.take()
	answers := 0
	for range 1000 {
		_ = learner.Step(message(raftpb.MsgHeartbeat, 1, 3, 5, 0, 0))
		app := message(raftpb.MsgApp, 1, 3, 5, 1, 1)
		app.Commit = new(uint64(2))
		app.Entries = []*raftpb.Entry{{Term: new(uint64(5)), Index: new(uint64(2))}}
		_ = learner.Step(app)
		learner.Tick()
		answers += len(learner.take())
	}
	if s := learner.BasicStatus(); answers > 0 || s.GetCommit() > 1 {
		t.Fatalf("mended: %d answers, commit index %d", answers, s.GetCommit())
	}
	t.Logf("after 1000 heartbeats of term 5 the learner, in term %d, has said nothing", learner.BasicStatus().GetTerm())
}

// A node without PreVote and CheckQuorum, whose term is ahead, beside nodes
// with CheckQuorum: they refuse it while they hear from their leader, and it
// ignores that leader, silently. It stays out until the leader fails. Avoided:
// no node has neither option where options change node by node.
func TestDefectMixedOptions(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	careful := func(c *raft.Config) { c.CheckQuorum = true }
	conf := &raftpb.ConfState{Voters: []uint64{1, 2, 3}}
	one, two := newBareWith(1, formattedAt(5, conf), careful), newBareWith(2, formattedAt(5, conf), careful)
	three := newBare(t, 3, formattedAt(50, conf))
	must(one.Campaign())
	exchange(one, two)
	term := one.BasicStatus().GetTerm()
	for range 1000 {
		one.Tick()
		two.Tick()
		three.Tick()
		exchange(one, two, three)
	}
	s := three.BasicStatus()
	if one.BasicStatus().GetTerm() != term || one.BasicStatus().RaftState != raft.StateLeader || s.Lead != raft.None {
		t.Fatalf("mended: %v, %v", one.BasicStatus(), s)
	}
	t.Logf("after 1000 ticks node 1 leads term %d, and node 3 is a %v of term %d with commit index %d", term, s.RaftState, s.GetTerm(), s.GetCommit())
}

// removesItself makes the leader of nodes 1 and 2 apply that it is removed,
// with an entry behind the change in its log that node 2 does not have, and
// without node 2 knowing that the change is committed.
func removesItself(t *testing.T, tune func(*raft.Config)) (a, b *bare) {
	t.Helper()
	a, b = newBareWith(1, formatted(1, 2), tune), newBareWith(2, formatted(1, 2), tune)
	must(a.Campaign())
	exchange(a, b)
	must(a.ProposeConfChange(change(raftpb.ConfChangeRemoveNode, 1, raftpb.ConfChangeTransitionAuto)))
	toB := a.take()
	must(a.Propose([]byte("behind the change")))
	a.take() // lost: the network is cut after the change
	for _, m := range toB {
		_ = b.Step(m)
	}
	for _, m := range b.take() {
		_ = a.Step(m)
	}
	a.take() // a commits and applies; what tells b is lost
	if a.conf == nil || b.conf != nil {
		t.Fatalf("the change is applied on node 1: %v, on node 2: %v", a.conf, b.conf)
	}
	return a, b
}

// nobodyLeads ticks both nodes and reports whether neither ever leads.
func nobodyLeads(a, b *bare) bool {
	for range 2000 {
		a.Tick()
		b.Tick()
		exchange(a, b)
		if a.BasicStatus().RaftState == raft.StateLeader || b.BasicStatus().RaftState == raft.StateLeader {
			return false
		}
	}
	return true
}

// A leader that becomes the only member forgets the reads that wait for a
// heartbeat to be answered: nobody is left to answer, and raft does not look at
// the reads when the quorum shrinks, as it does at its commit index. Avoided:
// such a leader asks again, with the same contexts, and is answered at once.
func TestDefectReadsLeftBehind(t *testing.T) {
	a, b := newBare(t, 1, formatted(1, 2)), newBare(t, 2, formatted(1, 2))
	must(a.Campaign())
	exchange(a, b)
	must(a.ProposeConfChange(change(raftpb.ConfChangeRemoveNode, 2, raftpb.ConfChangeTransitionAuto)))
	for _, m := range a.take() {
		must(b.Step(m))
	}
	a.ReadIndex([]byte("r"))
	for _, m := range b.take() {
		must(a.Step(m)) // the change is committed; what b answers to the heartbeat comes from a removed node
	}
	for range 100 {
		exchange(a, b)
		a.Tick()
	}
	if len(a.conf.GetVoters()) != 1 || a.BasicStatus().RaftState != raft.StateLeader {
		t.Fatal("node 1 should lead alone")
	}
	if len(a.reads) != 0 {
		t.Fatalf("mended: answered %v", a.reads)
	}
	a.ReadIndex([]byte("r"))
	a.settle()
	if len(a.reads) != 1 || a.reads[0].Index != a.BasicStatus().GetCommit() {
		t.Fatalf("a second question should be answered: %v", a.reads)
	}
	t.Log("a read waits for 100 ticks; asked again, it is answered at once")
}

// With StepDownOnRemoval a leader that removes itself steps down when it has
// applied that, and tells nobody. Node 2 still needs its vote, and is refused
// because the log of node 1 goes on; node 1 must not stand. The cluster of one
// voter is dead although all nodes and links work. Avoided: no
// StepDownOnRemoval where members change.
func TestDefectStepDownTellsNobody(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	a, b := removesItself(t, func(c *raft.Config) { c.StepDownOnRemoval = true })
	if !nobodyLeads(a, b) {
		t.Fatal("mended: there is a leader")
	}
	t.Logf("after 2000 ticks: node 1 %v, node 2 %v of term %d", a.BasicStatus().RaftState, b.BasicStatus().RaftState, b.BasicStatus().GetTerm())
}

// The same without StepDownOnRemoval, when the leader restarts at that moment.
// Avoided: leadership is handed over before the leader is removed.
func TestDefectRemovedLeaderRestarts(t *testing.T) {
	cryptotest.SetGlobalRandom(t, 1)
	a, b := removesItself(t, func(*raft.Config) {})
	state, _, err := a.store.InitialState()
	must(err)
	if state.GetCommit() < a.BasicStatus().GetCommit() { // it was written without a sync: this crash keeps it
		must(a.store.SetHardState(&raftpb.HardState{Term: state.Term, Vote: state.Vote, Commit: new(a.BasicStatus().GetCommit())}))
	}
	again := newBare(t, 1, a.store)
	again.settle() // applies the change anew
	if !nobodyLeads(again, b) {
		t.Fatal("mended: there is a leader")
	}
	t.Logf("after 2000 ticks: node 1 %v, node 2 %v of term %d", again.BasicStatus().RaftState, b.BasicStatus().RaftState, b.BasicStatus().GetTerm())
}

// A follower takes the configuration of a snapshot as soon as it is given it,
// also when it has handed out entries that are still to be applied. A change
// among them is then applied to the configuration of the snapshot, in which it
// is contained already: raft panics when the change cannot be made twice, and
// else ends with another configuration than its log says. Avoided: MsgSnap
// waits until nothing is left to apply.
func TestDefectSnapshotBeforeApply(t *testing.T) {
	for _, c := range []struct {
		what string
		then *raftpb.ConfState // of the snapshot
		want string            // what the panic says; empty: another configuration
	}{
		{"the snapshot has left the joint configuration", &raftpb.ConfState{Voters: []uint64{1, 2, 4}}, ""},
		{"the snapshot is still in it", &raftpb.ConfState{Voters: []uint64{1, 2, 4}, VotersOutgoing: []uint64{1, 2, 3}}, "config is already joint"},
	} {
		t.Run(c.what, func(t *testing.T) {
			b := newBare(t, 2, formatted(1, 2, 3))
			data, err := proto.Marshal(&raftpb.ConfChangeV2{
				Transition: raftpb.ConfChangeTransitionJointExplicit.Enum(),
				Changes: []*raftpb.ConfChangeSingle{
					{Type: raftpb.ConfChangeAddNode.Enum(), NodeId: new(uint64(4))},
					{Type: raftpb.ConfChangeRemoveNode.Enum(), NodeId: new(uint64(3))},
				},
			})
			must(err)
			app := message(raftpb.MsgApp, 1, 2, 1, 1, 1)
			app.Commit = new(uint64(2))
			app.Entries = []*raftpb.Entry{{Term: new(uint64(1)), Index: new(uint64(2)), Type: raftpb.EntryConfChangeV2.Enum(), Data: data}}
			_ = b.Step(app)
			rd := b.Ready()
			for len(rd.CommittedEntries) == 0 {
				must(b.store.Append(rd.Entries))
				b.Advance(rd)
				rd = b.Ready()
			}
			snap := message(raftpb.MsgSnap, 1, 2, 1, 0, 0)
			snap.Snapshot = newSnapshot(9, 1, c.then, nil)
			_ = b.Step(snap) // between Ready and ApplyConfChange
			cc, err := decode(rd.CommittedEntries[0])
			must(err)
			said, voters := applyCatching(b, cc)
			if c.want != "" && !strings.Contains(said, c.want) || c.want == "" && said == "" && slices.Equal(voters, c.then.Voters) && len(b.Status().Config.Voters[1]) == 0 {
				t.Fatalf("mended: %q, voters %v", said, voters)
			}
			t.Logf("panic %q; raft has %v, the snapshot %v", said, b.Status().Config, c.then)
		})
	}
}

// applyCatching applies a change and returns what a panic says.
func applyCatching(b *bare, cc raftpb.ConfChangeI) (said string, voters []uint64) {
	defer func() {
		if v := recover(); v != nil {
			said = fmt.Sprint(v)
		}
	}()
	return "", b.ApplyConfChange(cc).GetVoters()
}
