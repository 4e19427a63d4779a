package shrink_test

import (
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/shrink"
)

func ExampleMinimize() {
	operations := []string{"put a", "get a", "put b", "crash", "get b", "restart", "get a"}
	result := shrink.Minimize(shrink.Problem[string]{
		Items: operations,
		Key:   func(op string) string { return op },
		Test: func(ops []string) shrink.Verdict { // loses b in a crash
			put, crash := slices.Index(ops, "put b"), slices.Index(ops, "crash")
			if put >= 0 && crash > put {
				return shrink.Same
			}
			return shrink.Gone
		},
	})
	fmt.Println(result.Items, result.Complete)
	// Output:
	// [put b crash] true
}
