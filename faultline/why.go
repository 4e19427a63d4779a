package faultline

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	whyShare     = 4  // the budget for it is a fourth of that of shrinking
	maxReasons   = 40 // entries that are left out one at a time
	maxMoments   = 16 // from which the run is continued
	continuation = 10 // times each
)

// explain finds out what the small schedule's parts are for: what becomes of
// the run without each, when its end was decided, and where it parts from the
// nearest run that passes.
func (s *shrinker) explain(small *shrunk, budget time.Duration) *artifact.Why {
	until := time.Now().Add(budget)
	may := func() bool {
		return !s.hung && s.inTime() && time.Now().Add(s.longest).Before(until) && s.budget() > -budget
	}
	why := &artifact.Why{}
	alike := -1
	for without, what := range s.withouts(small) {
		if len(why.Reasons) == maxReasons || !may() {
			break
		}
		x := s.execute(without, kernel.LevelFull)
		r := artifact.Reason{Part: what, Outcome: s.outcome(x)}
		why.Reasons = append(why.Reasons, r)
		if x.failure == nil && x.world != nil {
			if n := recordsAlike(small.run.world.sim, x.world.sim); n > alike {
				alike = n
				why.Nearest = partsFrom(small.run.world.sim, x.world.sim, n, what)
			}
		}
	}
	for range s.withouts(small) {
		why.Untried++
	}
	why.Untried -= len(why.Reasons)
	why.Moments = s.moments(small, may)
	why.Decided = decided(why.Moments)
	if len(why.Reasons)+len(why.Moments) == 0 {
		return nil
	}
	return why
}

// withouts are the small schedule without one entry, and what that entry is.
func (s *shrinker) withouts(small *shrunk) iter.Seq2[*fault.Schedule, string] {
	return func(yield func(*fault.Schedule, string) bool) {
		all := entriesOf(small.after)
		for i, e := range all {
			what := e.describe(small.run.world.texts)
			if what == "" {
				continue
			}
			rest := slices.Delete(slices.Clone(all), i, i+1)
			if e.shape != nil { // the jitter comes back
				h := *e.shape
				h.calm = false
				rest = append(rest, entry{shape: &h, place: e.place})
			}
			if !yield(scheduleOf(small.after, rest), what) {
				return
			}
		}
	}
}

// outcome says how a run ended, seen from the failure that is explained.
func (s *shrinker) outcome(x *execution) string {
	switch {
	case x.failure == nil:
		return "it passes"
	case s.same(x.failure):
		return "it fails in the same way"
	}
	return "it fails otherwise: " + headline(x.failure)
}

// recordsAlike returns how many records two runs have in common from the start.
func recordsAlike(a, b *kernel.Sim) int {
	next, stop := iter.Pull(b.Records())
	defer stop()
	n := 0
	for ra := range a.Records() {
		rb, ok := next()
		if !ok || recordLine(ra, true) != recordLine(rb, true) {
			break
		}
		n++
	}
	return n
}

// partsFrom says where the failing run and one that passes part.
func partsFrom(failing, passes *kernel.Sim, n int, without string) *artifact.Nearest {
	at := func(s *kernel.Sim) (kernel.Record, string) {
		i := 0
		for r := range s.Records() {
			if i == n {
				return r, recordLine(r, true)
			}
			i++
		}
		return kernel.Record{}, recordLine(kernel.Record{}, false)
	}
	fails, failsText := at(failing)
	_, passesText := at(passes)
	return &artifact.Nearest{Without: without, Time: artifact.Duration(fails.Time), Event: fails.Event, Record: uint64(n),
		Fails: failsText, Passes: passesText}
}

// moments continues the run from several moments on, each time otherwise. A
// continuation counts as failing in the same way when the same check fails: its
// message can be about other operations.
func (s *shrinker) moments(small *shrunk, may func() bool) []artifact.Moment {
	var out []artifact.Moment
	for _, at := range momentsOf(small) {
		m := artifact.Moment{Time: artifact.Duration(at)}
		for salt := range uint64(continuation) {
			if !may() {
				return out
			}
			s.recipe.redraw = kernel.Redraw{At: kernel.Time(at), Salt: salt + 1}
			x := s.execute(small.after, kernel.LevelHash)
			s.recipe.redraw = kernel.Redraw{}
			m.Runs++
			if f := x.failure; f != nil && f.Kind == s.failure.Kind && f.Check == s.failure.Check {
				m.Failed++
			}
		}
		out = append(out, m)
	}
	return out
}

// momentsOf returns the moments that can decide: the start, right after each
// entry, and some between.
func momentsOf(small *shrunk) []time.Duration {
	end := small.run.failure.Time.Sub(0)
	var at []time.Duration
	for i := range time.Duration(6) {
		at = append(at, end*i/6)
	}
	for _, e := range entriesOf(small.after) {
		switch {
		case len(at) >= maxMoments-1 || e.shape != nil:
		case e.fault != nil && e.fault.At < end:
			at = append(at, e.fault.At+1)
		case e.choice != nil && e.choice.Time.Sub(0) < end:
			at = append(at, e.choice.Time.Sub(0)+1)
		}
	}
	at = append(at, end)
	slices.Sort(at)
	return slices.Compact(at)
}

// decided returns the first moment from which on nine of ten continuations
// fail; 0 if there is none.
func decided(moments []artifact.Moment) artifact.Duration {
	for i := len(moments); i > 0; i-- {
		if m := moments[i-1]; m.Failed*10 < m.Runs*9 {
			if i < len(moments) {
				return moments[i].Time
			}
			return 0
		}
	}
	return 0
}

// whyText says the most telling of it in a few lines of the console.
func whyText(w *artifact.Why) string {
	if w == nil {
		return ""
	}
	text := ""
	if n := len(w.Reasons); n > 0 {
		passes := 0
		for _, r := range w.Reasons {
			if r.Outcome == "it passes" {
				passes++
			}
		}
		text += whyNeeded(n, passes, w.Untried)
	}
	switch {
	case w.Open():
		text += "          open to the end: it could have gone well up to the failure itself\n"
	case w.Decided > 0:
		text += fmt.Sprintf("          decided by %v: from then on nearly every continuation fails\n", w.Decided)
	}
	if n := w.Nearest; n != nil {
		text += fmt.Sprintf("          the nearest run that passes, without %q, parts at %v, event %d\n", n.Without, n.Time, n.Event)
	}
	return text
}

// whyNeeded says how many parts of a small schedule it takes, of those that were
// tried.
func whyNeeded(parts, needed, untried int) string {
	switch {
	case untried > 0:
		return fmt.Sprintf("why:      of its %s, of which %d could be tried, %d %s needed: without one of them it passes\n", plural(parts+untried, "part"), parts, needed, isOrAre(needed))
	case needed == 0:
		return "why:      without any one of its parts it fails as well, in some way\n"
	case needed == 1 && parts == 1:
		return "why:      without its one part it passes\n"
	}
	return fmt.Sprintf("why:      of its %s %d %s needed: without one of them it passes\n", plural(parts, "part"), needed, isOrAre(needed))
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
