package faultline

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

const (
	variants   = 4  // of how faults are aimed
	fewFaults  = 8  // of which each is tried in guesses, whatever its sort
	noneRounds = 16 // of guesses without faults
	sameRounds = 60 // of guesses with the faults that are left
	mostHalved = 10 // times that the length of a fault is halved in guesses
	deepRounds = 4  // times as many when nothing else is left to try
)

// guess looks for the failure where a person would: with fewer faults, and with
// everything else drawn anew; then with as many, in a run that is no longer.
// What fails in the same way is then taken apart. Step by step one does not get
// there, because the draws of the recorded run are in the way.
func (s *shrinker) guess(best found, deep bool) found {
	more := uint64(1)
	if deep {
		more = deepRounds
	}
	for _, guesses := range s.guesses(best, more) {
		f, ok := s.pick(guesses)
		if !ok || f.flaky {
			return f
		}
		if f.entries != nil {
			return s.minimize(f.before, f.failure, f.entries, way{})
		}
	}
	return found{complete: true}
}

const mostHits = 4 // guesses that fail, of which the smallest is taken apart

// pick tries guesses until one fails in the same way, and then as many again for
// one of which less is left: one may need ten operations and the next hundreds.
// ok is false when the time is over and none has failed.
func (s *shrinker) pick(guesses iter.Seq[*fault.Schedule]) (best found, ok bool) {
	tries, enough, hits := 0, 0, 0
	for schedule := range guesses {
		if s.hung || !s.mayGoOn() {
			return best, hits > 0
		}
		if tries++; hits == mostHits || hits > 0 && tries > enough {
			break
		}
		if s.try(schedule) != shrink.Same {
			continue
		}
		run := s.drawn(schedule, kernel.LevelFull)
		if run.world == nil || run.failure == nil || !s.same(run.failure) {
			return found{flaky: true}, true
		}
		before := run.world.schedule()
		f := found{entries: entriesOf(before), before: before, failure: run.failure}
		if hits++; hits == 1 {
			best, enough = f, 2*tries+8
		} else if f.cost() < best.cost() {
			best = f
		}
	}
	return best, true
}

// try says what becomes of a guess, from memory if it was made before.
func (s *shrinker) try(guess *fault.Schedule) shrink.Verdict {
	sum := sha256.Sum256(guess.Encode())
	key := "guess-" + hex.EncodeToString(sum[:])
	if s.memory != nil {
		if v, known := s.memory.verdicts[key]; known {
			return v
		}
	}
	v := s.verdict(s.drawn(guess, kernel.LevelHash))
	if s.memory != nil && !s.hung {
		s.memory.verdicts[key] = v
		s.memory.learn(key, v)
	}
	return v
}

// drawn makes a run of the faults of a schedule, with everything else drawn.
func (s *shrinker) drawn(schedule *fault.Schedule, level kernel.Level) *execution {
	s.recipe.draw = true
	x := s.execute(schedule, level)
	s.recipe.draw = false
	return x
}

// guesses are schedules with less faults than the best one has, the fewest
// first, and with the same; more is how many times the usual number of them.
func (s *shrinker) guesses(best found, more uint64) []iter.Seq[*fault.Schedule] {
	faults := s.strong(scheduleOf(best.before, best.entries).Faults)
	var out []iter.Seq[*fault.Schedule]
	for _, sets := range suspicions(faults) {
		out = append(out, s.drawings(sets, more*rounds(sets, len(faults)), s.bare(best, 2)))
	}
	if len(faults) == 1 {
		out = append(out, s.without(best, more))
	}
	if len(faults) <= fewFaults {
		out = append(out, s.drawings([][]fault.Fault{faults}, more*sameRounds, s.bare(best, 1)))
	}
	return out
}

// drawings gives each set of faults other draws, all sets in turn, so that each
// has its chance when time is short.
func (s *shrinker) drawings(sets [][]fault.Fault, rounds uint64, bare *fault.Schedule) iter.Seq[*fault.Schedule] {
	draws := kernel.NewStream(s.before.Seed, "guess")
	return func(yield func(*fault.Schedule) bool) {
		for round := range rounds {
			for _, faults := range sets {
				s.guessed++
				c := *bare
				c.Seed = draws.At(s.guessed)
				c.Faults = s.otherwise(faults, round, c.Seed, shapeOf(bare).faultsEnd())
				if !yield(&c) {
					return
				}
			}
		}
	}
}

// without are longer runs without faults: what needs none may need time.
func (s *shrinker) without(best found, more uint64) iter.Seq[*fault.Schedule] {
	draws := kernel.NewStream(s.before.Seed, "guess-without")
	bare := s.bare(best, 4)
	return func(yield func(*fault.Schedule) bool) {
		for n := range more * noneRounds {
			c := *bare
			if c.Seed = draws.At(n); !yield(&c) {
				return
			}
		}
	}
}

