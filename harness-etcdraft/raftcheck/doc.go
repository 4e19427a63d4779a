// Package raftcheck checks the properties of a Raft cluster that runs
// go.etcd.io/raft/v3, while it runs. It knows nothing of where the cluster
// runs: it is told what happens on each node, and answers with an error, in
// Raft's own terms, at the first thing that must not be.
//
//	c := raftcheck.New(raftcheck.Config{})
//	n := c.Node(1)
//	err := n.Boot(&raftcheck.Boot{Number: 1, Config: cfg, Raft: rn, …})
//	…
//	rn.Tick()
//	err = n.Ticked(raftcheck.StatusOf(rn))
//
// A Checker is for one cluster and one goroutine. It is deterministic. Its
// errors are [*Violation].
//
// # What it must be told
//
// Every method is called right after what it tells of.
//
//   - Each call into raft: [Node.Ticked], [Node.Stepped], [Node.Accepted]
//     (Ready), [Node.Advanced], [Node.ConfApplied], [Node.Reported],
//     [Node.SnapshotReported], [Node.Proposed], [Node.ChangeProposed],
//     [Node.Transferred], and [Node.Called] for the rest. With
//     AsyncStorageWrites, the responses of the storage workers are steps too.
//   - What becomes of a Ready: [Node.Written] and [Node.Durable], [Node.Sent],
//     [Node.Installed], [Node.Applied].
//   - What the application does by itself: [Node.Boot], [Node.Crashed],
//     [Node.SnapshotMade], [Node.SnapshotSaved], [Node.Compacted],
//     [Node.ReadRequested], [Node.ReadServed], [Node.Executed].
//   - What the clients see: [Checker.Invoked] and [Checker.Acknowledged].
//   - What goes wrong loudly: [Node.Panicked], [Node.StorageFailed],
//     [Node.Refused].
//
// # The properties
//
// Each is a [Check], which can be switched off.
//
//	P1  one leader per term: also across restarts, and as followers see it
//	P2  one vote per term: what is durable, what was granted, what raft says
//	P3  a leader has a quorum of votes, in both halves of its configuration; a
//	    vote goes to a log that is at least as up to date
//	P4  durable before it is sent: votes, acknowledgements, and without async
//	    writes the term of every message
//	P5  a leader only appends, entries of its term, an empty one first
//	P6  logs match: entries of one index and term have one digest, which covers
//	    all entries before
//	P7  logs are well formed: no gaps, no falling terms, nothing committed is
//	    replaced, nothing is replaced by itself
//	P8  committed entries agree on all nodes
//	P9  a leader commits by a quorum of durable logs in both halves, in its
//	    term, and nobody commits what no leader has
//	P10 a leader has all entries that were committed in earlier terms
//	P11 nothing goes back: term, commit and applied index; what was durable is
//	    there after a restart
//	P12 committed entries are applied in order, once per incarnation, when they
//	    are durable on the node itself
//	P13 snapshots are prefixes: index, term, configuration and content, made
//	    from what was applied, and durable before they are installed
//	P14 configurations agree on all nodes, follow the rules of joint consensus
//	    (written down anew in this package), and are what raft uses; raft
//	    tracks their members and nobody else
//	P15 one configuration change at a time; only voters without a committed and
//	    unapplied change campaign; StepDownOnRemoval is obeyed
//	P16 a leader knows its followers: Match is what is durable there, the window
//	    of messages in flight is kept, a probe waits for its answer
//	P17 reads are not stale: an index that raft names is at least the highest
//	    commit index that any node had when it was asked; reads are answered
//	    when that much is applied
//	P18 the same for leases, outside of declared windows; everywhere, a leader
//	    answers with no less than its own commit index, and a follower does not
//	    forget a leader that reads by lease
//	P19 elections are not disturbed: pre-votes change nothing and are needed,
//	    leases and CheckQuorum are obeyed, nobody campaigns who has a leader,
//	    only the target of a transfer is told to stand, only a candidate raises
//	    the term, and everybody follows the leader of its term
//	P20 acknowledged writes last and happen once, in an order that clients can
//	    have seen
//	P21 limits hold: MaxSizePerMsg, MaxCommittedSizePerReady,
//	    MaxUncommittedEntriesSize, DisableProposalForwarding
//	P22 the cluster makes progress: requests of others are answered, at an older
//	    term too, and votes granted that nothing forbids; followers pass on what
//	    the leader has to do; a transfer of leadership goes to a voter, who is
//	    told to stand when it has the log, nothing is appended meanwhile, and it
//	    ends; a follower takes up a newer snapshot; one that was reported is
//	    waited for no more; joint configurations with AutoLeave are left; and
//	    [Checker.Live]
//	P23 contracts hold: no panic of raft, no error of storage, nothing compacted
//	    that a durable snapshot does not cover
//
// # Cost
//
// The work per call grows with what the call changed, not with the length of
// the log: most calls compare seven numbers. Raft's Status is asked for only
// when the configuration changes, its progress once per acknowledgement.
// Memory grows with the entries that some log still holds, with the terms, and
// with the writes of clients.
//
// # Limits
//
//   - Digests have 64 bits.
//   - A node's disk is never wiped under the same ID.
//   - P7, P8 and P10 compare logs as Ready hands them out. What raft does and
//     undoes between two calls of Ready is not seen.
//   - P16 counts messages in flight from the first Ready on that finds the
//     follower in StateReplicate.
//   - P19 accepts a late pre-vote for the candidate's present term as one for
//     the next, because raft does.
//   - Raft's Status leaves AutoLeave out; it is compared only where
//     ApplyConfChange and snapshots tell it.
//   - P20 keeps every write of the run.
//   - MsgSnap must not be given to raft while entries that it has handed out
//     are still to be applied: raft takes the snapshot's configuration at once,
//     and a configuration change among those entries would be applied on top of
//     it. P14 reports that as what it is, although every call is allowed.
package raftcheck
