package shrinktable

import (
	"fmt"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Budget is how much real time the shrinking of a failure is given.
const Budget = 60 * time.Second

// Case is a system with a bug.
type Case struct {
	Name    string            // of the bug
	Options faultline.Options // of its runs; ShrinkBudget does not count
	// Setup builds the system with the bug, and with random faults or with none.
	Setup func(w *faultline.World, random bool)
	// Check is the check that the bug breaks. Empty: the first that fails.
	Check string
	// ByHand are the fewest faults with which a person can bring the bug out;
	// none if it takes none. A row is written if they break its check in one of the
	// first hundred seeds.
	ByHand []fault.Fault
}

// seeds is how many seeds are run to find a bug, at most; another failing seed may take
// more.
const seeds = 100

// seed returns seed number n. crypto/rand draws from it in what comes next.
func (c Case) seed(t *testing.T, stream string, n uint64) uint64 {
	seed := kernel.NewStream(1, stream).At(n)
	if !c.Options.NoCryptoSeed {
		cryptotest.SetGlobalRandom(t, seed)
	}
	return seed
}

func (c Case) found(f *kernel.Failure) bool {
	return f != nil && f.Kind != faultline.KindTimeout && (c.Check == "" || c.Check == f.Check)
}

func (c Case) random(w *faultline.World) { c.Setup(w, true) }

// fails records a seed that fails, after so many others that do.
func (c Case) fails(t *testing.T, after int) faultline.Outcome {
	t.Helper()
	most := seeds
	if after > 0 {
		most = 2000 // some fail in one seed of a hundred
	}
	for n := range uint64(most) {
		out, err := faultline.Record(c.Options, c.seed(t, "table", n), c.random)
		if err != nil {
			t.Fatal(err)
		}
		if c.found(out.Failure) {
			if after == 0 {
				return out
			}
			after--
		}
	}
	t.Fatalf("%s is not found in %d seeds", c.Name, most)
	return faultline.Outcome{}
}

// measure shrinks a failing seed, after so many others that fail, and returns the
// row, and the small schedule in words.
func (c Case) measure(t *testing.T, after int) (row, string) {
	t.Helper()
	whole := c.fails(t, after)
	opt := c.Options
	opt.ShrinkBudget = Budget
	small, err := faultline.Shrink(t, opt, whole.Schedule, c.random)
	if err != nil || small.Schedule == nil {
		t.Fatalf("%s: %v %s", c.Name, err, small.Note)
	}
	if !c.Options.NoCryptoSeed {
		cryptotest.SetGlobalRandom(t, small.Schedule.Seed)
	}
	again, err := faultline.Replay(opt, small.Schedule, c.random)
	if err != nil || again.Failure == nil || faultline.Signature(again.Failure) != faultline.Signature(whole.Failure) {
		t.Errorf("%s: the small schedule fails with %v (%v), the whole one with %v", c.Name, again.Failure, err, whole.Failure)
	}
	r := row{name: c.Name, check: whole.Failure.Check, byHand: len(c.ByHand), runs: small.Runs, seconds: small.Took.Seconds()}
	r.before[0], r.before[1], r.before[2] = whole.Schedule.Count()
	r.after[0], r.after[1], r.after[2] = small.Schedule.Count()
	return r, small.Text
}

// ProveByHand demands that the faults by hand break the check of the case in one of the
// first hundred seeds, as [Table.Measure] does of each row. It needs Check.
func (c Case) ProveByHand(t *testing.T) {
	t.Helper()
	if err := c.proveByHand(t, c.Check); err != nil {
		t.Error(err)
	}
}

// proveByHand returns an error unless the faults by hand break that check in one of
// the first seeds.
func (c Case) proveByHand(t *testing.T, check string) error {
	t.Helper()
	others := map[string]int{}
	for n := range uint64(seeds) {
		out, err := faultline.Once(c.Options, c.seed(t, "by hand", n), func(w *faultline.World) {
			c.Setup(w, false)
			w.Script(c.ByHand...)
		})
		switch {
		case err != nil:
			return err
		case out.Failure == nil:
		case out.Failure.Check == check:
			t.Logf("%d faults by hand, seed number %d: %v", len(c.ByHand), n+1, out.Failure)
			return nil
		default:
			others[out.Failure.Check]++
		}
	}
	return fmt.Errorf("%s: %d faults by hand do not break %q in %d seeds; they break %v", c.Name, len(c.ByHand), check, seeds, others)
}
