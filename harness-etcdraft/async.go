package etcdraft

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// worker is one of the two storage workers of AsyncStorageWrites: a queue of
// messages that raft has sent it, worked on in order.
type worker struct {
	r     *Replica
	delay time.Duration // most time before the queue is looked at
	queue []*raftpb.Message
	timer *kernel.Timer
	start func()
}

func (w *worker) init(r *Replica, delay time.Duration, start func()) {
	w.r, w.delay, w.start = r, delay, start
	w.timer = r.node.NewTimerFunc(func() {
		defer r.guard()
		start()
		r.pump()
	})
}

// put adds a message, which is worked on now or after a while, with all that
// come until then.
func (w *worker) put(m *raftpb.Message) {
	w.queue = append(w.queue, m)
	switch {
	case w.timer.Armed():
	case w.delay == 0:
		w.start()
	default:
		w.wait()
	}
}

// wait lets the worker look at its queue after a while.
func (w *worker) wait() { w.timer.Reset(w.r.delay(w.delay)) }

// calmDelay is the most that a worker waits when the faults are over: then the
// cluster is to catch up.
const calmDelay = 30 * time.Millisecond

// delay draws a time up to most.
func (r *Replica) delay(most time.Duration) time.Duration {
	if most > calmDelay && r.c.calm() {
		most = calmDelay
	}
	return time.Duration(r.draws().Between(0, int64(most)))
}

// takeAsync takes a Ready and hands its parts to the workers and the network.
func (r *Replica) takeAsync() {
	rd := r.rn.Ready()
	r.observeReady(&rd)
	r.noteRole(rd.SoftState)
	r.takeReadStates(rd.ReadStates)
	for _, m := range rd.Messages {
		switch m.GetTo() {
		case raft.LocalAppendThread:
			if !r.mode.Hazards.EagerSnapshots {
				r.skip = max(r.skip, m.GetSnapshot().GetMetadata().GetIndex())
			}
			r.votes.handed++
			if len(m.GetEntries()) > 0 || !raft.IsEmptySnap(m.GetSnapshot()) {
				r.votes.log = r.votes.handed
			}
			r.append.put(m)
		case raft.LocalApplyThread:
			r.apply.put(m)
		default:
			if m.GetType() != raftpb.MsgVote || r.mode.Hazards.EarlyCandidate {
				r.send(m)
			} else {
				r.votes.requests = append(r.votes.requests, m)
			}
		}
	}
	if len(r.votes.requests) == 0 {
		return
	}
	r.votes.behind = r.votes.handed
	if r.ownVoteDecides() {
		r.votes.behind = r.votes.log
		r.c.meetIf(r.votes.durable >= r.votes.behind, askedBeforeDurable)
	}
	r.askForVotes()
}

// ownVoteDecides reports whether the others cannot elect the node without its
// own vote, because one half of its configuration has two voters or one.
func (r *Replica) ownVoteDecides() bool {
	for _, half := range [...][]uint64{r.conf.GetVoters(), r.conf.GetVotersOutgoing()} {
		if len(half) <= 2 && slices.Contains(half, r.id) {
			return true
		}
	}
	return false
}

// candidacy holds the vote requests of the async mode back until the storage
// has everything that was handed out before them, see Hazards.EarlyCandidate.
// If the own vote decides, they wait for the log only: raft does not count that
// vote before it is durable.
type candidacy struct {
	handed   uint64 // storage messages that raft has handed out
	log      uint64 // the last of them that changes the log
	stored   uint64 // how many of them the storage has done
	durable  uint64 // how many of them are durable
	behind   uint64 // requests leave when so many are
	requests []*raftpb.Message
}

// startAppend hands everything that waits to the store, which makes it durable
// together.
func (r *Replica) startAppend() {
	list := r.append.queue
	r.append.queue = nil
	r.c.meetIf(len(list) > 1, groupCommit)
	for _, m := range list {
		b := wal.Batch{Entries: m.GetEntries(), Sync: len(m.GetResponses()) > 0, State: hardStateOf(m)}
		if s := m.GetSnapshot(); !raft.IsEmptySnap(s) {
			b.Snapshot, b.Sync = s, true
		}
		if r.c.cfg.Bugs.ApplyConfAtAppend {
			r.applyConfNow(m.GetEntries())
		}
		if r.c.cfg.Bugs.SendBeforePersist {
			r.respondOthers(m)
		}
		r.saving = append(r.saving, m)
		r.store.Save(b, r.appended)
	}
}

// hardStateOf returns the hard state in a MsgStorageAppend, nil without one.
func hardStateOf(m *raftpb.Message) *raftpb.HardState {
	if m.GetTerm() == 0 && m.GetVote() == 0 && m.GetCommit() == 0 {
		return nil
	}
	return &raftpb.HardState{Term: m.Term, Vote: m.Vote, Commit: m.Commit}
}

// appended goes on when the oldest batch that the store has is done.
func (r *Replica) appended(err error) {
	defer r.guard()
	if err != nil {
		r.crash(err)
		return
	}
	m := r.saving[0]
	r.saving = r.saving[1:]
	kind := Written
	if len(m.GetResponses()) > 0 || !raft.IsEmptySnap(m.GetSnapshot()) {
		kind = Durable
	}
	r.votes.stored++
	if kind == Durable {
		r.votes.durable = r.votes.stored
	}
	state := hardStateOf(m)
	if state != nil {
		r.log.state = state
	}
	r.observe(&Event{Kind: kind, State: state, Entries: m.GetEntries(), Snapshot: m.GetSnapshot()})
	if s := m.GetSnapshot(); !raft.IsEmptySnap(s) {
		r.log.reset(s)
		r.install(s)
	}
	if err := r.log.append(m.GetEntries()); err != nil {
		r.contract(checkStorage, r.check().StorageFailed(err))
		return
	}
	r.respond(m)
	r.askForVotes()
	r.afterApply()
	r.pump()
}

// askForVotes sends the vote requests that need not wait any more.
func (r *Replica) askForVotes() {
	v := &r.votes
	if v.durable < v.behind {
		return
	}
	for _, m := range v.requests {
		r.send(m)
	}
	v.requests = v.requests[:0]
}

// respond delivers the responses of a message to a worker.
func (r *Replica) respond(m *raftpb.Message) {
	for _, resp := range m.GetResponses() {
		if resp.GetTo() == r.id {
			err := r.rn.Step(resp)
			r.observeMessage(StoredStep, resp, err)
		} else if !r.c.cfg.Bugs.SendBeforePersist {
			r.send(resp)
		}
	}
}

// respondOthers is where Bugs.SendBeforePersist is made in the async mode.
func (r *Replica) respondOthers(m *raftpb.Message) {
	for _, resp := range m.GetResponses() {
		if resp.GetTo() != r.id {
			r.send(resp)
		}
	}
}

// startApply applies everything that waits, one message after the other, or the
// first message only.
func (r *Replica) startApply() {
	q, one := &r.apply.queue, r.mode.ApplyOne && !r.c.calm()
	r.c.meetIf(len(*q) > 1 && !one, groupApply)
	r.c.meetIf(len(*q) > 1 && one, applyBehind)
	for len(*q) > 0 && r.node.Alive() {
		m := (*q)[0]
		*q = (*q)[1:]
		r.applyEntries(m.GetEntries())
		r.respond(m)
		if one && len(*q) > 0 && r.node.Alive() {
			r.apply.wait()
			break
		}
	}
	r.afterApply()
}