// strong returns faults with the strength that they have in the whole schedule.
func (s *shrinker) strong(faults []fault.Fault) []fault.Fault {
	out := slices.Clone(faults)
	for i := range out {
		f := &out[i]
		if n := slices.IndexFunc(s.before.Faults, func(b fault.Fault) bool { return b.ID == f.ID }); n >= 0 {
			whole := s.before.Faults[n]
			f.For, f.Rate, f.Amount = whole.For, whole.Rate, whole.Amount
		}
	}
	return out
}

// rounds is how often sets are tried: the fewer there are the more often, and
// less often as long as many faults are left, since runs take long then.
func rounds(sets [][]fault.Fault, left int) uint64 {
	if len(sets) == 0 {
		return 0
	}
	if len(sets[0]) == 0 { // no faults
		return noneRounds
	}
	tries := 240
	if left > fewFaults {
		tries = 48
	}
	return uint64(max(8, tries/len(sets)))
}

// suspicions are sets of faults that may be enough, all of them smaller than the
// whole: none, one, two, all but one. Of many faults it is one or two of each
// sort.
func suspicions(whole []fault.Fault) (out [4][][]fault.Fault) {
	n := len(whole)
	if n > 0 {
		out[0] = [][]fault.Fault{nil}
	}
	first, last := sortsOf(whole)
	if n <= fewFaults {
		first, last = whole, whole
	}
	for _, f := range first {
		if n > 1 {
			out[1] = append(out[1], []fault.Fault{f})
		}
		for j := range last {
			if n > 2 && f.ID != last[j].ID && (n > fewFaults || f.At <= last[j].At) {
				out[2] = append(out[2], []fault.Fault{f, last[j]})
			}
		}
	}
	for i := range whole {
		if n > 3 && n <= fewFaults {
			out[3] = append(out[3], slices.Delete(slices.Clone(whole), i, i+1))
		}
	}
	return out
}

// bare is a schedule that says nothing but how long the run is: so many times as
// long as it takes the best one to fail, at most as long as the whole one, so that
// guesses cost little.
func (s *shrinker) bare(best found, times time.Duration) *fault.Schedule {
	h := shapeOf(scheduleOf(best.before, best.entries))
	length := h.faultsEnd()
	if inRun(best.failure) {
		length = min(length, justAfter(best.failure))
	}
	h.resize(min(times*length, shapeOf(s.before).faultsEnd()))
	c := *s.before
	c.Quiet, c.Duration, c.Faults, c.Choices, c.Expect = h.quiet, h.duration, nil, []kernel.Choice{}, nil
	return &c
}

// otherwise returns faults as they were, aimed anew, or at more nodes, and after
// the first rounds at other moments before end, some shorter, and in the variants
// that the test's rules have, which key draws.
func (s *shrinker) otherwise(faults []fault.Fault, round, key uint64, end time.Duration) []fault.Fault {
	var out []fault.Fault
	switch round % variants {
	case 0:
		out = slices.Clone(faults)
	case 1:
		out = aimedAnew(faults)
	case 2:
		out = s.widened(faults, fault.Majority)
	default:
		out = s.widened(faults, fault.All)
	}
	if round < variants {
		return out
	}
	for i := range out {
		out[i] = s.shifted(out[i], kernel.NewStream(key, out[i].ID), round/variants%2 == 1, end)
	}
	slices.SortStableFunc(out, func(a, b fault.Fault) int { return cmp.Compare(a.At, b.At) })
	return out
}

// shifted moves a fault to another moment, rather an early one: a system does most
// things for the first time then. In odd turns it is shorter too, and one that waits
// for something waits for fewer of them, where otherwise it waits no more.
func (s *shrinker) shifted(f fault.Fault, draws kernel.Stream, odd bool, end time.Duration) fault.Fault {
	f.At = time.Duration(draws.Between(0, 0, draws.Between(1, 0, int64(end)-1)))
	known := s.profiles(f.Kind)
	if n := draws.Between(2, 0, 2*int64(len(known))-1); n < int64(len(known)) { // every other time
		f.Profile = known[n]
	}
	if odd && f.For > time.Millisecond {
		// Every other time it is over at once.
		f.For = max((f.For >> draws.Between(3, 0, 2*mostHalved)).Truncate(time.Millisecond), time.Millisecond)
	}
	switch {
	case odd && f.When.Nth > 0:
		f.When.Nth = int(draws.Between(4, 1, int64(f.When.Nth)))
		f.At = 0
	default:
		f.When = fault.Trigger{}
		if f.Target.Pick == fault.Self {
			f.Target.Pick = fault.One // it waits for nothing any more
		}
	}
	return f
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
func sortsOf(faults []fault.Fault) (first, last []fault.Fault) {
	sorts := map[string]int{}
	for _, f := range faults {
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
	return s.budget()-s.longest > s.reserve
}
