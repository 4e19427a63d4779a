package faultline

import (
	"fmt"
	"iter"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// guess looks for the failure where a person would: with fewer faults, and with
// everything else drawn anew. What fails in the same way is then taken apart.
// Step by step one does not get there, because the draws of the recorded run
// are in the way.
func (s *shrinker) guess(best found) found {
	for schedule := range s.guesses(best) {
		if s.hung || !s.mayGoOn() {
			return found{}
		}
		if s.test(schedule) != shrink.Same {
			continue
		}
		run := s.execute(schedule, kernel.LevelFull)
		if run.world == nil || run.failure == nil || !s.same(run.failure) {
			return found{flaky: true}
		}
		before := run.world.schedule()
		return s.minimize(before, run.failure, entriesOf(before), way{})
	}
	return found{complete: true}
}

// guesses are schedules with less faults than the best one has, the fewest
// first: none, one of each sort that did something, two of them.
func (s *shrinker) guesses(best found) iter.Seq[*fault.Schedule] {
	left := tallyOf(scheduleOf(best.before, best.entries)).faults
	bare := lengthened(s.before, s.recipe.opt)
	bare.Faults = nil
	return func(yield func(*fault.Schedule) bool) {
		n := uint64(0)
		draw := func(times int, faults ...fault.Fault) bool {
			for i := range times {
				n++
				c := *bare
				c.Choices = []kernel.Choice{}
				c.Seed = kernel.NewStream(s.before.Seed, "guess").At(n)
				switch i % 4 {
				case 0:
					c.Faults = faults
				case 1:
					c.Faults = aimedAnew(faults)
				case 2:
					c.Faults = widened(faults, fault.Majority)
				default:
					c.Faults = widened(faults, fault.All)
				}
				if !yield(&c) {
					return false
				}
			}
			return true
		}
		if left < 1 || !draw(4) {
			return
		}
		first, last := s.suspects()
		for _, f := range first {
			if left > 1 && !draw(12, f) {
				return
			}
		}
		for i := range first {
			for j := range last {
				if left > 2 && first[i].ID != last[j].ID && !draw(6, first[i], last[j]) {
					return
				}
			}
		}
	}
}

// widened aims faults of groups at more of the group, whatever their role.
func widened(faults []fault.Fault, pick fault.Pick) []fault.Fault {
	out := aimedAnew(faults)
	for i := range out {
		if t := &out[i].Target; len(t.Nodes) == 0 && t.Group != "" {
			t.Pick, t.Role = pick, ""
		}
	}
	return out
}

// suspects returns the first and the last fault of each sort that did
// something. With few of them every pair can be tried.
func (s *shrinker) suspects() (first, last []fault.Fault) {
	sorts := map[string]int{}
	for _, f := range s.before.Faults {
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
