package check

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// Sessions checks the four session guarantees of each process (Terry et al.:
// Session Guarantees for Weakly Consistent Replicated Data, PDIS 1994), by the
// versions that operations read and wrote. Zero values of the fields but Versions
// check all four. Each key is judged alone, and each process by what it saw itself:
// that others see its writes to several keys in their order is not.
type Sessions struct {
	// Versions returns which versions of which keys an operation that is OK read
	// and wrote, in this order. Later versions have larger numbers. Required.
	Versions func(op *history.Operation) []Version

	// NotReadYourWrites leaves out that a process sees what it wrote.
	NotReadYourWrites bool
	// NotMonotonicReads leaves out that a process does not see older versions
	// than before.
	NotMonotonicReads bool
	// NotMonotonicWrites leaves out that the writes of a process to a key are in
	// their order.
	NotMonotonicWrites bool
	// NotWritesFollowReads leaves out that a write of a process comes after the
	// versions of the key that it has read.
	NotWritesFollowReads bool
}

// Version is a version of a key that an operation read or wrote.
type Version struct {
	Key    string // of what
	Number int64  // larger ones are later
	Write  bool   // it was written
}

// last is the latest version that a process met, and in which operation.
type last struct {
	number int64
	op     *history.Operation
}

// Check returns nil if the guarantees hold. A process does one thing at a time.
func (c Sessions) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Sessions.Versions", c.Versions != nil}); err != nil {
		return err
	}
	var p problems
	type place struct{ process, key string }
	read, wrote := map[place]last{}, map[place]last{}
	for op := range ops {
		if op.Status != history.OK {
			continue
		}
		for _, v := range c.Versions(op) {
			at := place{op.Process, v.Key}
			r, w := read[at], wrote[at]
			if v.Write {
				if w.op != nil && v.Number <= w.number && !c.NotMonotonicWrites {
					p.add("monotonic writes: %v wrote version %d of %s, after the same process had written version %d: %v", op, v.Number, v.Key, w.number, w.op)
				}
				if r.op != nil && v.Number <= r.number && !c.NotWritesFollowReads {
					p.add("writes follow reads: %v wrote version %d of %s, after the same process had read version %d: %v", op, v.Number, v.Key, r.number, r.op)
				}
				if w.op == nil || v.Number > w.number {
					wrote[at] = last{v.Number, op}
				}
				continue
			}
			if w.op != nil && v.Number < w.number && !c.NotReadYourWrites {
				p.add("read your writes: %v read version %d of %s, after the same process had written version %d: %v", op, v.Number, v.Key, w.number, w.op)
			}
			if r.op != nil && v.Number < r.number && !c.NotMonotonicReads {
				p.add("monotonic reads: %v read version %d of %s, after the same process had read version %d: %v", op, v.Number, v.Key, r.number, r.op)
			}
			if r.op == nil || v.Number > r.number {
				read[at] = last{v.Number, op}
			}
		}
	}
	return p.err()
}
