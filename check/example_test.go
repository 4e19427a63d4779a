package check_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/history"
)

// A generator of numbers that gives one out twice.
func Example() {
	now := time.Duration(0)
	h := history.New(func() (time.Duration, uint64) { now += time.Second; return now, 0 })
	for _, id := range []int{1, 2, 2} {
		h.Invoke("alice", "next", nil).OK(id)
	}
	unique := check.UniqueIDs{ID: func(op *history.Operation) (any, bool) { return op.Output, true }}
	fmt.Println(unique.Check(h.All()))
	// Output: 2 was given out twice: by alice next() ok: 2 [3s, 4s] and by alice next() ok: 2 [5s, 6s]
}
