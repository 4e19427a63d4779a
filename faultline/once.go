package faultline

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// Outcome is how a single run ended.
type Outcome struct {
	World   *World          // as it was left; nil when an event never ended
	Failure *kernel.Failure // nil when all was well
	Result  kernel.Result   // the time, the events and the hash of the trace
	// Schedule is everything random that happened; nil unless the run was
	// recorded, see [Record].
	Schedule *fault.Schedule

	recipe recipe
}

// Story tells the run in five lines, as the report of a failing seed does: what
// was going on, which faults hit, the decisive steps, the last event, and what
// was seen. It makes the run once more to record it, so its cost is that of
// another [Once]. The error says that there is nothing to tell, because the run
// did not start or an event never ended, or that the second run was another one.
func (o Outcome) Story() ([]string, error) {
	if o.World == nil {
		return nil, fmt.Errorf("faultline: there is no story of a run that did not start, or whose last event never ended")
	}
	defer relaxGC()()
	r := o.recipe
	r.level = kernel.LevelFull
	x := r.execute(time.Time{})
	if x.world == nil || x.result.Hash != o.Result.Hash {
		return nil, fmt.Errorf("faultline: seed %s did something else when it was run again to be recorded; see docs/explanation/determinism.md", seedText(r.seed))
	}
	report := &artifact.Report{Test: "Seed " + seedText(r.seed), Seed: artifact.Hex64(r.seed), Failure: reported(x.failure)}
	x.world.fillReport(report, x)
	return timeline.Story(artifact.InMemory(report, x.world.schedule(), x.world.history.Operations(), x.world.sim.Records())), nil
}

// Once makes one run of one seed and returns how it ended: for benchmarks, and
// for tests that are about the outcome, such as whether a planted bug is found.
// Nothing is repeated, shrunk or written, and the FAULTLINE_ variables do not
// count. crypto/rand is left as it is, unless testing/cryptotest has seeded it before:
// code that draws from it needs that. The error is a wrong option or setup.
func Once(opt Options, seed uint64, setup func(w *World)) (Outcome, error) {
	opt, err := opt.complete(false)
	if err != nil {
		return Outcome{}, err
	}
	defer relaxGC()()
	r := recipe{opt: opt, setup: setup, seed: seed}
	x := r.execute(time.Time{})
	return Outcome{World: x.world, Failure: x.failure, Result: x.result, recipe: r}, x.setup
}
