package raftcheck_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// A node that sends before it has synced.
func ExampleNode() {
	conf := &raftpb.ConfState{Voters: []uint64{1, 2, 3}}
	first := newSnapshot(1, 1, conf, nil)
	store := raft.NewMemoryStorage()
	_ = store.ApplySnapshot(first)
	cfg := &raft.Config{ID: 1, ElectionTick: 10, HeartbeatTick: 1, Storage: store, Applied: 1, MaxInflightMsgs: 16, Logger: logger{}}
	rn, _ := raft.NewRawNode(cfg)

	n := raftcheck.New(raftcheck.Config{}).Node(1)
	err := n.Boot(&raftcheck.Boot{
		Number: 1, Config: cfg, Raft: rn, Status: raftcheck.StatusOf(rn), Conf: conf, Applied: 1, Snapshot: first,
	})
	fmt.Println(err)
	_ = rn.Campaign()
	fmt.Println(n.Called(raftcheck.StatusOf(rn)))
	rd := rn.Ready()
	fmt.Println(n.Accepted(&rd, raftcheck.StatusOf(rn)))
	fmt.Println(n.Sent(rd.Messages[0]))
	// Output:
	// <nil>
	// <nil>
	// <nil>
	// P4 durable before it is sent: node 1 (boot 1, term 1) sends a MsgVote of term 1; durable is term 0
}

// A checker sees all nodes of a cluster: here two that lead the same term, without
// having been voted for.
func ExampleChecker() {
	conf := &raftpb.ConfState{Voters: []uint64{1, 2, 3}}
	c := raftcheck.New(raftcheck.Config{})
	for id := range uint64(2) {
		first := newSnapshot(1, 1, conf, nil)
		store := raft.NewMemoryStorage()
		_ = store.ApplySnapshot(first)
		cfg := &raft.Config{ID: id + 1, ElectionTick: 10, HeartbeatTick: 1, Storage: store, Applied: 1, MaxInflightMsgs: 16, Logger: logger{}}
		rn, _ := raft.NewRawNode(cfg)
		n := c.Node(id + 1)
		_ = n.Boot(&raftcheck.Boot{Number: 1, Config: cfg, Raft: rn, Status: raftcheck.StatusOf(rn), Conf: conf, Applied: 1, Snapshot: first})
		fmt.Println(n.Called(raftcheck.Status{Term: 2, Vote: id + 1, Role: raft.StateLeader, Lead: id + 1, Commit: 1, Applied: 1}))
	}
	// Output:
	// P3 a leader has a quorum of votes: node 1 (boot 1, term 2) becomes leader with the votes of nodes [] of voters [1 2 3]
	// P1 one leader per term: node 2 (boot 1, term 2) follows node 2; node 1 leads this term
}
