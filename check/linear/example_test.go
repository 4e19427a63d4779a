package linear_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// stale is a history in which bob reads what alice had overwritten before.
func stale() *history.History {
	now := time.Duration(0)
	h := history.New(func() (time.Duration, uint64) { now += time.Second; return now, 0 })
	h.Invoke("alice", "put", 1).OK(nil)
	h.Invoke("alice", "put", 2).OK(nil)
	h.Invoke("bob", "get", nil).OK(1)
	return h
}

// calls translates its operations.
func calls(op *history.Operation) linear.Call {
	if op.Function == "put" {
		return linear.Write("x", op.Input)
	}
	return linear.Read("x", op.Output)
}

// A model is a checker with the usual settings.
func ExampleModel() {
	fmt.Println(linear.Map(calls).Check(stale().All()))
	// Output:
	// key x: not linearizable: bob get() ok: 1 [5s, 6s]
	// there was the value 1 from the return of alice put(1) ok [1s, 2s] up to the call of bob get() ok: 1 [5s, 6s]; but there was the value 2 at some moment between the call of alice put(2) ok [3s, 4s] and the return of alice put(2) ok [3s, 4s]
	// the 2 operations that had returned before can be put in an order; with this one, none fits
}

// The verdict of a checker depends on the history and its limits only, not on the
// machine.
func ExampleChecker() {
	c := linear.Checker{Model: linear.Map(calls), Steps: 1_000_000}
	result, err := c.Run(stale().All())
	fmt.Println(result.Verdict == linear.Violated, err)
	// Output: true <nil>
}
