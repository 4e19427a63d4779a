package raftcheck_test

import (
	"errors"
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// TestCalls tells a checker of one call into a raft that is made up, with
// windows open in which leases promise nothing.
func TestCalls(t *testing.T) {
	follower := raftcheck.Status{Term: 2, Commit: 3, Applied: 3, Role: raft.StateFollower, Lead: 2}
	leader := raftcheck.Status{Term: 2, Commit: 5, Applied: 3, Role: raft.StateLeader, Lead: 1}
	next := raftcheck.Status{Term: 3, Commit: 3, Applied: 3, Role: raft.StateFollower}
	alone := follower
	alone.Lead = raft.None
	forgets := func(n *raftcheck.Node) error { return n.Called(alone) }
	reads := func(index uint64) func(*raftcheck.Node) error {
		return func(n *raftcheck.Node) error {
			n.ReadRequested([]byte("r"))
			return n.Accepted(&raft.Ready{ReadStates: []raft.ReadState{{Index: index, RequestCtx: []byte("r")}}}, leader)
		}
	}
	goesOn := func(kind raftpb.MessageType, term uint64, reject bool) func(*raftcheck.Node) error {
		return func(n *raftcheck.Node) error {
			return n.Stepped(&raftpb.Message{Type: &kind, From: new(uint64(3)), To: new(uint64(1)), Term: &term, Reject: &reject}, next)
		}
	}
	ignores := func(index uint64, voters ...uint64) func(*raftcheck.Node) error {
		return func(n *raftcheck.Node) error {
			s := newSnapshot(index, 2, &raftpb.ConfState{Voters: voters}, nil)
			return n.Stepped(&raftpb.Message{Type: raftpb.MsgSnap.Enum(), From: new(uint64(2)), To: new(uint64(1)), Term: new(uint64(2)), Snapshot: s}, follower)
		}
	}
	stands := func(term uint64) func(*raftcheck.Node) error {
		return func(n *raftcheck.Node) error {
			candidate := raftcheck.Status{Term: 3, Vote: 1, Commit: 3, Applied: 3, Role: raft.StateCandidate}
			return n.Stepped(&raftpb.Message{Type: raftpb.MsgTimeoutNow.Enum(), From: new(uint64(2)), To: new(uint64(1)), Term: &term}, candidate)
		}
	}
	const fine = raftcheck.Check(0)
	for name, c := range map[string]struct {
		lease bool
		was   raftcheck.Status
		call  func(*raftcheck.Node) error
		wants raftcheck.Check
	}{
		"follower forgets its leader":                 {false, follower, forgets, fine},
		"follower forgets a leader with a lease":      {true, follower, forgets, raftcheck.LeaseReads},
		"leader reads by lease at what is committed":  {true, leader, reads(5), fine},
		"leader reads by lease at what is applied":    {true, leader, reads(3), raftcheck.LeaseReads},
		"follower hears of a later term":              {false, follower, goesOn(raftpb.MsgAppResp, 3, false), fine},
		"follower is refused in a later term":         {false, follower, goesOn(raftpb.MsgPreVoteResp, 3, true), fine},
		"follower is promised a vote in a later term": {false, follower, goesOn(raftpb.MsgPreVoteResp, 3, false), raftcheck.ElectionRules},
		"follower is refused in its term, and raises": {false, follower, goesOn(raftpb.MsgPreVoteResp, 2, true), raftcheck.ElectionRules},
		"follower is told to stand":                   {false, follower, stands(2), fine},
		"follower was told to stand in an older term": {false, follower, stands(1), raftcheck.ElectionRules},
		"follower ignores an old snapshot":            {false, follower, ignores(3, 1, 2), fine},
		"follower ignores a snapshot of others":       {false, follower, ignores(9, 2, 3), fine},
		"follower ignores a snapshot":                 {false, follower, ignores(9, 1, 2), raftcheck.Liveness},
		"follower raises its term at a tick":          {false, follower, func(n *raftcheck.Node) error { return n.Ticked(next) }, raftcheck.ElectionRules},
	} {
		t.Run(name, func(t *testing.T) {
			check := raftcheck.New(raftcheck.Config{LeaseReads: c.lease})
			check.LeaseWindow(true)
			n := check.Node(1)
			conf, term := &raftpb.ConfState{Voters: []uint64{1, 2, 3}}, uint64(2)
			err := n.Boot(&raftcheck.Boot{
				Number: 1, Config: &raft.Config{ElectionTick: 10, CheckQuorum: true}, Status: c.was, Conf: conf, Applied: 3,
				State: &raftpb.HardState{Term: &term, Commit: &c.was.Commit}, Snapshot: newSnapshot(3, term, conf, nil),
				Entries: []*raftpb.Entry{{Term: &term, Index: new(uint64(4))}, {Term: &term, Index: new(uint64(5))}},
			})
			if err != nil {
				t.Fatal(err)
			}
			var v *raftcheck.Violation
			if err := c.call(n); errors.As(err, &v) != (c.wants != fine) || v != nil && v.Check != c.wants {
				t.Errorf("%v, want %v", err, c.wants)
			}
		})
	}
}
