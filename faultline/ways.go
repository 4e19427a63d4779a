package faultline

import (
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// way is one order in which a schedule is taken apart. Each way ends where no
// single step leads on, and they end at different places.
type way struct {
	free   bool // faults go first, while clients do as they like
	late   bool // the last of a schedule go last, not first
	jitter bool // the jitter stays
	guess  bool // with fewer faults than the best one so far has, and other draws
	deep   bool // with many guesses, for all the time that is left
}

// ways are tried in this order, as long as the budget lasts.
func ways() []way {
	return []way{{free: true}, {guess: true}, {}, {jitter: true}, {late: true, jitter: true}, {late: true}, {guess: true, deep: true}}
}

// found is the end of a way.
type found struct {
	entries  []entry
	before   *fault.Schedule // what they are entries of
	failure  *kernel.Failure // of the run of before
	complete bool
	flaky    bool
}

func (f found) left() tally { return tallyOf(scheduleOf(f.before, f.entries)) }

// cost weighs what is left of a schedule. A fault, and then a fate, is what has
// to be understood; operations are mostly the load that it takes.
func (f found) cost() int {
	n := f.left()
	return 24*n.faults + 4*n.choices + n.operations
}

// tiny reports whether so little is left that no other way is tried, once it has been
// guessed that it takes less.
func (f found) tiny() bool {
	n := f.left()
	return 4*n.faults+2*n.choices+n.operations < 8
}

// search goes several ways and returns the smallest end.
func (s *shrinker) search() found {
	best := found{entries: entriesOf(s.before), before: s.before, failure: s.failure, complete: true}
	whole, cut, guessed := best.cost(), false, false
	if small := s.earlier; small != nil && s.test(small) == shrink.Same {
		best, guessed = s.endOf(small), true
	}
	all := ways()
	small := func() bool {
		return best.tiny() && best.cost() < whole && (guessed || best.cost() == 0)
	}
	for i := 0; i < len(all) && !small() && !s.hung; i++ {
		f := s.follow(all[i], best)
		cut, guessed = cut || !f.complete, guessed || all[i].guess
		switch {
		case f.flaky:
			best.flaky = true
			return best
		case f.entries != nil && f.cost() < best.cost():
			if best = f; all[i].guess {
				i-- // from there it is guessed again
			}
		case f.entries != nil && f.cost() == best.cost() && f.complete && !best.complete:
			best = f // what is left is as weak as it can be
		}
	}
	best.complete = !cut
	if small := s.kept; small != nil && s.endOf(small).cost() < best.cost() && s.test(small) == shrink.Same {
		best = s.endOf(small)
		best.complete = !cut // it is what there is, not the end of this search
	}
	return best
}

// endOf is a schedule that was found small before, as the end of a way.
func (s *shrinker) endOf(small *fault.Schedule) found {
	return found{entries: entriesOf(small), before: small, failure: s.failure, complete: true}
}

// follow goes one way, for a share of the budget that is left. As long as the
// best end was cut short, no other order will come further: it is gone on with.
func (s *shrinker) follow(w way, best found) found {
	left := s.budget()
	switch {
	case w.deep:
		s.reserve = 0
	case w.free, w.guess:
		s.reserve = left - left/3
	default:
		s.reserve = left / 2
	}
	switch {
	case w.guess:
		return s.guess(best, w.deep)
	case !best.complete:
		return s.minimize(best.before, best.failure, best.entries, way{})
	case w.free:
		return s.freed(w)
	}
	return s.minimize(s.before, s.failure, entriesOf(s.before), w)
}

// freed takes faults away while clients do as they like, and then what they did.
func (s *shrinker) freed(w way) found {
	if tallyOf(s.before).operations == 0 {
		return found{complete: true}
	}
	entries := freely(s.before)
	if inRun(s.failure) { // it may come later with fewer faults
		entries = shortened(entries, 2*justAfter(s.failure))
	}
	if s.test(scheduleOf(s.before, entries)) != shrink.Same {
		return found{complete: true} // it takes what the clients did
	}
	f := s.minimize(s.before, s.failure, entries, w)
	if f.flaky || s.hung {
		return found{flaky: f.flaky}
	}
	// What clients have done in that run is listed anew, and shrunk.
	run := s.execute(scheduleOf(s.before, f.entries), kernel.LevelFull)
	if run.world == nil || run.failure == nil || !s.same(run.failure) {
		return found{flaky: true}
	}
	before := run.world.schedule()
	return s.minimize(before, run.failure, entriesOf(before), way{})
}

// freely returns the entries of a schedule but for its operations.
func freely(s *fault.Schedule) []entry {
	return slices.DeleteFunc(entriesOf(s), func(e entry) bool {
		if e.shape != nil {
			e.shape.load = loadFree
		}
		return e.choice != nil && strings.HasPrefix(e.choice.Point, workPrefix)
	})
}

// shortened gives entries a fault phase of at most that length.
func shortened(entries []entry, length time.Duration) []entry {
	for _, e := range entries {
		if e.shape != nil {
			e.shape.resize(min(e.shape.faultsEnd(), length))
		}
	}
	return entries
}

// minimize searches in one order.
func (s *shrinker) minimize(before *fault.Schedule, failure *kernel.Failure, entries []entry, w way) found {
	if w.late {
		slices.Reverse(entries)
	}
	p := shrink.Problem[entry]{
		Items: entries, Key: func(e entry) string { return keyUnder(before.Seed, e) },
		Test:   func(entries []entry) shrink.Verdict { return s.test(scheduleOf(before, entries)) },
		Groups: []func(entry) string{entry.kind, entry.owner},
		Fixed:  func(e entry) bool { return e.shape != nil },
		Weaker: func(e entry) []entry {
			if e.shape != nil && w.free {
				return nil
			}
			out := e.weaker(failure)
			if w.jitter {
				out = slices.DeleteFunc(out, func(v entry) bool { return v.shape != nil && v.shape.calm && !e.shape.calm })
			}
			return out
		},
		Join: func(a, b entry) []entry {
			return slices.DeleteFunc(a.join(b, s.everyone), func(e entry) bool { return !s.stands(e.fault.Kind, len(e.fault.Nodes)) })
		},
		Follow:   follow,
		Continue: func() bool { return !s.hung && s.mayGoOn() },
	}
	if s.memory != nil {
		p.Memory, p.Learn = s.memory.verdicts, s.memory.learn
		p.Progress = func(entries []entry, _ int) {
			s.report(found{entries: entries, before: before})
		}
	}
	if s.crew != nil {
		p.Width = s.crew.width
		p.TestAll = func(lists [][]entry) []shrink.Verdict {
			schedules := make([]*fault.Schedule, len(lists))
			for i, l := range lists {
				schedules[i] = scheduleOf(before, l)
			}
			return s.testAll(schedules)
		}
	}
	r := shrink.Minimize(p)
	return found{entries: r.Items, before: before, failure: failure, complete: r.Complete, flaky: r.Flaky}
}

// keyUnder tells entries of schedules apart by what they do there. Ways share what
// they have learnt, and after a guess a schedule has another seed: the same entries
// lead to another run.
func keyUnder(seed uint64, e entry) string {
	if e.shape != nil { // one of each list
		return seedText(seed) + " " + e.key()
	}
	return e.key()
}

// report says how far the search is, when it has come further than ever.
func (s *shrinker) report(f found) {
	if c := f.cost(); s.least == 0 || c < s.least {
		s.least = c
		s.memory.say(gain(tallyOf(s.before), tallyOf(scheduleOf(f.before, f.entries)), time.Since(s.start), s.runs))
	}
}
