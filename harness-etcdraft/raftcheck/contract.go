package raftcheck

import "strings"

// contracts says, by what a panic of raft says, which contract it saw broken.
var contracts = [...]struct{ text, broken string }{
	{"Was the raft log corrupted, truncated, or lost", "a leader counts entries as replicated to this node that it does not have: it has acknowledged what was not durable, or its log was cut"},
	{"conflict with committed entry", "a leader sends an entry that differs from a committed one: two leaders of one term, or a leader without all committed entries"},
	{"is out of range [committed", "a leader replaces entries that are committed here"},
	{"is out of range [prevApplied", "an index was reported as applied that is not committed, or that goes back"},
	{"is out of range [prevApplying", "entries were handed out to apply that are not committed"},
	{"state.commit", "the node was restarted with a commit index that its log does not reach"},
	{"is unavailable from storage", "the storage does not have entries that raft was told are durable"},
	{"unexpected error when getting", "the storage does not have entries that raft was told are durable, or has compacted entries that are still to be applied"},
	{"two accepted Ready structs", "Ready was called again before Advance"},
	{"need non-empty snapshot", "the storage has returned an empty snapshot"},
	{"removed all voters", "a configuration change was applied that removes all voters"},
	{"can't leave a non-joint config", "a change that leaves a joint configuration was applied when there was none"},
	{"config is already joint", "a second joint configuration was entered"},
	{"more than one voter changed without entering joint config", "a simple configuration change moves more than one voter"},
	{"applying entry size", "raft's limit on the size of the entries being applied leaves room for nothing"},
	{"unstable.slice", "raft's unstable log does not hold entries that it should"},
	{"out of bound", "raft was asked for entries outside of its log"},
	{"unable to restore config", "a snapshot carries a configuration that cannot be restored"},
	{"can't apply simple config change in joint config", "a simple configuration change was applied to a joint configuration"},
	{"cannot add into a Full inflights", "a leader sends more than its window allows"},
}

// Panicked is P23 on a panic of raft. The error says which contract raft saw
// broken, if its text is known.
func (n *Node) Panicked(text string) error {
	broken := "a contract that raft does not name"
	for _, c := range contracts {
		if strings.Contains(text, c.text) {
			broken = c.broken
			break
		}
	}
	return n.fail(Contract, "makes raft panic: %s. The contract that raft saw broken: %s", text, broken)
}

// StorageFailed is P23 on an error that raft's Storage has met: a gap in what
// it was given to append, an index that it no longer has.
func (n *Node) StorageFailed(err error) error {
	return n.fail(Contract, "breaks the contract of its storage: %v", err)
}

// Refused is P23 on a node that does not start with what it has recovered,
// although nothing that was durable has been corrupted.
func (n *Node) Refused(err error) error {
	return n.fail(Contract, "cannot start with what was durable: %v", err)
}
