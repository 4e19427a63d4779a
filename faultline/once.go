package faultline

import (
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Outcome is how a single run ended.
type Outcome struct {
	World   *World          // as it was left; nil when an event never ended
	Failure *kernel.Failure // nil when all was well
	Result  kernel.Result   // the time, the events and the hash of the trace
	// Schedule is everything random that happened; nil unless the run was
	// recorded, see [Record].
	Schedule *fault.Schedule
}

// Once makes one run of one seed and returns how it ended: for benchmarks, and
// for tests that are about the outcome, such as whether a planted bug is found.
// Nothing is repeated, shrunk or written, and the FAULTLINE_ variables do not
// count. crypto/rand is left as it is: code that draws from it needs
// testing/cryptotest around the call. The error is a wrong option or setup.
func Once(opt Options, seed uint64, setup func(w *World)) (Outcome, error) {
	opt, err := opt.complete(false)
	if err != nil {
		return Outcome{}, err
	}
	defer relaxGC()()
	x := recipe{opt: opt, setup: setup, seed: seed}.execute(time.Time{})
	return Outcome{World: x.world, Failure: x.failure, Result: x.result}, x.setup
}
