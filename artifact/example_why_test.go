package artifact_test

import (
	"fmt"
	"os"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// A failure that a power loss at one second has decided.
func ExampleWhy() {
	why := &artifact.Why{
		Reasons: []artifact.Reason{{Part: "1s power-loss on n1", Outcome: "it passes"}},
		Moments: []artifact.Moment{
			{Time: 0, Runs: 10, Failed: 2},
			{Time: artifact.Duration(time.Second), Runs: 10, Failed: 10},
			{Time: artifact.Duration(2 * time.Second), Runs: 10, Failed: 10},
		},
		Decided: artifact.Duration(time.Second),
	}
	os.Stdout.Write(why.Text())
	fmt.Println("open to the end:", why.Open())
	// Output:
	// why: without
	//     1s power-loss on n1
	//         it passes
	//
	// when it was decided: of the continuations from each moment on, with all else drawn anew, fail in the same way
	//     0s                2 of 10  ##
	//     1s               10 of 10  ##########
	//     2s               10 of 10  ##########
	//     decided by 1s
	//
	// open to the end: false
}
