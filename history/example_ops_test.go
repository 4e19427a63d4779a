package history_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/history"
)

// A history keeps what clients did in the order of their calls.
func ExampleHistory() {
	now := time.Duration(0)
	h := history.New(func() (time.Duration, uint64) { now += time.Millisecond; return now, 0 })
	a := h.Invoke("alice", "put", "x=1")
	b := h.Invoke("bob", "get", "x")
	b.OK("1")
	a.OK(nil)
	for op := range h.All() {
		fmt.Println(op.Process, op.Function, op.Invoke.Time, op.Return.Time)
	}
	// Output:
	// alice put 1ms 4ms
	// bob get 2ms 3ms
}

// An operation ends once. Without an answer it is unknown: it may have had its
// effect, or may still have it.
func ExampleOp() {
	h := history.New(func() (time.Duration, uint64) { return 0, 0 })
	refused := h.Invoke("alice", "withdraw", 50)
	refused.Fail("not enough money") // it surely had no effect
	lost := h.Invoke("alice", "withdraw", 20)
	lost.Attempt("n1").End("timeout")
	lost.Unknown("no answer")
	h.Invoke("alice", "withdraw", 10) // never ended
	fmt.Println(refused.Record().Status, lost.Record().Status, h.Counts())
	// Output: fail unknown 3 operations: 0 ok, 1 fail, 1 unknown, 1 pending
}
