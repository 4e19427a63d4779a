package faultline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// The parts of a small schedule are needed, each, and it is seen when the
// failure became unavoidable.
func TestExplains(t *testing.T) {
	r, x := failing(t, shop(sevens))
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure,
		budget: func() time.Duration { return time.Hour }}
	small, note := s.shrink()
	if small == nil {
		t.Fatal(note)
	}
	why := s.explain(small, time.Hour)
	left := 0
	for _, reason := range why.Reasons {
		if reason.Outcome != "it passes" {
			left++
		}
	}
	if len(why.Reasons) < 2 || left > 1 { // the jitter may be
		t.Errorf("%d of the parts are not needed: %+v", left, why.Reasons)
	}
	end := small.run.failure.Time
	first, last := why.Moments[0], why.Moments[len(why.Moments)-1]
	if first.Time != 0 || first.Failed == first.Runs || kernel.Time(last.Time) != end || last.Failed != last.Runs {
		t.Errorf("from the start %d of %d fail, at the end %d of %d", first.Failed, first.Runs, last.Failed, last.Runs)
	}
	if why.Decided <= 0 || kernel.Time(why.Decided) > end {
		t.Errorf("decided by %v of %v", why.Decided, end)
	}
	n := why.Nearest
	if n == nil || n.Fails == n.Passes || kernel.Time(n.Time) > end || n.Record == 0 {
		t.Errorf("the nearest run that passes: %+v", n)
	}
	if len(why.Plot()) == 0 {
		t.Error("there is no plot")
	}
	if why.Untried != 0 {
		t.Errorf("%d parts were not tried in an hour", why.Untried)
	}
}

// Where time has ended before all parts were tried, nothing is said of the others.
func TestSaysHowManyPartsWereTried(t *testing.T) {
	r, x := failing(t, shop(sevens))
	s := &shrinker{recipe: r, prepare: func(uint64) {}, before: x.world.schedule(), failure: x.failure,
		budget: func() time.Duration { return time.Hour }}
	small, note := s.shrink()
	if small == nil {
		t.Fatal(note)
	}
	all := len(s.explain(small, time.Hour).Reasons)
	from := s.runs
	s.budget = func() time.Duration { return time.Duration(from-s.runs) * 2 * time.Hour } // enough for one run
	why := s.explain(small, time.Hour)
	if len(why.Reasons) != 1 || why.Untried != all-1 {
		t.Fatalf("%d of %d parts were tried, and %d not", len(why.Reasons), all, why.Untried)
	}
	if text := whyText(why); !strings.Contains(text, fmt.Sprintf("of its %d parts, of which 1 could be tried", all)) {
		t.Errorf("it says %q", text)
	}
}

// A continuation is the same run up to its moment.
func TestContinuationsShareThePrefix(t *testing.T) {
	r, x := failing(t, shop(sevens))
	r.replay = x.world.schedule()
	at := x.failure.Time / 2
	seen := map[string]bool{}
	for salt := range uint64(6) {
		r.redraw = kernel.Redraw{At: at, Salt: salt + 1}
		y := r.execute(time.Time{})
		if y.world == nil || y.setup != nil {
			t.Fatal(y.setup)
		}
		n := recordsAlike(x.world.sim, y.world.sim)
		seen[fmt.Sprint(y.result.Hash)] = true
		i := 0
		for rec := range x.world.sim.Records() {
			if i == n {
				if rec.Time < at {
					t.Errorf("salt %d: it parts at %v, before %v: %s", salt, rec.Time, at, recordLine(rec, true))
				}
				break
			}
			i++
		}
	}
	if len(seen) < 6 {
		t.Errorf("6 continuations are %d runs", len(seen))
	}
}

func TestDecided(t *testing.T) {
	m := func(failed ...int) (out []artifact.Moment) {
		for i, f := range failed {
			out = append(out, artifact.Moment{Time: artifact.Duration(i), Runs: 10, Failed: f})
		}
		return out
	}
	for _, c := range []struct {
		moments []artifact.Moment
		want    artifact.Duration
	}{
		{m(0, 2, 9, 10), 2}, {m(0, 10, 3, 10), 3}, {m(0, 0, 5), 0}, {m(10, 10), 0}, {nil, 0},
	} {
		if got := decided(c.moments); got != c.want {
			t.Errorf("%v: decided by %v, want %v", c.moments, got, c.want)
		}
	}
}
