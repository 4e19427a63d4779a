package etcdraft

import (
	"go.etcd.io/raft/v3"
)

// Path says how a read is answered.
type Path uint8

const (
	// ByLog proposes the read and answers it when it is applied.
	ByLog Path = iota
	// ByReadIndex asks raft's ReadIndex, and answers when the node has applied
	// that much. It is as the mode says: safe, or by the leader's lease.
	ByReadIndex
)

// Request is what a client asks a node. It is sent again, to this node or
// another, until there is an answer.
type Request struct {
	Client uint64 // number of the session
	Seq    uint64 // number of the request in the session
	Read   bool   // a query; else a command
	Path   Path   // of a query
	Data   string // for the state machine
}

// Kind returns the word for the trace.
func (q Request) Kind() string {
	switch {
	case !q.Read:
		return "request"
	case q.Path == ByLog:
		return "read-by-log"
	}
	return "read-index"
}

// Answer is what the node says.
type Answer struct {
	Seq    uint64 // of the request
	Done   bool   // it was carried out; else it was not taken up, try elsewhere
	Result string // what the state machine said
	Leader string // who leads, as far as the node knows
}

// Kind returns the word for the trace.
func (Answer) Kind() string { return "answer" }

// requests are the commands and reads that wait in a node for their entry to
// be applied: the newest of each client.
type requests struct{ waiting map[uint64]waiting }

type waiting struct {
	seq  uint64
	from string
}

// onRequest takes up a request of a client.
func (r *Replica) onRequest(from string, q Request) {
	if q.Read && r.c.cfg.Bugs.StaleReads && r.role == raft.StateLeader {
		r.serve(&read{client: q.Client, seq: q.Seq, from: from, query: []byte(q.Data)}, nil)
		return
	}
	if q.Read && q.Path == ByReadIndex && r.mayReadIndex() {
		r.askRead(from, q)
		return
	}
	cmd := Command{Client: q.Client, Seq: q.Seq, Read: q.Read, Data: []byte(q.Data)}
	data := cmd.encode()
	err := r.rn.Propose(data)
	r.observe(&Event{Kind: Proposed, Data: data, Err: err})
	if err != nil {
		r.c.meetIf(r.role == raft.StateLeader, proposalDropped)
		r.turnAway(from, q.Seq)
		return
	}
	if r.requests.waiting == nil {
		r.requests.waiting = map[uint64]waiting{}
	}
	if r.requests.waiting[q.Client].seq <= q.Seq {
		r.requests.waiting[q.Client] = waiting{q.Seq, from}
	}
}

// mayReadIndex reports whether raft's ReadIndex is safe here; see
// Hazards.SingleVoterReads.
func (r *Replica) mayReadIndex() bool {
	alone := len(r.conf.GetVoters()) == 1 && len(r.conf.GetVotersOutgoing()) == 0
	return !alone || r.mode.Hazards.SingleVoterReads
}

// turnAway tells a client that its request was not taken up.
func (r *Replica) turnAway(from string, seq uint64) {
	r.node.Send(from, Answer{Seq: seq, Leader: r.leaderName()})
}

// leaderName returns who leads, empty if the node does not know.
func (r *Replica) leaderName() string {
	if r.lead == raft.None || r.lead > uint64(len(r.c.names)) {
		return ""
	}
	return r.c.names[r.lead-1]
}

// answer tells the client whose command was applied, if it waits at this node.
func (q *requests) answer(r *Replica, cmd *Command, result []byte) {
	w, ok := q.waiting[cmd.Client]
	if !ok || w.seq != cmd.Seq {
		return
	}
	delete(q.waiting, cmd.Client)
	r.node.Send(w.from, Answer{Seq: cmd.Seq, Done: true, Result: string(result), Leader: r.leaderName()})
}
