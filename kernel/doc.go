// Package kernel is a deterministic simulator for distributed systems: nodes,
// virtual time, crashes and clocks on one stack, replayed from one seed.
//
// A run is made by [New], given nodes by [Sim.AddNode], and started by
// [Sim.Run]. Everything then happens in events, one at a time. Two runs with
// the same seed, the same program and the same calls from outside do the same
// and have the same hash, on every platform.
//
//	s := kernel.New(kernel.Config{Seed: 1})
//	s.AddNode("n1", func(n *kernel.Node) kernel.Handler { return &server{node: n} })
//	s.After(3*time.Second, func() { s.Node("n1").Kill() })
//	s.After(4*time.Second, func() { s.Node("n1").Start() })
//	result := s.RunFor(time.Minute)
//
// # Time
//
// Virtual time starts at 2000-01-01 00:00:00 UTC and counts nanoseconds. It
// moves only between events, to the time of the next one: code takes no time,
// and an hour without events costs nothing. A run reaches 100 years at most;
// what is due at [MaxTime] or later never happens.
//
// # Order
//
// Events run in the order of their times. Events of one instant run in an order
// that is a choice of the seed: each node draws the places of its own events
// from a stream of its own, so that an event more or less on one node leaves
// the order among the others as it was. [Sim.ScheduleKeyed] gives the place
// explicitly. What is scheduled for the past runs now.
//
// After the work of an event come, in this order: [Config.Settle], the
// deferred calls of procs that it ended, and the invariants.
//
// # Choices
//
// Every decision is a pure function of the seed, the name of a [Stream] and a
// number. Nothing is consumed, so that a decision that is no longer made
// changes no other. A [ChoicePoint] is for decisions that mostly take a default
// (a message is delivered, a sync succeeds): what was decided otherwise can be
// listed, edited, and given to a later run with [Config.Replay].
//
// A number that counts moves when something comes in between. What comes up often,
// such as messages, is numbered by a [Namer] instead, which goes by what it is and about
// when it happens, so that one more or less leaves the others as they were.
//
// # Nodes
//
// A [Node] is a machine with one process. The machine (its name, clocks, and
// whatever modules attach with [Node.Watch]) lasts for the whole run. The
// process is an incarnation, numbered by [Node.Boot] from 1: made by the
// node's [Factory] at each start, and gone at a crash.
//
//   - [Node.Kill] ends the process; [Node.PowerLoss] also tells the machine's
//     modules that memory is lost.
//   - From the crash on, nothing happens in the name of that incarnation: its
//     timers and procs are dead, its events vanish, and what it still asks
//     for, also later in the event that crashed it, is inert. Inert calls
//     change nothing, and leave a record.
//   - [Node.Pause] makes what comes up for the node wait. [Node.Resume] runs
//     it, at the instant of the call, in the order in which it was due, before
//     everything else of that instant. [Device] events do not wait.
//   - [Node.Start] is an event of its own at the current time.
//   - [Node.SetCost] makes a node slow: each of its events takes virtual time.
//
// A program is a [Handler], or a [Proc] by [Main]: a function that may wait.
//
// # Timers
//
// A [Timer] runs on its node's monotonic clock, fires once, and can be armed
// again at any time. Its place among the events of one instant is drawn when it
// is armed. A timer that is put off time and again, or used for long and short
// waits in turn, occupies the queue with two keys at most.
//
// # Clocks
//
// Each node has a wall clock, which can be stepped, and a monotonic one, which
// never goes back. Both run at a rate of 1,000,000 + drift millionths, exact to
// the nanosecond, rounded down; each change of the rate loses less than one
// nanosecond. A timer fires at the first virtual instant at which its clock
// shows its deadline, also when the rate has changed meanwhile. Clocks can also
// stand still ([Node.StopClocks]) and be coarse ([Node.SetTick]), and timers
// early or late ([Node.SetTimerError]).
//
// # Procs
//
// A [Proc] is a coroutine. It runs until it waits by one of its own methods,
// and it is never interrupted in between. If its node crashes, or at the end of
// the run, its function does not return from the wait: deferred calls run, and
// all that they ask of the node or the proc is inert and returns at once. A
// recover in the program does not see this. Deferred calls run right after the
// event that crashed the node. A message and a timeout of one instant come in
// an order that the seed chooses; the message is not lost.
//
// # Failures
//
// A run ends with its first [Failure]: an invariant that does not hold, a panic
// (with the stack of the code that panicked), runtime.Goexit (which t.FailNow
// and t.Fatal call), or a misuse. Mistakes made before the first event are
// setup errors instead: [Sim.Err] lists them all, and the run does not start.
// After a Goexit, the goroutine that called [Sim.Run] ends as usual; another
// one can read the failure.
//
// # Trace
//
// What happens is written as typed records, hashed with SHA-256 as it comes.
// The hash and its checkpoints are kept at [LevelHash], and memory does not
// grow with the length of the run; every record is kept at [LevelFull], up to
// 1 GiB. The hash is the same at both. Each record has its event, and each
// event the event that scheduled it, its cause.
//
// The trace shows that two runs did the same as far as their records tell:
// state that is never logged, and never reaches an event, is not compared.
//
// # Driving a run from outside
//
// [Sim.Run], [Sim.RunFor] and [Sim.RunUntil] run many events. [Sim.Next],
// [Sim.Step] and [Sim.AdvanceTo] run them one by one, and [Sim.Enter] is the
// way in for code beside the simulator. Cutting a run into parts does not change
// it. Any goroutine may drive, one at a time; a second one, or a call of these
// methods from inside the run, is turned away and fails the run.
//
// # Limits
//
//   - Code under test must not start goroutines, block on real channels,
//     mutexes, sleeps or I/O, read the real time, or let the order of a map
//     range matter. The kernel cannot prevent it; a run that does is not
//     deterministic, or hangs. Hangs are seen from outside by
//     [Config.Progress].
//   - State outside a node's program (a package variable) survives its crash.
//   - Messages are handed over by reference.
//   - A stopped timer's key stays in the queue until it comes up: memory grows
//     with the number of different timers armed per longest duration.
//   - A timer that is armed again and again for an ever earlier instant, without
//     firing, queues a key each time.
//   - A node's clocks stay within 292 years of the epoch, and drift between
//     half and twice the true rate.
//   - What a deferred call of a dead proc does outside its node and proc (to
//     other nodes, to shared signals) is not inert, unless the run is over.
package kernel
