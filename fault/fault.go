package fault

import "time"

// Kind names what a fault does. The names are those of schedule.json.
type Kind string

// The kinds of faults. The comment says which fields of [Fault] a kind reads
// beside its trigger, target and window, and when the fault was inert, that
// is, changed nothing.
const (
	// Kill ends the process of each node; it starts again after For (never,
	// when For is 0 and the run has no quiet phase). Inert: all were down.
	Kill Kind = "kill"
	// PowerLoss takes the power from each node, with Profile saying what the
	// disk keeps (empty: as configured); the process starts again after For.
	// Inert: never, a machine always loses something.
	PowerLoss Kind = "power-loss"
	// Pause stops the process of each node for For. With the Profile
	// "stop-clock" its monotonic clock stops too, as in a machine that is
	// suspended: timers keep what they had left. Inert: none was running.
	Pause Kind = "pause"
	// CrashLoop kills each node Count times (0: 3): it starts again soon, runs
	// for up to Amount (0: 50 ms), and is killed again. It is down after that to
	// the end of For. Inert: all were down.
	CrashLoop Kind = "crash-loop"
	// CrashRecovery takes the power from each node, starts it again soon, and
	// takes it again before disk operation number Count (0: the first) of the new
	// incarnation; Profile as for [PowerLoss]. Inert: no second crash came
	// within For.
	CrashRecovery Kind = "crash-recovery"
	// LoseNode takes the power from each node for good: not even the quiet phase
	// brings it back. Inert: never.
	LoseNode Kind = "lose-node"
	// Leave kills each node for good, until a [Join]; the quiet phase leaves it
	// away. Inert: all were down.
	Leave Kind = "leave"
	// Join starts each node that has left or was never started. Inert: there was
	// none.
	Join Kind = "join"
	// Upgrade restarts the nodes one after another, every Amount (0: 100 ms),
	// with the version of their program called Profile, see [Injector.Version]. At
	// the end of For, if that is not 0, they are rolled back together. Inert: no
	// node has that version.
	Upgrade Kind = "upgrade"
	// SlowNode makes every event on each node take Amount for For: messages and
	// timers queue up. Inert: no event was served meanwhile.
	SlowNode Kind = "slow-node"
	// Isolate cuts each node from Peers (empty: from all others), both ways, for
	// For. Inert: no message met the cut.
	Isolate Kind = "isolate"
	// Partition cuts the nodes from those of Peers (empty: of all) that are not
	// among them, both ways, for For. Inert: no message met the cut.
	Partition Kind = "partition"
	// OneWay cuts what the nodes send to Peers (empty: to all others), or with a
	// Count to so many of Peers, drawn for each node, for For. Inert: no message
	// met the cut.
	OneWay Kind = "one-way"
	// Ring lets each of the nodes reach a majority of them, no two the same (of
	// three nodes, two lose each other), for For. The order in the ring is drawn.
	// Inert: no message met a cut.
	Ring Kind = "ring"
	// Bridge cuts the nodes into two halves that only one node still reaches
	// both of, for For. Who is where is drawn. Inert: no message met the cut.
	Bridge Kind = "bridge"
	// Partial cuts Rate parts per million (0: a third) of the pairs among the
	// nodes, at least one, both ways, for For: who reaches whom is not transitive.
	// Inert: no message met a cut.
	Partial Kind = "partial"
	// Flap isolates each node from Peers (empty: from all others) again and
	// again: each spell, cut or not, lasts around Amount (0: 100 ms), over For.
	// Inert: no message met a cut.
	Flap Kind = "flap"
	// ClientsCut cuts the nodes from all nodes outside the group "servers", both
	// ways, for For. Inert: no message met the cut.
	ClientsCut Kind = "clients-cut"
	// Clog makes what each node sends and receives wait for For and arrive then;
	// Profile is "in" or "out" for one direction only. Inert: no message waited.
	Clog Kind = "clog"
	// SwizzleClog clogs the nodes one by one in the first half of For, and lets
	// them go in another order in the second. Inert: no message waited.
	SwizzleClog Kind = "swizzle-clog"
	// Loss drops Rate parts per million of the messages that the nodes send
	// and receive (on all links, without a target) for For. Inert: no message
	// was dropped by it.
	Loss Kind = "loss"
	// Duplicate delivers Rate parts per million of the messages twice, see
	// [Loss].
	Duplicate Kind = "duplicate"
	// Delay delays Rate parts per million of the messages by up to Amount, see
	// [Loss]. It reorders them too.
	Delay Kind = "delay"
	// Latency adds Amount to the latency of every message, see [Loss].
	Latency Kind = "latency"
	// LongTail makes Rate parts per million of the messages take up to Amount
	// longer, see [Loss]; unlike those of [Delay] they are part of the link's
	// latency and no choices of the schedule. Inert: no message was sent.
	LongTail Kind = "long-tail"
	// LossBurst drops up to Count (0: 8) messages in a row, and a burst begins
	// at Rate parts per million of the messages, see [Loss].
	LossBurst Kind = "loss-burst"
	// LateDuplicate delivers Rate parts per million of the messages once more,
	// up to Amount later, often to the receiver's next incarnation, see [Loss].
	LateDuplicate Kind = "late-duplicate"
	// CorruptMessage flips one or up to Count bits in Rate parts per million of
	// the messages, see [Loss]. They are dropped, as by a checksum, or with the
	// Profile "deliver" delivered. Inert: no message was hit.
	CorruptMessage Kind = "corrupt-message"
	// Bandwidth limits each link to Rate bytes a second, with a queue of Count
	// bytes (0: no limit), see [Loss]. What does not fit is lost; with the
	// Profile "early" some is before the queue is full. Inert: no message had to
	// wait.
	Bandwidth Kind = "bandwidth"
	// DropMessage drops one message that each node sends to Peers (empty: to all
	// others): the one of number Count (0: the first) from the start of the fault
	// on that is called as Message says, if it comes within For. Inert: none came.
	DropMessage Kind = "drop-message"
	// HoldMessage holds one message up by Amount, see [DropMessage].
	HoldMessage Kind = "hold-message"
	// LoseReply is [DropMessage] for what nodes send to those outside the group
	// "servers": the answer to a client whose request is done.
	LoseReply Kind = "lose-reply"
	// StreamRefuse makes each node answer dials as if nobody listened, for For.
	// Inert: nobody dialed what it listens for.
	StreamRefuse Kind = "stream-refuse"
	// StreamHang makes each node not answer dials for For. Inert: nobody dialed.
	StreamHang Kind = "stream-hang"
	// StreamReset resets all connections of each node. Inert: it had none.
	StreamReset Kind = "stream-reset"
	// StreamHalfOpen makes each node lose its connections without a word to their
	// other ends. Inert: it had none.
	StreamHalfOpen Kind = "stream-half-open"
	// StreamShort makes reads and writes of each node's connections move fewer
	// bytes than they could, for For. Inert: there was none.
	StreamShort Kind = "stream-short"
	// Outage takes the power from all nodes at one instant, see [PowerLoss]. The
	// budget does not count it, since all come back together. Inert: never.
	Outage Kind = "outage"
	// SyncFail makes Rate parts per million (0: all) of the syncs of File (empty:
	// all) on each node's disk fail for For; Profile is the way, see
	// simdisk.FailMode: "drop-dirty" (the default: the unsynced data is gone from
	// the disk's point of view), "keep-dirty", "next-handle", "late-error", "lie",
	// "no-space" or "go-read-only". Inert: no sync that had something to write
	// failed.
	SyncFail Kind = "sync-fail"
	// WriteFail makes Rate parts per million (0: all) of the writes to File (empty:
	// all) on each node's disk go wrong for For; Profile is the way, see
	// simdisk.WriteMode: "error" (the default), "short", "phantom" or
	// "misdirected". Inert: there was no such write.
	WriteFail Kind = "write-fail"
	// ReadFail makes Rate parts per million (0: all) of the reads of File (empty:
	// all) on each node's disk fail for For. Inert: there was no such read.
	ReadFail Kind = "read-fail"
	// SlowDisk multiplies the time of every disk operation on each node by
	// Rate, and adds up to Amount to each, for For. With an Amount, operations
	// complete out of order. Profile restricts the factor to "read", "write",
	// "sync" or "meta" operations. Inert: there was no operation.
	SlowDisk Kind = "slow-disk"
	// StallDisk keeps disk operations on each node from completing for For.
	// Inert: none was to complete.
	StallDisk Kind = "stall-disk"
	// FullDisk leaves Rate bytes free on each node's disk for For; with the
	// Profile "inodes", Rate more files and directories. Inert: no operation
	// failed.
	FullDisk Kind = "full-disk"
	// ReadOnlyDisk makes each node's disk refuse every change for For. Inert: none
	// was asked for.
	ReadOnlyDisk Kind = "read-only-disk"
	// Corrupt damages what each node's disk holds durably, at a random place in the
	// files that match File (empty: all). Profile is the way: "flip" (the default)
	// flips Rate random bits (0: one); "sticky" does, and they stay flipped when
	// they are written; "zero" makes a sector read as zeros; "dead" makes reads of
	// a sector fail until it is written; "cut" takes the end of a file away; "stale"
	// makes a sector read as it was before it was last written. It is not undone.
	// Inert: there was nothing to corrupt.
	Corrupt Kind = "corrupt"
	// WipeDisk takes the power from each node and empties its disk; the process
	// starts again after For. Inert: never.
	WipeDisk Kind = "wipe-disk"
	// SwapDisks takes the power from two nodes and exchanges their disks; the
	// processes start again after For. Without a second node one is drawn from
	// the group. Inert: there was no second node.
	SwapDisks Kind = "swap-disks"
	// ClockStep moves each node's wall clock by Amount, forward or back.
	// Inert: never.
	ClockStep Kind = "clock-step"
	// ClockOffset moves each node's wall clock by Amount for For, and back.
	// Inert: never.
	ClockOffset Kind = "clock-offset"
	// ClockStepDown kills each node, moves its wall clock by Amount, and starts
	// it again after For. Inert: all were down.
	ClockStepDown Kind = "clock-step-down"
	// ClockStrobe moves each node's wall clock by Amount and back, over and over
	// within For. Inert: never.
	ClockStrobe Kind = "clock-strobe"
	// ClockFreeze stops each node's wall clock for For; it then jumps to where it
	// would be. With the Profile "all" the monotonic clock stops too: no timer
	// fires, and it is behind for good. Inert: they stood already.
	ClockFreeze Kind = "clock-freeze"
	// ClockTick makes each node's clocks show whole multiples of Amount for For:
	// timestamps are equal. Inert: they did already.
	ClockTick Kind = "clock-tick"
	// TimerError makes the timers that each node arms within For fire up to
	// Amount too early, but not in the first half of their time, or too late;
	// Profile is "early" or "late" for one of both. Inert: no timer was armed.
	TimerError Kind = "timer-error"
	// ClockDrift makes each node's clocks run Rate parts per million fast
	// (negative: slow) for For. Inert: the rate was that already.
	ClockDrift Kind = "clock-drift"
)

