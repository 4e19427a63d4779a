package kv

// Bugs are mistakes that real systems have shipped. The zero value has none.
type Bugs struct {
	// AckBeforeSync answers when a record is written, and leaves the sync to
	// the operating system.
	AckBeforeSync bool
	// NoDirSync replaces the log's file at each start and forgets to sync the
	// directory: a power loss brings the old file back.
	NoDirSync bool
	// RetryFailedSync tries a failed sync again and believes the second answer,
	// although the kernel may have dropped the data after the first.
	RetryFailedSync bool
	// AppendAfterTear appends to the log's file as the last crash has left it:
	// the next recovery stops at the torn record and misses the votes and
	// entries that follow.
	AppendAfterTear bool
	// ForgetVote keeps term and vote in memory only.
	ForgetVote bool
	// SameTimeout lets every server wait equally long for a leader, so that
	// they stand for election together and nobody gets a majority.
	SameTimeout bool
	// KeepConflict keeps a follower's own entries where they contradict the
	// leader's.
	KeepConflict bool
	// ApplyTwice applies a request again when the client, or the network, has
	// repeated it.
	ApplyTwice bool
	// StaleReads lets a leader answer reads at once, without asking whether it
	// still is the leader.
	StaleReads bool
	// ClockOrder lets the wall clock decide which of two writes is the later
	// one.
	ClockOrder bool
}
