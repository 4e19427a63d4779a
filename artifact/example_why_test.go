package artifact_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// What the parts of a small schedule are for, and when they had decided.
func ExampleWhy() {
	second := artifact.Duration(time.Second)
	why := artifact.Why{
		Reasons: []artifact.Reason{
			{Part: "1s power-loss on n1 for 20ms", Outcome: "passes"},
			{Part: "2s kill on n2 for 1s", Outcome: "fails otherwise: liveness \"a write succeeds\""},
		},
		Moments: []artifact.Moment{{Time: second / 2, Runs: 8, Failed: 1}, {Time: second, Runs: 8, Failed: 8}, {Time: 2 * second, Runs: 8, Failed: 8}},
		Decided: second,
	}
	fmt.Println(why.Open())
	fmt.Printf("%s", why.Text())
	// Output:
	// false
	// why: without
	//     1s power-loss on n1 for 20ms
	//         passes
	//     2s kill on n2 for 1s
	//         fails otherwise: liveness "a write succeeds"
	//
	// when it was decided: of the continuations from each moment on, with all else drawn anew, fail in the same way
	//     500ms             1 of  8  #
	//     1s                8 of  8  ########
	//     2s                8 of  8  ########
	//     decided by 1s
}