// Fault is one fault as data: what happens, to whom, when and for how long.
// It is what a script is made of, what random rules are planned into, and what
// schedule.json holds.
type Fault struct {
	// ID is the fault's identity: all its random decisions depend on it and on
	// the seed only. Planned faults are called after their rule and their
	// count in it ("kill#3"). Empty in a script: made from kind and place.
	ID string
	// Kind says what the fault does.
	Kind Kind
	// At is the virtual time of the fault, unless When names another trigger.
	At time.Duration
	// When, if not the zero value, makes the fault fire not at At but at the
	// first match of the trigger from At on.
	When Trigger
	// For is how long it lasts; 0 means to the quiet phase, or for good in a
	// run without one. Kinds that are over at once ignore it.
	For time.Duration
	// Target says whom it hits. Kinds of links and nodes need one; the network
	// kinds Loss, Duplicate, Delay and Latency hit every link without one.
	Target Target
	// Peers are the nodes at the other end of what is cut, for Isolate,
	// Partition, OneWay, Flap, DropMessage and HoldMessage: names, or @ and the name of a group. A leader that
	// is isolated from @servers keeps its clients.
	Peers []string
	// File is a pattern of path.Match that restricts a disk fault to some files:
	// with a slash for the whole path, without one for its last element.
	File string
	// Rate is the strength in parts per million, or a factor: see the kinds.
	Rate int64
	// Amount is the strength as a duration: see the kinds.
	Amount time.Duration
	// Count is the strength as a number of times, bits or bytes: see the kinds.
	Count int64
	// Message is a pattern of path.Match for what a message is called: see
	// simnet.Aim. Empty is any. Only [DropMessage], [HoldMessage] and [LoseReply]
	// read it.
	Message string
	// Profile is the variant of a fault: see the kinds.
	Profile string

	// Nodes are the names that the fault hit in a recorded run. When it is
	// replayed they rule over Target.
	Nodes []string
	// Outcome is what became of the fault in a recorded run. One that was
	// skipped or had no target is skipped again in a replay.
	Outcome Outcome
}

