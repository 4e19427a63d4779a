package etcdraft

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3/raftpb"
)

// overtaken repeats messages that a newer term has overtaken. A node with PreVote
// or CheckQuorum answers a leader's message of an older term in its own term; if
// that leader leads again meanwhile, and has not heard from the node yet, raft
// takes the answer for an acknowledgement of nothing and begins again at the
// first entry.
type overtaken struct {
	last  []*raftpb.Message // by raft ID - 1 of the leader: its newest message
	draws kernel.Seq
}

// overtakenBy is the mean time by which a message is too late.
const overtakenBy = 2 * time.Millisecond

// noteLeader takes in a message from the network.
func (r *Replica) noteLeader(m *raftpb.Message) {
	o := &r.older
	if r.mode.Overtaken == 0 || m.GetFrom() == 0 || m.GetFrom() > uint64(len(r.c.names)) {
		return
	}
	leads := m.GetType() == raftpb.MsgApp || m.GetType() == raftpb.MsgHeartbeat
	if !leads && m.GetType() != raftpb.MsgVote {
		return
	}
	if o.last == nil {
		o.last = make([]*raftpb.Message, len(r.c.names))
		o.draws = kernel.Seq{Stream: r.node.Stream("raft-overtaken")}
	}
	last := &o.last[m.GetFrom()-1]
	if old := *last; old != nil && m.GetTerm() > old.GetTerm() {
		*last = nil
		if o.draws.PPM(r.mode.Overtaken) && !r.c.calm() {
			r.repeat(old, o.draws.Exponential(overtakenBy))
		}
	}
	if leads && (*last == nil || m.GetTerm() >= (*last).GetTerm()) {
		*last = m
	}
}

// repeat gives raft a message again.
func (r *Replica) repeat(m *raftpb.Message, after time.Duration) {
	r.node.NewTimerFunc(func() {
		defer r.guard()
		r.c.meet(messageOvertaken)
		r.step(m)
		r.pump()
	}).Reset(after)
}
