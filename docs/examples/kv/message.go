package kv

import "fmt"

// Op is what a client wants: to put a value under a key, or to get it. The
// zero value does nothing; a new leader writes one to begin its term.
type Op struct {
	Kind  string // "put" or "get"
	Key   string // what it is about
	Value string // of a put
}

// String returns the operation without its kind, such as "x=7" for a put.
func (o Op) String() string {
	if o.Kind == "put" {
		return o.Key + "=" + o.Value
	}
	return o.Key
}

// Entry is one place of the replicated log.
type Entry struct {
	Term   int    // of the leader that made it
	Client string // who asked; empty in a leader's first entry
	Seq    int    // number of the client's request
	Op     Op     // what it asks for
	Time   int64  // on the leader's wall clock, only for Bugs.ClockOrder
}

// String returns the entry as people read it, such as "put x=7 of term 3".
func (e Entry) String() string {
	if e.Client == "" {
		return fmt.Sprintf("the beginning of term %d", e.Term)
	}
	return fmt.Sprintf("%s %v of term %d", e.Op.Kind, e.Op, e.Term)
}

// request is what a client sends to a server, as often as it takes.
type request struct {
	Seq int
	Op  Op
}

// reply answers a request.
type reply struct {
	Seq       int
	Value     string // of a get
	NotLeader bool   // nothing was done; ask Leader, if it is known
	Leader    string
}

// voteRequest asks for a vote in a term.
type voteRequest struct {
	Term     int
	Last     int // index of the candidate's last entry
	LastTerm int
}

// voteReply answers a voteRequest.
type voteReply struct {
	Term    int
	Granted bool
}

// appendRequest brings entries to a follower, and tells it who leads.
type appendRequest struct {
	Term     int
	Prev     int // index of the entry before Entries, which must match
	PrevTerm int
	Entries  []Entry
	Commit   int // index up to which entries have taken effect
}

// appendReply says how much of its log a follower shares with the leader.
type appendReply struct {
	Term  int
	OK    bool
	Match int // if OK: on the follower's disk; if not: where to try next
}