// Outcome is what became of a planned fault.
type Outcome string

// The outcomes of a fault. The zero value means that it is not known: the run
// ended before, or the fault comes from a script.
const (
	Fired    Outcome = "fired"     // it changed something
	Inert    Outcome = "inert"     // it fired and changed nothing
	NoTarget Outcome = "no-target" // nobody had the role, or a node was already hit
	Skipped  Outcome = "skipped"   // too many servers would have been down or cut off
)

// Trigger makes a fault fire at something that happens, not at a time. The
// zero value means: at the time in [Fault.At].
type Trigger struct {
	// Point is the name of a point in a node's code, see kernel.Node.Point. In a
	// rule [AnyPoint] stands for one of those that the run has named.
	Point string
	// Op is a kind of disk operation: "write", "sync", "rename" and so on, see
	// simdisk.Kind; or "send" or "receive", of a message.
	Op string
	// After makes the fault fire after the operation, not before it.
	After bool
	// File restricts Op to the files that match this pattern of path.Match.
	File string
	// Message restricts "send" and "receive" to messages that are called as this
	// pattern of path.Match says, see simnet.Aim.
	Message string
	// State is the name of a predicate over the cluster, see [Injector.State]: it
	// matches after each event that makes it true.
	State string
	// Node restricts the trigger to one node; empty means any. A fault without
	// a target hits the node on which its trigger matched.
	Node string
	// Nth fires at the n-th match, from 1; 0 means 1.
	Nth int
	// Chance fires at each match with this probability in parts per million, in
	// place of Nth; 0 means at the n-th.
	Chance int
}

// Target says whom a fault hits. Names first: when Nodes is not empty the rest
// is ignored. Otherwise Pick nodes are drawn, when the fault fires, from those
// members of Group that have the Role. The zero value is nobody.
type Target struct {
	Nodes []string // exactly these
	Group string   // name of a group of nodes, such as "servers"
	Role  string   // only members that have this role; empty: all
	Pick  Pick     // how many of them; empty: one
}

// Pick says how many members of a group a fault hits.
type Pick string

// The ways to pick. Minority, half and majority are of the whole group, also
// when a role leaves fewer to pick from.
const (
	One      Pick = "one"      // one
	Minority Pick = "minority" // at least one, fewer than half
	Half     Pick = "half"     // half, rounded down, at least one
	Majority Pick = "majority" // more than half, not all
	All      Pick = "all"      // every one
	// Self is the node on which the trigger matched; matches on nodes outside the
	// group, or without the role, do not count.
	Self Pick = "self"
)
