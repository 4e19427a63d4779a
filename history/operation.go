package history

import (
	"fmt"
	"time"
)

// Status says how an operation, or an attempt, ended.
type Status string

// The ways in which an operation ends. The zero value is none of them.
const (
	OK      Status = "ok"      // it took effect
	Fail    Status = "fail"    // it took no effect
	Unknown Status = "unknown" // it may have taken effect, or may yet
	Pending Status = "pending" // it had not ended when the run did
)

// Point is a place in a run.
type Point struct {
	Time  time.Duration // since the start of the run, never negative
	Event uint64        // number of the event, 0 before the first one
}

// Operation is one call of a client.
type Operation struct {
	ID       int       // place in the order of invocation, from 0
	Process  string    // name of the client that called
	Function string    // what was called, such as "put"
	Input    any       // argument; nil for none
	Output   any       // result, of an operation that is OK; nil for none
	Status   Status    // how it ended
	Reason   string    // why it failed or is unknown; may be empty
	Invoke   Point     // when it was called
	Return   Point     // when it ended; zero while it is pending
	Attempts []Attempt // tries made for it, in order; may be empty
	Txn      []Access  // what it read and wrote, if it is a transaction
}

// Attempt is one try of an operation, such as one request to one server.
type Attempt struct {
	Target  string // whom it was sent to
	Start   Point  // when it was made
	End     Point  // when it ended; zero while it has not
	Outcome string // how it ended, in a word; empty while it has not
}

// AccessType says what a transaction did with a key.
type AccessType string

// The types of accesses.
const (
	AccessRead   AccessType = "read"   // the value was seen
	AccessWrite  AccessType = "write"  // the value replaced the one before
	AccessAppend AccessType = "append" // the value was added to the list under the key
)

// Access is one step of a transaction.
type Access struct {
	Type  AccessType // what was done
	Key   string     // to which key
	Value any        // what was seen, written or appended; nil for none
}

// Done reports whether the operation has ended.
func (o *Operation) Done() bool { return o.Status != Pending }

// String returns the operation in one line, such as
// "c1 put(a=1) ok: true [1s, 1.5s]".
func (o *Operation) String() string {
	s := fmt.Sprintf("%s %s(%s) %s", o.Process, o.Function, Text(o.Input), o.Status)
	if end := Text(o.Output) + o.Reason; end != "" { // it has one of them
		s += ": " + end
	}
	if !o.Done() {
		return s + fmt.Sprintf(" [%v, …]", o.Invoke.Time)
	}
	return s + fmt.Sprintf(" [%v, %v]", o.Invoke.Time, o.Return.Time)
}
