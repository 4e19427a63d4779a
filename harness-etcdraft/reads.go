package etcdraft

import (
	"encoding/binary"
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
)

// read is a query that waits for raft's ReadIndex.
type read struct {
	client, seq uint64
	from        string
	query       []byte
	context     []byte
	asked       int    // the tick at which raft was asked last
	index       uint64 // raft's answer
	ready       bool   // there is one
}

// asks reports whether raft was asked with a context for the query last.
func (x *read) asks(context []byte) bool { return string(x.context) == string(context) }

// reads are the queries that wait in a node, oldest first.
type reads struct {
	list  []*read
	count uint32
	open  [][]byte // contexts that raft was asked for as leader, and has not answered
}

// askRead asks raft for the index at which a query may be answered.
func (r *Replica) askRead(from string, q Request) {
	for _, old := range r.reads.list {
		if old.client == q.Client && old.seq == q.Seq {
			return // the network or the client has repeated it
		}
	}
	if r.lead == raft.None {
		r.turnAway(from, q.Seq)
		return
	}
	r.c.meetIf(r.role == raft.StateLeader, readAtLeader)
	r.c.meetIf(r.role == raft.StateFollower, readAtFollower)
	r.c.meetIf(len(r.reads.list) > 0, readsPipelined)
	x := &read{client: q.Client, seq: q.Seq, from: from, query: []byte(q.Data)}
	r.reads.list = append(r.reads.list, x)
	r.readIndex(x)
}

// readIndex asks raft. A context is never used for two queries, of any
// incarnation.
func (r *Replica) readIndex(x *read) {
	if x.context == nil || !r.mode.ReuseContext {
		r.reads.count++
		x.context = binary.LittleEndian.AppendUint64(nil, uint64(r.boot)<<32|uint64(r.reads.count))
	}
	if r.role == raft.StateLeader && !slices.ContainsFunc(r.reads.open, x.asks) {
		r.reads.open = append(r.reads.open, x.context)
	}
	x.asked = r.ticks
	r.rn.ReadIndex(x.context)
	r.observe(&Event{Kind: ReadAsked, Data: x.context})
}

// retryReads asks again for what raft has not answered, and gives up what no
// client can be waiting for any more.
func (r *Replica) retryReads() {
	const giveUp = 200 // ticks
	if len(r.reads.list) == 0 {
		return
	}
	kept := r.reads.list[:0]
	for _, x := range r.reads.list {
		waited := r.ticks - x.asked
		if waited > giveUp {
			continue
		}
		kept = append(kept, x)
		if !x.ready && r.mode.ReadRetry > 0 && waited >= r.mode.ReadRetry && r.mayReadIndex() {
			r.c.meetIf(r.mode.ReuseContext, readAgainSameContext)
			r.c.meetIf(!r.mode.ReuseContext, readAgainNewContext)
			r.readIndex(x)
		}
	}
	clear(r.reads.list[len(kept):])
	r.reads.list = kept
}

// askAlone asks again for what raft has forgotten because the node has become
// the only voter, with the same contexts; see Hazards.ForgottenReads.
func (r *Replica) askAlone() {
	if len(r.reads.open) == 0 || r.role != raft.StateLeader || r.newest != r.status.Term || r.mode.Hazards.ForgottenReads {
		return
	}
	if !slices.Equal(r.conf.GetVoters(), []uint64{r.id}) || len(r.conf.GetVotersOutgoing()) > 0 {
		return
	}
	for _, context := range r.reads.open {
		r.rn.ReadIndex(context)
		r.observe(&Event{Kind: ReadAsked, Data: context})
	}
}

// readWaits reports whether a query waits for raft's answer although it is asked
// for again.
func (r *Replica) readWaits() bool {
	if r.mode.ReadRetry == 0 || !r.mayReadIndex() {
		return false
	}
	for _, x := range r.reads.list {
		if !x.ready {
			return true
		}
	}
	return false
}

// takeReadStates takes in raft's answers.
func (r *Replica) takeReadStates(states []raft.ReadState) {
	for _, s := range states {
		r.observe(&Event{Kind: ReadReady, Data: s.RequestCtx, Index: s.Index})
		r.reads.open = slices.DeleteFunc(r.reads.open, func(c []byte) bool { return string(c) == string(s.RequestCtx) })
		for _, x := range r.reads.list {
			if !x.ready && x.asks(s.RequestCtx) {
				x.ready, x.index = true, s.Index
			}
		}
	}
	if len(states) > 0 {
		r.serveReads()
	}
}

// serveReads answers the queries whose index was applied.
func (r *Replica) serveReads() {
	if len(r.reads.list) == 0 {
		return
	}
	kept := r.reads.list[:0]
	for _, x := range r.reads.list {
		enough := r.applied >= x.index && r.state.index <= r.applied || r.c.cfg.Bugs.ReadBeforeApplied
		if !x.ready || !enough {
			kept = append(kept, x)
			continue
		}
		r.c.meetIf(r.mode.LeaseReads, leaseRead)
		r.serve(x, x.context)
	}
	clear(r.reads.list[len(kept):])
	r.reads.list = kept
}

// serve answers a query from the state as it is.
func (r *Replica) serve(x *read, context []byte) {
	result := r.state.machine.Query(x.query)
	r.observe(&Event{Kind: ReadServed, Data: context, Index: x.index})
	r.node.Send(x.from, Answer{Seq: x.seq, Done: true, Result: string(result), Leader: r.leaderName()})
}

// reportSilent tells raft now and then that a follower cannot be reached, as a
// transport does whose connection is broken.
func (r *Replica) reportSilent() {
	if r.role != raft.StateLeader || r.mode.Unreachable == 0 || r.ticks%r.mode.ElectionTick != 0 || r.c.settled() || !r.draws().PPM(r.mode.Unreachable) {
		return
	}
	var silent []uint64
	r.rn.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if id != r.id && p.State == tracker.StateReplicate {
			silent = append(silent, id)
		}
	})
	if len(silent) == 0 {
		return
	}
	id := silent[r.draws().Below(uint64(len(silent)))]
	r.c.meet(unreachableReported)
	r.rn.ReportUnreachable(id)
	r.observe(&Event{Kind: Reported, Index: id})
}
