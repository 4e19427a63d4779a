// Package kv is a small replicated key-value store, written to be tested with
// faultline. It is the code of the guide replicated-store.
//
// A few servers elect a leader for each term, and the leader replicates a log
// of requests, as Raft does (Ongaro, Ousterhout: In Search of an
// Understandable Consensus Algorithm, USENIX ATC 2014). A request takes effect
// when a majority has it on disk. Reads go through the log too, so that a
// leader that was deposed without knowing cannot answer them. Clients number
// their requests and repeat them; a server applies each number once.
//
// The promise: operations are linearizable and acknowledged writes survive,
// whatever happens to processes, power, disks (failed syncs included), links
// and clocks, as long as a disk keeps what it has synced without an error. When
// the faults are over, writes succeed again.
//
// The store keeps the whole log: there are no snapshots, and the set of servers
// is fixed.
//
// [Bugs] plants real bugs. The tests show that each one is found.
package kv
