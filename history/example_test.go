package history_test

import (
	"fmt"
	"os"
	"time"

	"github.com/hmdsefi/faultline/history"
)

// A client of a key-value store whose second request gets no answer.
func Example() {
	var now time.Duration
	var event uint64
	h := history.New(func() (time.Duration, uint64) { return now, event })

	put := h.Invoke("c1", "put", "a=1")
	now, event = 3*time.Millisecond, 12
	put.OK(nil)

	get := h.Invoke("c1", "get", "a")
	get.Attempt("n1").End("timeout")
	get.Attempt("n2").End("timeout")
	now, event = 2*time.Second, 4096
	get.Unknown("no answer")

	for op := range h.All() {
		fmt.Println(op)
	}
	fmt.Println(h.Counts())
	// Output:
	// c1 put(a=1) ok [0s, 3ms]
	// c1 get(a) unknown: no answer [3ms, 2s]
	// 2 operations: 1 ok, 0 fail, 1 unknown, 0 pending
}

// A transaction, and the file that it is written to.
func ExampleWrite() {
	h := history.New(func() (time.Duration, uint64) { return time.Second, 7 })
	txn := h.Invoke("c1", "transfer", nil)
	txn.Read("alice", 10)
	txn.Write("alice", 5)
	txn.OK("done")
	if err := history.Write(os.Stdout, h.All()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"format":"faultline/history","version":1}
	// {"id":0,"process":"c1","function":"transfer","status":"ok","output":"done","invoke":{"time":1000000000,"event":7},"return":{"time":1000000000,"event":7},"txn":[{"type":"read","key":"alice","value":10},{"type":"write","key":"alice","value":5}]}
}
