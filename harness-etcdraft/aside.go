package etcdraft

import (
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
)

// stepAside hands leadership over when the node leads and is no voter any
// more. Raft then drops all proposals and goes on leading, unless it is told to
// StepDownOnRemoval; what happens next is left to the application.
func (r *Replica) stepAside() {
	if r.role != raft.StateLeader || r.ticks%r.mode.ElectionTick != 0 || slices.Contains(r.conf.GetVoters(), r.id) {
		return
	}
	if slices.Contains(r.conf.GetVotersOutgoing(), r.id) {
		return // it is to lead until the joint configuration is left
	}
	var best, match uint64
	r.rn.WithProgress(func(id uint64, kind raft.ProgressType, p tracker.Progress) {
		if kind == raft.ProgressTypePeer && id != r.id && (best == 0 || p.Match > match || p.Match == match && id < best) {
			best, match = id, p.Match
		}
	})
	if best == 0 {
		return
	}
	r.noteTransfer(best)
	r.rn.TransferLeader(best)
	r.observe(&Event{Kind: Transferred, Index: best})
}
