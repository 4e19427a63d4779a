package etcdraft

import (
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
)

// ready is the Ready that is being worked on in the sync mode. Steps, ticks and
// proposals go on meanwhile; the next Ready waits for Advance.
type ready struct {
	busy    bool
	current raft.Ready
	saved   func(error) // r.saved, made once
	later   *kernel.Timer
}

func (q *ready) init(r *Replica) {
	q.saved = r.saved
	q.later = r.node.NewTimerFunc(r.advanceLater)
}

// takeSync takes a Ready and makes it durable.
func (r *Replica) takeSync() {
	q := &r.ready
	q.current, q.busy = r.rn.Ready(), true
	rd := &q.current
	r.observeReady(rd)
	r.noteRole(rd.SoftState)
	if r.c.cfg.Bugs.SendBeforePersist {
		r.sendReady(rd)
	}
	if r.c.cfg.Bugs.ApplyBeforeDurable {
		r.applyEntries(rd.CommittedEntries)
	}
	if r.c.cfg.Bugs.ApplyConfAtAppend {
		r.applyConfNow(rd.Entries)
	}
	if raft.IsEmptyHardState(rd.HardState) && len(rd.Entries) == 0 && raft.IsEmptySnap(rd.Snapshot) {
		r.finishReady()
		return
	}
	b := wal.Batch{State: rd.HardState, Entries: rd.Entries, Sync: rd.MustSync}
	if !raft.IsEmptySnap(rd.Snapshot) {
		b.Snapshot, b.Sync = rd.Snapshot, true
	}
	r.store.Save(b, q.saved)
}

// saved goes on when the Ready is durable, or written if that is enough.
func (r *Replica) saved(err error) {
	defer r.guard()
	if err != nil {
		r.crash(err)
		return
	}
	rd := &r.ready.current
	if !raft.IsEmptyHardState(rd.HardState) {
		r.log.state = rd.HardState
	}
	kind := Written
	if rd.MustSync || !raft.IsEmptySnap(rd.Snapshot) {
		kind = Durable
	}
	r.observe(&Event{Kind: kind, State: rd.HardState, Entries: rd.Entries, Snapshot: rd.Snapshot})
	if !raft.IsEmptySnap(rd.Snapshot) {
		r.log.reset(rd.Snapshot)
	}
	if err := r.log.append(rd.Entries); err != nil {
		r.contract(checkStorage, r.check().StorageFailed(err))
		return
	}
	r.finishReady()
	r.pump()
}

// finishReady does what may be done when everything is durable.
func (r *Replica) finishReady() {
	rd := &r.ready.current
	if !r.c.cfg.Bugs.SendBeforePersist {
		r.sendReady(rd)
	}
	r.takeReadStates(rd.ReadStates)
	if !raft.IsEmptySnap(rd.Snapshot) {
		r.install(rd.Snapshot)
	}
	if !r.c.cfg.Bugs.ApplyBeforeDurable {
		r.applyEntries(rd.CommittedEntries)
	}
	if len(rd.CommittedEntries) > 0 && r.mode.ApplyDelay > 0 {
		r.ready.later.Reset(r.delay(r.mode.ApplyDelay))
		return
	}
	r.advance()
}

// advanceLater is advance after a while.
func (r *Replica) advanceLater() {
	defer r.guard()
	r.advance()
	r.pump()
}

// advance tells raft that the Ready is done.
func (r *Replica) advance() {
	if !r.node.Alive() {
		return
	}
	r.rn.Advance(r.ready.current)
	r.ready.current, r.ready.busy = raft.Ready{}, false
	r.observeCall(Advanced)
	held := r.held
	r.held = nil
	for _, m := range held {
		r.step(m)
	}
	r.afterApply()
}

func (r *Replica) sendReady(rd *raft.Ready) {
	for _, m := range rd.Messages {
		r.send(m)
	}
}
