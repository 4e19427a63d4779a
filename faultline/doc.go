// Package faultline runs deterministic simulation tests inside go test.
//
// [Run] builds a whole distributed system, again for every seed, out of nodes
// on a simulated network with simulated disks and clocks, lets it run in
// virtual time while faults happen to it, and judges it after every event.
// Everything random is drawn from the seed, so that a failing seed fails in
// the same way each time, on every machine.
//
// # Writing a test
//
// The setup function adds servers ([World.Servers]) and clients
// ([World.Client]), says which faults may happen ([World.Faults] with
// fault.Default, or a script), and which checks judge the run:
//
//   - [World.Invariant] must hold after every event.
//   - [World.Final] must hold at the end.
//   - [World.Judge] judges what the clients did and saw, with a checker such as
//     those of the module check.
//   - [World.Eventually] must come true in the quiet phase at the end of a run,
//     when every fault is over.
//   - [World.Sometimes] should be true at some moment of some seed, and
//     [World.Reachable] be reached; [World.Always] must hold wherever the code asks
//     for it, [World.Unreachable] must not be reached, and [World.Watermark] keeps
//     the largest value of all seeds.
//
// Setup must build the same system every time; it may draw from [World.Rand].
//
// # What the code under test must not do
//
// A run is single-threaded and knows no real time. Code under test must not
// read the wall clock, draw from unseeded generators, start goroutines, wait
// on channels or mutexes, or let the order of a map decide anything. Its node
// gives it what it needs instead: Now, Monotonic, timers, Rand, Send, Disk. A
// failing seed is always run a second time, and so is the first of the seeds
// if it passes; FAULTLINE_CHECK_DETERMINISM=1 does it for all. Runs that differ
// are reported with the first record in which they do. crypto/rand is seeded for the runs, unless
// Options.NoCryptoSeed says otherwise.
//
// # When a seed fails
//
// The schedule of the run, its faults, the fates of its messages and disk
// operations, and the operations of clients that range over
// [Client.Operations], is then made small: parts are taken away and it is run
// again, within Options.ShrinkBudget, as long as it still fails in the same way
// (kind, check, and place or message without numbers and quoted values). The
// report then says what each part that is left is for, and when the failure was
// decided.
//
// The test's output says what failed, when and on which node, tells the story
// of the shrunk run in five lines, and gives a command that replays the seed.
// The artifact directory holds report.txt, timeline.txt, causes.mmd, and the
// machine-readable report.json, trace.jsonl, schedule.json and history.jsonl;
// for the shrunk run report.min.txt, timeline.min.txt, causes.min.mmd and
// schedule.min.json, which FAULTLINE_SCHEDULE replays.
//
// An event that never ends (an endless loop, a wait on a real channel) cannot
// be stopped from outside: it is reported after Options.Timeout with its
// stack, and no further seed is run, because its goroutine is still there.
//
// # Environment
//
// These variables change what is run; an empty one counts as unset, a bad
// value is an error before anything runs.
//
//	FAULTLINE_SEED               run this seed only
//	FAULTLINE_SEEDS              run that many seeds
//	FAULTLINE_FOR                run seeds for that much real time
//	FAULTLINE_SEED_LIST          run these seeds (commas or spaces), or those in @file
//	FAULTLINE_BASE_SEED          derive the seeds from this one, not from the test's name
//	FAULTLINE_EXPLORE            1: derive the seeds from the time, and log from what
//	FAULTLINE_SCHEDULE           replay this schedule.json
//	FAULTLINE_REPLAY             replay this artifact directory
//	FAULTLINE_ARTIFACTS          write artifacts below this directory, or off
//	FAULTLINE_CHECK_DETERMINISM  1: run every seed twice and compare, not only the first; 0: none
//	FAULTLINE_TRACE              full: leave an artifact of passing seeds too; hash: do not
//	FAULTLINE_RESULTS            append a JSON line per seed to this file
//	FAULTLINE_COVERAGE           append what a test has covered to this file
//	FAULTLINE_COVERAGE_MERGE     judge such files together, and run nothing
//	FAULTLINE_SHRINK             real time for making a failing schedule small, or off
//	FAULTLINE_SHRINK_DIR         go on shrinking this artifact directory
//	FAULTLINE_PARALLEL           test that many candidates of shrinking at once
//	FAULTLINE_SHARD              k/n: run seed i of the list only if i mod n is k
//	FAULTLINE_TIMEOUT            real time that one event may take
//
// # Pinned failures
//
// A schedule.json copied to testdata/faultline/<test>/ runs before the seeds,
// each time; the folder is named as artifact.PinDir says, and a failure prints
// its path. A file there whose name ends in .seed pins the seeds in it.
// A pinned schedule that does not fail any more, and whose entries do not come up as
// they were recorded, or cannot tell, is tried near by, with the same faults and other
// draws, before it passes. One that does not fit the setup any more, because a node has
// another name, say, is left out and fails the test at the end.
//
// # Limits
//
// Existing code that uses goroutines, net or os directly cannot be run; nodes
// are written as callbacks or as sequential procs. Seeds run one after another
// in one process, and crypto/rand is seeded for the process, so the test must
// not be parallel. The virtual time of a run is at most 100 years.
package faultline
