package isolation

import (
	"fmt"

	"github.com/hmdsefi/faultline/history"
)

// Anomaly is a sort of thing that isolated transactions do not show.
type Anomaly string

// The anomalies, worse ones first. G0 to G2-item are those of Adya (Weak
// Consistency, thesis, MIT 1999), G-nonadjacent that of Cerone and Gotsman
// (Analysing Snapshot Isolation, PODC 2016) under the name of the Elle paper
// (Kingsbury, Alvaro: Elle, VLDB 2020).
const (
	// GarbageRead: a value that nobody wrote was read.
	GarbageRead Anomaly = "garbage read"
	// Duplicate: a value that was appended once is in a list twice, or one that
	// was written once in the given order of versions.
	Duplicate Anomaly = "duplicate"
	// IncompatibleOrder: two reads of a list cannot be of one list that grows.
	IncompatibleOrder Anomaly = "incompatible order"
	// Internal: a transaction did not see what it had written itself, or saw what
	// it wrote only later.
	Internal Anomaly = "internal"
	// G0 (dirty write): a cycle of writes that overwrote each other.
	G0 Anomaly = "G0"
	// G1a (aborted read): the value of a transaction that failed was read.
	G1a Anomaly = "G1a"
	// G1b (intermediate read): a value was read that its transaction overwrote.
	G1b Anomaly = "G1b"
	// G1c (circular information flow): a cycle of overwriting and reading.
	G1c Anomaly = "G1c"
	// LostUpdate: two transactions read the same version and both wrote after it.
	LostUpdate Anomaly = "lost update"
	// GSingle (read skew): a cycle in which one transaction read what another
	// one overwrote.
	GSingle Anomaly = "G-single"
	// LongFork: two transactions saw two writes in opposite orders.
	LongFork Anomaly = "long fork"
	// GNonadjacent: a cycle in which several did, but no two in a row.
	GNonadjacent Anomaly = "G-nonadjacent"
	// WriteSkew: two transactions each read what the other one overwrote.
	WriteSkew Anomaly = "write skew"
	// G2Item: a cycle in which several in a row did.
	G2Item Anomaly = "G2-item"
)

// Order says what a cycle needs besides what was read and written.
type Order int

// The orders. The zero value is Plain.
const (
	Plain    Order = iota // nothing
	Session               // that transactions of one process are in order
	Realtime              // that transactions that do not overlap are in order
)

// Kind is an anomaly, in its plain, session or real-time variant.
type Kind struct {
	Anomaly Anomaly // what
	Order   Order   // what it needs besides
}

// String returns the name, such as "G-single" or "G-single-realtime".
func (k Kind) String() string {
	switch k.Order {
	case Session:
		return string(k.Anomaly) + "-session"
	case Realtime:
		return string(k.Anomaly) + "-realtime"
	}
	return string(k.Anomaly)
}

// Found is an anomaly that a history shows.
type Found struct {
	Kind   Kind                 // which
	Places int                  // in how many places; this is one of them, the smallest
	Txns   []*history.Operation // the transactions of the cycle in order, or those concerned
	Why    []string             // for each transaction of a cycle, why it is before the next; otherwise what was seen
}

// String tells the anomaly in words.
func (f *Found) String() string {
	s := f.Kind.String()
	if f.Places > 1 {
		s += fmt.Sprintf(" (in %d places, this is one)", f.Places)
	}
	for i, op := range f.Txns {
		s += fmt.Sprintf("\n  T%d: %s", i+1, transaction(op))
	}
	for _, why := range f.Why {
		s += "\n  - " + why
	}
	return s
}

// transaction tells a transaction in one line, with its number in the history.
func transaction(op *history.Operation) string {
	end := op.Return.Time.String()
	if !op.Done() {
		end = "…"
	}
	s := fmt.Sprintf("op %d, %s %s %s [%v, %s]:", op.ID, op.Process, op.Function, op.Status, op.Invoke.Time, end)
	for i, a := range op.Txn {
		if i > 0 {
			s += ","
		}
		value := history.Text(a.Value)
		if a.Value == nil {
			value = "nothing"
		}
		s += fmt.Sprintf(" %s %s %s", a.Type, a.Key, shorten(value))
	}
	return s
}

// shorten keeps the end of a long value: what is new there.
func shorten(s string) string {
	const most = 60
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return "…" + string(r[len(r)-most+1:])
}
