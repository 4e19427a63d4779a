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
	"github.com/hmdsefi/faultline/simdisk"
)

// stability counts runs with one message fate less.
type stability struct{ runs, kept int }

func (s stability) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", s.kept, s.runs, 100*float64(s.kept)/float64(max(s.runs, 1)))
}

// TestStability measures how often a failing run still fails in the same way
// when one lost, repeated or late message is taken away that the failure does
// not need: one that is not in the shrunk schedule. Choices have names, so what
// is taken away must not reshuffle the rest. RAFT_STABILITY=1 measures every
// planted bug; otherwise it is a few, quickly.
func TestStability(t *testing.T) {
	all := os.Getenv("RAFT_STABILITY") != ""
	most, names := 12, []string{"NoSessions", "ApplyConfAtAppend", "ApplyBeforeDurable", "RetryFailedSync"}
	if all {
		most = 60
	}
	var total stability
	for _, p := range plants() {
		if !all && !slices.Contains(names, p.name) {
			continue
		}
		one := measureStability(t, p, most)
		if one.runs > 0 {
			t.Logf("%-20s %v", p.name, one)
		}
		total.runs += one.runs
		total.kept += one.kept
	}
	t.Logf("%-20s %v", "together", total)
	least := 85
	if all {
		least = 95
	}
	if total.runs < 20 || total.kept*100 < total.runs*least {
		t.Errorf("%v runs fail in the same way without one message fate that is not needed; want %d %% of at least 20", total, least)
	}
}

func measureStability(t *testing.T, p plant, most int) (s stability) {
	t.Helper()
	cfg := p.cfg
	cfg.Bugs = p.bugs
	opt := faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}, ShrinkBudget: 3 * time.Second}
	setup := func(w *faultline.World) {
		Setup(w, cfg)
		w.Faults(Faults())
	}
	whole := recordFailure(t, opt, setup, 20)
	if whole == nil {
		return s
	}
	small, err := faultline.Shrink(t, opt, whole.Schedule, setup)
	if err != nil || small.Schedule == nil {
		t.Fatalf("%s: %v %s", p.name, err, small.Note)
	}
	var fates []int
	for i, c := range whole.Schedule.Choices {
		needed := slices.ContainsFunc(small.Schedule.Choices, func(d kernel.Choice) bool { return d.Point == c.Point && d.N == c.N })
		if strings.HasPrefix(c.Point, "net/") && !needed {
			fates = append(fates, i)
		}
	}
	step := max(len(fates)/most, 1)
	for i := 0; i < len(fates); i += step {
		less := *whole.Schedule
		less.Choices = slices.Delete(slices.Clone(less.Choices), fates[i], fates[i]+1)
		cryptotest.SetGlobalRandom(t, less.Seed)
		out, err := faultline.Replay(opt, &less, setup)
		if err != nil {
			t.Fatal(err)
		}
		s.runs++
		if out.Failure != nil && faultline.Signature(out.Failure) == faultline.Signature(whole.Failure) {
			s.kept++
		}
	}
	return s
}

// recordFailure returns the first seed's run that fails, recorded; nil if none
// does.
func recordFailure(t *testing.T, opt faultline.Options, setup func(*faultline.World), most int) *faultline.Outcome {
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
			return &out
		}
	}
	return nil
}
