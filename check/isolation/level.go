package isolation

import (
	"iter"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// Level is an isolation level: a set of anomalies that a store promises not to
// show. The names without an author are those of Adya, Liskov and O'Neil
// (Generalized Isolation Level Definitions, ICDE 2000), whose levels they are,
// as far as the items that transactions read and write can tell.
type Level string

// The levels. Each one but the first forbids all that one before it does: a
// session level adds to the plain one that transactions of one process appear
// in their order, a strong or strict level that transactions that do not
// overlap appear in theirs.
const (
	ReadUncommitted           Level = "read uncommitted"            // PL-1
	ReadCommitted             Level = "read committed"              // PL-2
	ConsistentView            Level = "consistent view"             // PL-2+
	RepeatableRead            Level = "repeatable read"             // PL-2.99
	SnapshotIsolation         Level = "snapshot isolation"          // PL-SI
	Serializable              Level = "serializable"                // PL-3
	StrongSessionSnapshot     Level = "strong session snapshot"     // Daudjee and Salem, VLDB 2006
	StrongSnapshot            Level = "strong snapshot"             // the same; also "strong SI"
	StrongSessionSerializable Level = "strong session serializable" // session order added
	StrictSerializable        Level = "strict serializable"         // Papadimitriou, J. ACM 26, 1979
)

// Levels returns all levels, weaker ones first.
func Levels() []Level {
	return []Level{ReadUncommitted, ReadCommitted, ConsistentView, RepeatableRead, SnapshotIsolation, Serializable,
		StrongSessionSnapshot, StrongSnapshot, StrongSessionSerializable, StrictSerializable}
}

// Check returns nil if a history shows no anomaly that the level forbids, and
// otherwise an error of type [*Violation]. See [Checker].
func (l Level) Check(ops iter.Seq[*history.Operation]) error { return Checker{Level: l}.Check(ops) }

// Forbids reports whether a store of the level must not show an anomaly.
func (l Level) Forbids(a Kind) bool {
	plain, order := l.plain()
	return slices.Contains(forbidden(plain), a.Anomaly) && a.Order <= order
}

// plain returns the level without session and real-time order, and which of
// them it keeps.
func (l Level) plain() (Level, Order) {
	switch l {
	case StrongSessionSnapshot:
		return SnapshotIsolation, Session
	case StrongSnapshot:
		return SnapshotIsolation, Realtime
	case StrongSessionSerializable:
		return Serializable, Session
	case StrictSerializable:
		return Serializable, Realtime
	}
	return l, Plain
}

// forbidden returns what a level without session and real-time order forbids.
func forbidden(l Level) []Anomaly {
	out := []Anomaly{GarbageRead, Duplicate, IncompatibleOrder, Internal, G0}
	committed := append(out, G1a, G1b, G1c)
	view := append(committed, GSingle, LostUpdate)
	snapshot := append(view, GNonadjacent, LongFork)
	all := append(snapshot, G2Item, WriteSkew)
	switch l {
	case ReadUncommitted:
		return out
	case ReadCommitted:
		return committed
	case ConsistentView:
		return view
	case SnapshotIsolation:
		return snapshot
	case RepeatableRead, Serializable:
		return all
	}
	return nil
}

// known reports whether it is one of the levels.
func (l Level) known() bool { return slices.Contains(Levels(), l) }
