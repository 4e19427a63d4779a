// Package etcdraft runs clusters of go.etcd.io/raft/v3 under deterministic
// simulation: nodes with the unmodified library on a simulated network, disks
// and clocks, clients that use them, an administrator that changes them, and
// checks that judge everything as it happens. Import it by name:
//
//	import etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
//
// # Three ways to use it
//
// [Test] is a whole test: a cluster as [Config] says, under the faults of
// [Faults], one run for each seed. [Setup] adds the cluster to a world of your
// own inside faultline.Run, where you add faults and checks, your own
// [StateMachine], your own clients ([Config].Workload) or your own [Store].
// With a replace directive for go.etcd.io/raft/v3 in your go.mod, both test
// your changed copy of the library. The command raftpatch plants mistakes in
// such a copy and says whether a test notices them.
//
// # What a node is
//
// A [Replica] is the program of a server in one incarnation. It recovers its
// log, makes a RawNode, and drives it with Ready and Advance, or with
// AsyncStorageWrites and two workers of its own. Everything that raft may not
// forget goes through the [Store]; the default is the package wal. An answer
// goes out when it is durable, entries are applied when they are committed and
// durable here, a failed sync ends the process. Snapshots travel in pieces and
// are reported to raft as they arrive or fail. Messages of raft travel by
// reference, and changing one after it was sent fails the run.
//
// Requests of clients are numbered in a session, so that a repetition changes
// nothing; sessions are part of the snapshots. Reads go through the log or
// through ReadIndex.
//
// # What is drawn from the seed
//
// The [Mode]: how storage is driven, raft's options and limits, delays,
// snapshots, checkpoints. It is shown beside the seed of a failure. Config.Tune
// fixes any of it. The election timeouts of raft come from crypto/rand, which
// faultline seeds for each run.
//
// # Checks
//
// Checks are an [Observer]: they are told of every call into raft and of
// everything the application does with the result, at once, and look only at
// that. In this version:
//
//   - P4, P23: what the store calls durable is on the device, and only what a
//     durable snapshot covers is compacted.
//   - P20: acknowledged writes survive, take effect once, in an order that real
//     time allows, and nothing appears from nowhere; replicas make the same of
//     every entry and converge.
//   - P22: when the faults are over, a leader is there, a write succeeds and
//     every member catches up, also while a minority stays down; when the
//     built-in clients stop after that, everything is committed and applied
//     everywhere, joint configurations are left, every follower is up to date,
//     and every ReadIndex that is asked for again is answered.
//   - P23: raft does not panic, and a node restarts unless its disk was
//     corrupted.
//
// A panic of raft fails the run with the contract that raft saw broken.
//
// # Limits
//
// Raft IDs are those of the servers n1, n2, … and are never given to another
// disk. [Hazards] lists uses of the library that are left out, because they
// break the unmodified library. The state machines must be deterministic.
package etcdraft
