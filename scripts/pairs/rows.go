package main

// metric says which number of a benchmark a row compares.
type metric string

const (
	nanoseconds metric = "ns/op"
	cpuTime     metric = "cpu-ns/op" // of all threads, by b.ReportMetric: holds on a busy machine
	allocations metric = "allocs/op"
	liveBytes   metric = "live-B" // heap in use after the run, by b.ReportMetric
	cpuSeconds  metric = "cpu-s"  // processor time of the process that ran ours once
)

// row is one line of the table: a benchmark BenchmarkPair/<name>/ours and, when
// paired, its BenchmarkPair/<name>/base, which run in one process.
type row struct {
	name   string
	module string
	metric metric
	paired bool    // judge ours divided by base, else ours alone
	gate   float64 // above it the row fails
	goal   float64 // to be beaten
	time   string  // go test's -benchtime
	about  string
	unmet  float64 // not 0 while the gate is not met: what may not be exceeded until it is
}

// rows is the table that the performance of the repository is held to. Gates
// are regressions to refuse; goals are to be beaten. A gate that has never been
// met is shown as UNMET, and what was reached instead is held.
var rows = []row{
	{"message-event", "simnet", cpuTime, true, 0.15, 0.09, "100ms", "full message event / container/heap and closures", 0},
	{"queue-hold", "kernel", cpuTime, true, 0.25, 0.13, "100ms", "queue hold at 1,000 pending / container/heap of pointers", 0},
	{"timer-event", "kernel", cpuTime, true, 0.15, 0.07, "100ms", "timer event with hash, 16 pending / synctest AfterFunc", 0},
	{"proc-sleep", "kernel", cpuTime, true, 0.45, 0.33, "100ms", "proc Sleep, 16 procs / goroutine and channel hand-off", 0},
	{"ping-pong", "kernel", cpuTime, true, 0.10, 0.06, "100ms", "message ping-pong, callbacks / synctest channel and Sleep", 0},
	{"ping-pong-net", "simnet", cpuTime, true, 0.35, 0.25, "100ms", "the same over simnet: two digests, two records, a fate", 0},
	{"trace-hash", "simnet", cpuTime, true, 1.6, 1.4, "100ms", "full event, trace hashing on / off", 0},
	{"kernel-allocs", "kernel", allocations, false, 0, 0, "100ms", "allocations per event, steady state", 0},
	{"jsonl-line", "artifact", nanoseconds, true, 0.35, 0.2, "100ms", "JSONL trace line / encoding/json", 0},
	{"double-run", "faultline", nanoseconds, true, 2.1, 2.03, "500ms", "double run (determinism check) / single run", 0},
	{"idle-topology", "simnet", cpuSeconds, false, 60, 5, "1x", "1,000 nodes, 60 virtual seconds of gossip, CPU seconds", 0},
	{"raft-cpu", "harness-etcdraft", nanoseconds, true, 1.8, 1.4, "20x", "raft harness CPU per message / bare RawNode loop", 4.5},
	{"raft-floor", "harness-etcdraft", nanoseconds, true, 2, 1.6, "20x", "raft on kernel and network, no disk, clients or checks / bare RawNode loop", 0},
	{"raft-allocs", "harness-etcdraft", allocations, true, 1.10, 1.03, "5x", "raft harness allocations per message / bare RawNode loop", 0},
	{"raft-speed", "harness-etcdraft", cpuTime, false, 2_000_000, 666_667, "20x", "CPU per virtual second of 5 nodes, default faults, all checks", 12_000_000},
	{"memory-growth", "faultline", liveBytes, true, 1.2, 1.0, "1x", "heap after 1 M events / after 100 k events", 0},
}
