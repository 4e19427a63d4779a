package artifact_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// When a failure was decided: of ten continuations from each moment, so many fail.
func ExampleWhy() {
	why := artifact.Why{
		Moments: []artifact.Moment{
			{Time: artifact.Duration(time.Second), Failed: 2, Runs: 10},
			{Time: artifact.Duration(2 * time.Second), Failed: 10, Runs: 10},
			{Time: artifact.Duration(3 * time.Second), Failed: 10, Runs: 10},
		},
		Decided: artifact.Duration(2 * time.Second),
	}
	fmt.Printf("%s", why.Text())
	fmt.Println(why.Open())
	// Output:
	// when it was decided: of the continuations from each moment on, with all else drawn anew, fail in the same way
	//     1s                2 of 10  ##
	//     2s               10 of 10  ##########
	//     3s               10 of 10  ##########
	//     decided by 2s
	//
	// false
}
