package etcdraft

import "github.com/hmdsefi/faultline/harness-etcdraft/wal"

// Bugs are mistakes that applications of raft have made. Each is made at one
// place in this package or in the package wal. The zero value has none.
type Bugs struct {
	// SendBeforePersist sends the messages of a Ready, or the responses of a
	// storage message, to other nodes before entries and hard state are
	// durable.
	SendBeforePersist bool
	// SkipSync never syncs the log.
	SkipSync bool
	// SkipDirSync never syncs a folder, so that new files may vanish.
	SkipDirSync bool
	// RetryFailedSync tries a failed sync again and believes the second answer,
	// although the first has dropped the data.
	RetryFailedSync bool
	// AcceptTornTail appends to the log as a crash has left it, behind the
	// record that is torn.
	AcceptTornTail bool
	// ForgetHardState does not write term and vote.
	ForgetHardState bool
	// ApplyBeforeDurable applies committed entries, and answers clients,
	// before the node itself has them on disk.
	ApplyBeforeDurable bool
	// SnapshotOffByOne says of a snapshot that it covers the entry after the
	// last one that was applied.
	SnapshotOffByOne bool
	// SnapshotBeforeSync marks a snapshot as usable in the log before its file
	// is durable.
	SnapshotBeforeSync bool
	// CompactEarly deletes the entries that a snapshot covers when the snapshot
	// has been made, before it is durable.
	CompactEarly bool
	// ForgetConfState restarts with the configuration that the cluster began
	// with, and leaves it in the node's snapshots.
	ForgetConfState bool
	// ApplyConfAtAppend applies configuration changes when they are appended to
	// the log, as the Raft paper does, and not when they are committed and
	// applied, as this library demands.
	ApplyConfAtAppend bool
	// NoSessions applies a command again when its client has repeated it.
	NoSessions bool
	// ForgetSessions leaves the table of sessions out of snapshots.
	ForgetSessions bool
	// StaleReads lets a node that believes to be the leader answer reads at
	// once.
	StaleReads bool
	// ReadBeforeApplied answers a read when its ReadIndex is known, without
	// waiting until the node has applied that much.
	ReadBeforeApplied bool
}

// flaws returns those that are made in the log.
func (b Bugs) flaws() wal.Flaws {
	return wal.Flaws{
		SkipSync: b.SkipSync, SkipDirSync: b.SkipDirSync, RetryFailedSync: b.RetryFailedSync,
		KeepTornTail: b.AcceptTornTail, ForgetVote: b.ForgetHardState, MarkBeforeSync: b.SnapshotBeforeSync,
	}
}
