package etcdraft

import (
	"github.com/hmdsefi/faultline/harness-etcdraft/wal"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Observer is told of everything that happens on the nodes, as it happens: one
// event right after each call into raft, and one for each thing that the
// application around it has done. Checks are observers, so that their cost
// grows with what changed. Report what is wrong with [Cluster.Violated].
type Observer interface {
	// Observe must not change anything and must not keep e, which is reused.
	// What e points to may be kept but not changed.
	Observe(e *Event)
}

// Selective is an [Observer] that looks at some kinds of events only, and is
// told of no others. Most events of a run are of four kinds: an observer that
// can do without them costs nothing.
type Selective interface {
	Observer
	// Kinds returns the kinds. It is asked once, at the setup.
	Kinds() []EventKind
}

// EventKind says what happened.
type EventKind uint8

// The kinds of event. The comment says which fields of [Event] are set beside
// Kind, Replica and Status.
const (
	// Started: the node has recovered and made its RawNode. Recovered, Index
	// (where it was told that the state machine is), Conf (the configuration
	// that raft was given).
	Started EventKind = iota

	// The calls into raft. Message and Err where there are such.

	Ticked           // RawNode.Tick
	Stepped          // RawNode.Step of a message from the network: Message (as raft got it), Err
	StoredStep       // RawNode.Step of a response of a local worker, in async mode: Message, Err
	Proposed         // RawNode.Propose: Data, Err
	ConfAsked        // RawNode.ProposeConfChange: Change, Err
	ReadAsked        // RawNode.ReadIndex: Data (the context)
	Campaigned       // RawNode.Campaign: Err
	Transferred      // RawNode.TransferLeader: Index (the raft ID of the target)
	Forgot           // RawNode.ForgetLeader: Err
	Reported         // RawNode.ReportUnreachable: Index (the raft ID of the peer)
	SnapshotReported // RawNode.ReportSnapshot: Index (the raft ID of the peer)
	ConfApplied      // RawNode.ApplyConfChange: Entry, Change, Conf (the result)
	Readied          // RawNode.Ready: Ready
	Advanced         // RawNode.Advance

	// What the application did.

	// Sent: a message leaves for another node: Message. A snapshot leaves in
	// pieces afterwards.
	Sent
	// Durable: State, Entries and Snapshot (each may be empty) are durable, in
	// the order in which raft handed them out. Everything handed out before is
	// durable too.
	Durable
	// Written: State was written without a sync. A crash may lose it.
	Written
	// Applied: the entry of Index went into the state machine: Entry; Command
	// when it holds one, Executed when that was not a repetition, Data (the
	// result).
	Applied
	// SnapshotMade: Snapshot was made of the node's own state. It was asked
	// for by raft, or is on its way to the disk.
	SnapshotMade
	// SnapshotSaved: Snapshot, of the node's own state, is durable.
	SnapshotSaved
	// SnapshotInstalled: the state machine was replaced by Snapshot, which is
	// durable.
	SnapshotInstalled
	// Compacted: the entries up to Index are being deleted.
	Compacted
	// ReadReady: raft has answered a ReadIndex: Data (the context), Index.
	ReadReady
	// ReadServed: a client was answered a read: Data (the context, nil if raft
	// was not asked), Index (what raft had answered).
	ReadServed
)

// eventNames are the kinds in words.
var eventNames = [...]string{
	"started", "tick", "step", "storage response", "propose", "propose conf change", "read index", "campaign",
	"transfer leader", "forget leader", "report unreachable", "report snapshot", "apply conf change", "ready", "advance", "sent", "durable",
	"written", "applied", "snapshot made", "snapshot saved", "snapshot installed", "compacted", "read ready", "read served",
}

// String returns the kind in words.
func (k EventKind) String() string { return eventNames[k] }

// Status is raft's BasicStatus without pointers.
type Status struct {
	Term       uint64         // current term
	Vote       uint64         // raft ID of whom the node has voted for in it, or 0
	Commit     uint64         // commit index
	Applied    uint64         // applied index, as raft has been told
	Role       raft.StateType // follower, candidate, pre-candidate or leader
	Lead       uint64         // raft ID of the leader, 0 if it is not known
	Transferee uint64         // raft ID of whom leadership is handed to, or 0
}

// Status returns what raft says of itself.
func (r *Replica) Status() Status {
	s := r.rn.BasicStatus() // does not allocate as long as its parts are copied at once
	return Status{
		Term: s.GetTerm(), Vote: s.GetVote(), Commit: s.GetCommit(), Applied: s.Applied,
		Role: s.RaftState, Lead: s.Lead, Transferee: s.LeadTransferee,
	}
}

// Event is one thing that happened on a node.
type Event struct {
	Kind    EventKind // what happened; it says which of the fields below are set
	Replica *Replica  // where; its Node, ID and Boot say who
	Status  *Status   // of raft, after the last call into it; it changes with the next one

	Message   *raftpb.Message    // that raft was given, or that is sent
	Ready     *raft.Ready        // what raft has handed out
	State     *raftpb.HardState  // that was written; nil or empty if it has not changed
	Entries   []*raftpb.Entry    // that were written
	Entry     *raftpb.Entry      // that was applied
	Snapshot  *raftpb.Snapshot   // that was made, saved or installed
	Change    raftpb.ConfChangeI // that was proposed or applied
	Conf      *raftpb.ConfState  // the configuration from then on
	Recovered *wal.Recovered     // what was on the disk at a start
	Command   *Command           // in the entry, nil if it holds none
	Executed  bool               // the command was no repetition
	Index     uint64             // an index of the log, or a raft ID, see the kinds
	Data      []byte             // a proposal, a context or a result, see the kinds
	Err       error              // what raft has answered
}

// observe tells the observers of an event. The one that they see is reused.
func (r *Replica) observe(e *Event) {
	d := &r.c.event
	*d = *e
	r.tell(d, e.Kind)
	*d = Event{}
}

// observeCall and observeMessage do the same for the events that make up most
// of a run: writing the few fields that are not empty is much faster than
// writing all of them.
func (r *Replica) observeCall(k EventKind) { r.tell(&r.c.event, k) }

func (r *Replica) observeMessage(k EventKind, m *raftpb.Message, err error) {
	d := &r.c.event
	d.Message, d.Err = m, err
	r.tell(d, k)
	d.Message, d.Err = nil, nil
}

func (r *Replica) observeReady(rd *raft.Ready) {
	d := &r.c.event
	d.Ready = rd
	r.tell(d, Readied)
	d.Ready = nil
}

func (r *Replica) tell(d *Event, k EventKind) {
	if !r.node.Alive() {
		return
	}
	if k < Sent && k != Readied { // a call into raft that may have changed it
		r.status = r.Status()
	}
	d.Kind, d.Replica, d.Status = k, r, &r.status
	for _, o := range r.c.observers[k] {
		o.Observe(d)
	}
}

// observers are who is told of each kind of event.
type observers [len(eventNames)][]Observer

func (s *observers) add(o Observer) {
	if some, ok := o.(Selective); ok {
		for _, k := range some.Kinds() {
			s[k] = append(s[k], o)
		}
		return
	}
	for k := range s {
		s[k] = append(s[k], o)
	}
}
