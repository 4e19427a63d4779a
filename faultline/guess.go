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

// guesses are schedules with less faults than the best one has, most likely
// first: none, one of those that are left, another one, two of those left.
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
		kept, others := s.suspects(best)
		if left < 1 || !draw(4) {
			return
		}
		for _, list := range [][]fault.Fault{kept, others} {
			for _, f := range list {
				if left > 1 && !draw(12, f) {
					return
				}
			}
		}
		for i := range kept {
			for j := range i {
				if left > 2 && !draw(8, kept[j], kept[i]) {
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

// suspects returns the faults that are left in the best schedule, as they were
// recorded, and one of each other sort that did something.
func (s *shrinker) suspects(best found) (kept, others []fault.Fault) {
	in := map[string]bool{}
	for _, e := range best.entries {
		if e.fault != nil {
			in[e.fault.ID] = true
		}
	}
	sorts := map[string]bool{}
	sort := func(f fault.Fault) string { return fmt.Sprint(f.Kind, f.Profile, f.Target, f.Peers) }
	for _, f := range s.before.Faults {
		if in[f.ID] {
			kept = append(kept, f)
			sorts[sort(f)] = true
		}
	}
	for _, f := range s.before.Faults {
		if f.Outcome == fault.Fired && !sorts[sort(f)] {
			others = append(others, f)
			sorts[sort(f)] = true
		}
	}
	return kept, others
}

// mayGoOn reports whether the budget allows another run on the current way.
func (s *shrinker) mayGoOn() bool {
	return time.Since(s.began)+s.longest < s.share && s.budget() > s.longest
}
