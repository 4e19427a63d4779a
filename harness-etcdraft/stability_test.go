package etcdraft

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
	"github.com/hmdsefi/faultline/simdisk"
)

// stability counts runs with one message fate less.
type stability struct{ runs, kept int }

func (s stability) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", s.kept, s.runs, 100*float64(s.kept)/float64(max(s.runs, 1)))
}

// TestStability measures how often a failing run still fails in the same way
// when one lost, repeated or late message is taken away that the failure does
// not need: the run fails too without all of those together. Choices have names,
// so what is taken away must not reshuffle the rest. RAFT_STABILITY=1 measures
// every planted bug, 25 failing seeds of each; otherwise it is a few, quickly.
func TestStability(t *testing.T) {
	all := os.Getenv("RAFT_STABILITY") != ""
	most, seeds, names := 12, 1, []string{"NoSessions", "ApplyConfAtAppend", "ApplyBeforeDurable", "RetryFailedSync", "SnapshotOffByOne"}
	if all {
		most, seeds = 8, 25
	}
	var total stability
	for _, p := range plants() {
		if !all && !slices.Contains(names, p.name) {
			continue
		}
		var one stability
		for n := range seeds {
			s := measureStability(t, p, n, most)
			one.runs += s.runs
			one.kept += s.kept
		}
		if one.runs > 0 {
			t.Logf("%-20s %v", p.name, one)
		}
		total.runs += one.runs
		total.kept += one.kept
	}
	t.Logf("%-20s %v", "together", total)
	if total.runs < 20 || total.kept*100 < total.runs*95 {
		t.Errorf("%v runs fail in the same way without one message fate that is not needed; want 95 %% of at least 20", total)
	}
}

// measureStability takes up to most fates, one at a time, from a run of a planted
// bug that fails, after so many others that do.
func measureStability(t *testing.T, p plant, after, most int) (s stability) {
	t.Helper()
	cfg := p.cfg
	cfg.Bugs = p.bugs
	opt := faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}}
	setup := func(w *faultline.World) {
		Setup(w, cfg)
		w.Faults(Faults())
	}
	whole := recordFailure(t, opt, setup, 400, after)
	if whole == nil {
		return s
	}
	fails := func(choices []kernel.Choice) bool {
		less := *whole.Schedule
		less.Choices = choices
		cryptotest.SetGlobalRandom(t, less.Seed)
		out, err := faultline.Replay(opt, &less, setup)
		if err != nil {
			t.Fatal(err)
		}
		return out.Failure != nil && faultline.Signature(out.Failure) == faultline.Signature(whole.Failure)
	}
	choices := whole.Schedule.Choices
	free := notNeeded(choices, fails)
	step := max((len(free)+most-1)/most, 1)
	for i := 0; i < len(free); i += step {
		s.runs++
		if fails(slices.DeleteFunc(slices.Clone(choices), func(c kernel.Choice) bool { return c == free[i] })) {
			s.kept++
		}
	}
	return s
}

// notNeeded returns the fates of messages without all of which a run still fails.
func notNeeded(choices []kernel.Choice, fails func([]kernel.Choice) bool) (free []kernel.Choice) {
	fate := func(c kernel.Choice) bool { return strings.HasPrefix(c.Point, "net/") }
	r := shrink.Minimize(shrink.Problem[kernel.Choice]{
		Items: choices,
		Key:   func(c kernel.Choice) string { return fmt.Sprint(c) },
		Fixed: func(c kernel.Choice) bool { return !fate(c) },
		Test: func(choices []kernel.Choice) shrink.Verdict {
			if fails(choices) {
				return shrink.Same
			}
			return shrink.Gone
		},
	})
	for _, c := range choices {
		if !slices.Contains(r.Items, c) {
			free = append(free, c)
		}
	}
	return free
}

// recordFailure returns the run of the first seed that fails after so many others
// that do, recorded; nil if none does.
func recordFailure(t *testing.T, opt faultline.Options, setup func(*faultline.World), most, after int) *faultline.Outcome {
	t.Helper()
	seeds := kernel.NewStream(1, "hunt")
	for n := range most {
		seed := seeds.At(uint64(n))
		cryptotest.SetGlobalRandom(t, seed)
		out, err := faultline.Record(opt, seed, setup)
		if err != nil {
			t.Fatal(err)
		}
		if out.Failure != nil {
			if after == 0 {
				return &out
			}
			after--
		}
	}
	return nil
}
