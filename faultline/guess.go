package faultline

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

const fewFaults = 8 // of which each is left out in guesses

// guess looks for the failure where a person would: with fewer faults, and with
// everything else drawn anew. What fails in the same way is then taken apart.
// Step by step one does not get there, because the draws of the recorded run
// are in the way.
func (s *shrinker) guess(best found) found {
	for schedule := range s.guesses(best) {
		if s.hung || !s.mayGoOn() {
			return found{}
		}
		if s.verdict(s.drawn(schedule, kernel.LevelHash)) != shrink.Same {
			continue
		}
		run := s.drawn(schedule, kernel.LevelFull)
		if run.world == nil || run.failure == nil || !s.same(run.failure) {
			return found{flaky: true}
		}
		before := run.world.schedule()
		return s.minimize(before, run.failure, entriesOf(before), way{})
	}
	return found{complete: true}
}

// drawn makes a run of the faults of a schedule, with everything else drawn.
func (s *shrinker) drawn(schedule *fault.Schedule, level kernel.Level) *execution {
	s.recipe.draw = true
	x := s.execute(schedule, level)
	s.recipe.draw = false
	return x
}

// guesses are schedules with less faults than the best one has, the fewest
// first: none, one of each sort that did something, two of them, and then all
// but one. The fewer there are, the more is tried with each.
func (s *shrinker) guesses(best found) iter.Seq[*fault.Schedule] {
	small := scheduleOf(best.before, best.entries)
	bare := s.bare(small)
	return func(yield func(*fault.Schedule) bool) {
		draws := kernel.NewStream(s.before.Seed, "guess")
		draw := func(times int, faults ...fault.Fault) bool {
			for range times {
				s.guessed++
				c := *bare
				c.Seed = draws.At(s.guessed)
				c.Faults = s.otherwise(faults, s.guessed, draws.Derive("moments"), shapeOf(bare).faultsEnd())
				if !yield(&c) {
					return false
				}
			}
			return true
		}
		if len(small.Faults) < 1 || !draw(4) {
			return
		}
		first, last := sortsOf(small)
		for _, f := range first {
			if len(small.Faults) > 1 && !draw(max(12, 120/len(first)), f) {
				return
			}
		}
		for i := range first {
			for j := range last {
				if len(small.Faults) > 2 && first[i].ID != last[j].ID && !draw(max(6, 120/len(first)/len(last)), first[i], last[j]) {
					return
				}
			}
		}
		for i := range small.Faults {
			if n := len(small.Faults); n > 3 && n <= fewFaults && !draw(120/n, slices.Delete(slices.Clone(small.Faults), i, i+1)...) {
				return
			}
		}
	}
}

// bare is a schedule that says nothing but how long the run is: twice as long as
// a small one, at most as long as the whole one, so that guesses cost little.
func (s *shrinker) bare(small *fault.Schedule) *fault.Schedule {
	h := shapeOf(small)
	h.resize(min(2*h.faultsEnd(), shapeOf(s.before).faultsEnd()))
	c := *s.before
	c.Quiet, c.Duration, c.Faults, c.Choices, c.Expect = h.quiet, h.duration, nil, []kernel.Choice{}, nil
	return &c
}

// otherwise returns faults as they were, aimed anew, or at more nodes, and every
// other time at other moments before end.
func (s *shrinker) otherwise(faults []fault.Fault, n uint64, draws kernel.Stream, end time.Duration) []fault.Fault {
	var out []fault.Fault
	switch n / 2 % 4 {
	case 0:
		out = slices.Clone(faults)
	case 1:
		out = aimedAnew(faults)
	case 2:
		out = s.widened(faults, fault.Majority)
	default:
		out = s.widened(faults, fault.All)
	}
	if n%2 == 0 {
		return out
	}
	for i := range out {
		if out[i].When == (fault.Trigger{}) {
			// Rather early: a system does most things for the first time then.
			latest := draws.Between(n, 0, int64(end)-1)
			out[i].At = time.Duration(draws.Derive(out[i].ID).Between(n, 0, latest))
		}
	}
	slices.SortStableFunc(out, func(a, b fault.Fault) int { return cmp.Compare(a.At, b.At) })
	return out
}

// widened aims faults of groups at more of the group, whatever their role, as
// far as the system has to stand that.
func (s *shrinker) widened(faults []fault.Fault, pick fault.Pick) []fault.Fault {
	out := aimedAnew(faults)
	for i := range out {
		t := &out[i].Target
		if len(t.Nodes) > 0 || t.Group == "" {
			continue
		}
		if to := min(rank(pick), s.widest(out[i].Kind)); to > rank(t.Pick) {
			t.Pick, t.Role = picks[to], ""
		}
	}
	return out
}

// sortsOf returns the first and the last fault of each sort that did
// something. With few of them every pair can be tried.
func sortsOf(schedule *fault.Schedule) (first, last []fault.Fault) {
	sorts := map[string]int{}
	for _, f := range schedule.Faults {
		if f.Outcome != fault.Fired {
			continue
		}
		sort := fmt.Sprint(f.Kind, f.Profile)
		i, met := sorts[sort]
		if !met {
			i = len(first)
			sorts[sort] = i
			first, last = append(first, f), append(last, f)
		}
		last[i] = f
	}
	return first, last
}

// mayGoOn reports whether the budget allows another run on the current way.
func (s *shrinker) mayGoOn() bool {
	return time.Since(s.began)+s.longest < s.share && s.budget() > s.longest
}
