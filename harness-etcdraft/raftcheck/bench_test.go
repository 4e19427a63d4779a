package raftcheck_test

import (
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// loop is a bare loop of RawNodes: nothing but raft and what it needs, and the
// checker if there is one.
type loop struct {
	nodes    []*loopNode
	check    *raftcheck.Checker
	inbox    []*raftpb.Message
	err      error
	messages int
}

type loopNode struct {
	*raft.RawNode
	id    uint64
	store *raft.MemoryStorage
	check *raftcheck.Node
}

func newLoop(size int, checked bool) *loop {
	l := &loop{}
	if checked {
		l.check = raftcheck.New(raftcheck.Config{})
	}
	conf := &raftpb.ConfState{}
	for i := range size {
		conf.Voters = append(conf.Voters, uint64(i+1))
	}
	for i := range size {
		n := &loopNode{id: uint64(i + 1), store: formatted(conf.Voters...)}
		state := &raftpb.HardState{Term: new(uint64(1)), Vote: new(uint64(0)), Commit: new(uint64(1))}
		must(n.store.SetHardState(state))
		cfg := &raft.Config{
			ID: n.id, ElectionTick: 10, HeartbeatTick: 1, Storage: n.store, Applied: 1, MaxSizePerMsg: 4096,
			MaxInflightMsgs: 256, CheckQuorum: true, PreVote: true, Logger: logger{},
		}
		rn, err := raft.NewRawNode(cfg)
		must(err)
		n.RawNode = rn
		if checked {
			n.check = l.check.Node(n.id)
			l.failed(n.check.Boot(&raftcheck.Boot{
				Number: 1, Config: cfg, Raft: rn, Status: raftcheck.StatusOf(rn), Conf: conf, Applied: 1,
				State: state, Snapshot: newSnapshot(1, 1, conf, nil),
			}))
		}
		l.nodes = append(l.nodes, n)
	}
	return l
}

func (l *loop) failed(err error) {
	if err != nil && l.err == nil {
		l.err = err
	}
}

// round is a tick of every node, a proposal now and then, and everything that
// follows.
func (l *loop) round(k int) {
	for _, n := range l.nodes {
		n.Tick()
		if l.check != nil {
			l.failed(n.check.Ticked(raftcheck.StatusOf(n.RawNode)))
		}
		if k%3 == 0 && n.BasicStatus().RaftState == raft.StateLeader {
			must(n.Propose([]byte("a command of a client")))
			if l.check != nil {
				l.failed(n.check.Called(raftcheck.StatusOf(n.RawNode)))
			}
		}
	}
	for l.work() {
	}
}

func (l *loop) work() bool {
	worked := false
	for _, n := range l.nodes {
		for n.HasReady() {
			l.ready(n)
			worked = true
		}
	}
	list := l.inbox
	l.inbox = nil
	for _, m := range list {
		l.messages++
		n := l.nodes[m.GetTo()-1]
		_ = n.Step(m)
		if l.check != nil {
			l.failed(n.check.Stepped(m, raftcheck.StatusOf(n.RawNode)))
		}
	}
	return worked || len(list) > 0
}

func (l *loop) ready(n *loopNode) {
	rd := n.Ready()
	checked := l.check != nil
	if checked {
		l.failed(n.check.Accepted(&rd, raftcheck.StatusOf(n.RawNode)))
	}
	writes := !raft.IsEmptyHardState(rd.HardState) || len(rd.Entries) > 0
	must(n.store.Append(rd.Entries))
	if writes && checked {
		if rd.MustSync {
			l.failed(n.check.Durable())
		} else {
			l.failed(n.check.Written())
		}
	}
	for _, m := range rd.Messages {
		if checked {
			l.failed(n.check.Sent(m))
		}
		l.inbox = append(l.inbox, m)
	}
	for _, e := range rd.CommittedEntries {
		if checked {
			l.failed(n.check.Applied(e))
		}
	}
	n.Advance(rd)
	if checked {
		l.failed(n.check.Advanced(raftcheck.StatusOf(n.RawNode)))
	}
}

// The cost of raft alone and with all checks, per message, for five nodes that
// tick and write.
func BenchmarkMessage(b *testing.B) {
	for _, c := range []struct {
		name    string
		checked bool
	}{{"bare", false}, {"checked", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			messages := 0
			for b.Loop() {
				l := newLoop(5, c.checked)
				for k := range 600 {
					l.round(k)
				}
				if l.err != nil {
					b.Fatal(l.err)
				}
				messages += l.messages
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(messages), "ns/message")
			b.ReportMetric(float64(messages)/float64(b.N), "messages/op")
		})
	}
}
