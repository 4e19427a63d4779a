package txn

// Bugs are mistakes that make the store keep a weaker level than it promises.
// The zero value has none.
type Bugs struct {
	// InPlace lets appends take effect at once, for all to see and without
	// locks: it is not even read uncommitted.
	InPlace bool
	// DirtyReads shows what other transactions have appended and not committed:
	// it is not read committed.
	DirtyReads bool
	// ReadLatest lets every read see the latest committed state, and checks
	// nothing at the commit: it is not a consistent view.
	ReadLatest bool
	// NoConflicts reads from a snapshot and checks nothing at the commit: it is
	// not snapshot isolation, since updates are lost.
	NoConflicts bool
	// Replicas lets transactions that only read be answered by replicas, which
	// apply commits that do not rely on each other in whatever order they come: it
	// is not snapshot isolation.
	Replicas bool
	// WritesOnly checks at the commit only what was appended to: it is snapshot
	// isolation, but not serializable.
	WritesOnly bool
	// OldSnapshots begins transactions with a snapshot that is renewed only now
	// and then: it is serializable, but a client may not see what it did before.
	OldSnapshots bool
	// SessionSnapshots does the same, but never shows a client less than it has
	// seen or done: it is strong session serializable, but not strictly.
	SessionSnapshots bool
}
