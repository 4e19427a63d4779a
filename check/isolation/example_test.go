package isolation_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// Two transactions both read an empty list, and each appends to the other one's:
// write skew, which snapshot isolation lets pass and serializability does not.
func ExampleChecker() {
	now := time.Duration(0)
	h := history.New(func() (time.Duration, uint64) { now += time.Second; return now, 0 })
	a, b := h.Invoke("alice", "txn", nil), h.Invoke("bob", "txn", nil)
	a.Read("x", []int{})
	a.Append("y", 1)
	b.Read("y", []int{})
	b.Append("x", 2)
	a.OK(nil)
	b.OK(nil)
	last := h.Invoke("carol", "txn", nil) // tells the lists as they are
	last.Read("x", []int{2})
	last.Read("y", []int{1})
	last.OK(nil)

	fmt.Println(isolation.Checker{Level: isolation.SnapshotIsolation}.Check(h.All()))
	fmt.Println(isolation.Checker{Level: isolation.Serializable}.Check(h.All()))
	// Output:
	// <nil>
	// not serializable: write skew
	//   T1: op 0, alice txn ok [1s, 3s]: read x [], append y 1
	//   T2: op 1, bob txn ok [2s, 4s]: read y [], append x 2
	//   - T1 is before T2: T1 saw no value in x, which T2's 2 replaced, for carol saw them in that order
	//   - T2 is before T1: T2 saw no value in y, which T1's 1 replaced, for carol saw them in that order
	// nothing was found against: read uncommitted, read committed, consistent view, snapshot isolation, strong session snapshot, strong snapshot
}
