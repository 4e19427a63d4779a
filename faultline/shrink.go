package faultline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// shrunk is a schedule made small, and the run that it leads to.
type shrunk struct {
	before, after *fault.Schedule
	run           *execution // a recording of the small schedule
	runs          int
	took          time.Duration
	complete      bool
	others        []string // other failures that were met on the way
	memory        *shrinkMemory
	why           *artifact.Why // may be nil
}

// shrinker makes the schedule of a failing run small, by running parts of it.
type shrinker struct {
	recipe  recipe               // without a schedule
	prepare func(seed uint64)    // called before each run
	budget  func() time.Duration // real time that is left
	end     time.Time            // when runs must be given up
	before  *fault.Schedule
	failure *kernel.Failure // what is to be kept
	rules   fault.Rules     // of the test
	crew    *crew           // that tests several candidates at once; nil if there is none
	headStart

	runs    int
	longest time.Duration // real time of a run
	reserve time.Duration // of the budget, for the ways to come
	start   time.Time     // when the search began
	least   int           // the smallest cost so far
	guessed uint64        // how many guesses were made
	hung    bool
	hangs   string                    // what hung
	known   map[string]shrink.Verdict // by the schedule that entries make
	others  []string
	seen    map[string]bool // signatures of others
}

// headStart is what is known from earlier searches; all of it may be nil.
type headStart struct {
	memory  *shrinkMemory
	earlier *fault.Schedule // was found small, and is gone on from
	kept    *fault.Schedule // was found small, and is kept if nothing smaller is found
}

// shrinkable reports whether a failure comes from a schedule that can be taken
// apart.
func shrinkable(x *execution, f *kernel.Failure) bool {
	switch f.Kind {
	case KindDeterminism, KindError, KindLimit, KindTimeout:
		return false
	}
	return x.world != nil && f.Check != checkSetup && tallyOf(x.world.schedule()).all() > 0
}

// shrinkFailure looks for the smallest part of a recorded schedule that still
// fails in the same way, within the budget. It returns nil when there is
// nothing to gain; a note says why if that is not as it should be.
func (c *campaign) shrinkFailure(t *testing.T, r recipe, x *execution, f *kernel.Failure, from headStart) (*shrunk, string) {
	t.Helper()
	budget := c.opt.ShrinkBudget
	if budget < 0 || c.dirty || !shrinkable(x, f) {
		return nil, ""
	}
	began := time.Now()
	s := &shrinker{recipe: r, end: c.end, before: x.world.schedule(), failure: f, rules: x.world.rules, headStart: from, crew: c.hire(t),
		prepare: func(seed uint64) { c.seedCrypto(t, seed) }}
	s.budget = func() time.Duration {
		if c.outOfTime() || !s.inTime() {
			return 0
		}
		return budget - time.Since(began)
	}
	small, note := s.shrink()
	if small != nil {
		small.why = s.explain(small, budget/whyShare)
	}
	c.dirty = c.dirty || s.hung
	return small, note
}

// shrink searches, and records the run of what it has found.
func (s *shrinker) shrink() (*shrunk, string) {
	s.start = time.Now()
	s.recipe.level, s.recipe.measure, s.recipe.limit, s.recipe.content = kernel.LevelHash, false, 0, false
	s.known, s.seen = map[string]shrink.Verdict{}, map[string]bool{}
	result := s.search()
	if s.hung {
		return nil, s.hanging()
	}
	after := scheduleOf(result.before, result.entries)
	s.recipe.content = true
	after.Shrunk = true
	run := s.execute(after, kernel.LevelFull)
	s.recipe.content = false
	if result.flaky || run.failure == nil || run.world == nil || !s.same(run.failure) {
		return nil, s.flaky(after)
	}
	recorded, ok := s.recorded(after, run)
	switch {
	case s.hung:
		return nil, s.hanging()
	case !ok:
		return nil, s.flaky(after)
	}
	return &shrunk{before: s.before, after: recorded, run: run, runs: s.runs,
		took: time.Since(s.start), complete: result.complete, others: s.others, memory: s.memory}, ""
}

// hanging says that the search has ended because a run did not.
func (s *shrinker) hanging() string { return "given up: with other parts of the schedule " + s.hangs }

// recorded returns the schedule of a run: as the run has recorded it, if that replays
// it, which a person will do, otherwise as it was given. ok is false if neither leads
// to the same run again.
func (s *shrinker) recorded(given *fault.Schedule, run *execution) (replays *fault.Schedule, ok bool) {
	for _, schedule := range []*fault.Schedule{run.world.schedule(), given} {
		again := s.execute(schedule, kernel.LevelHash)
		if again.world != nil && again.failure != nil && s.same(again.failure) && again.result.Hash == run.result.Hash {
			return schedule, true
		}
	}
	return nil, false
}

// same reports whether a failure is the one to be kept.
func (s *shrinker) same(f *kernel.Failure) bool { return signature(f) == signature(s.failure) }

// test runs a schedule, unless it is known.
func (s *shrinker) test(schedule *fault.Schedule) shrink.Verdict {
	key := string(schedule.Encode())
	v, known := s.known[key]
	if !known {
		v = s.verdict(s.execute(schedule, kernel.LevelHash))
		s.known[key] = v
	}
	return v
}

func (s *shrinker) verdict(x *execution) shrink.Verdict {
	f := x.failure
	switch {
	case f == nil:
		return shrink.Gone
	case s.same(f):
		return shrink.Same
	case f.Kind == kernel.KindMisuse: // a schedule that the setup cannot follow
		return shrink.Gone
	}
	if id := signature(f); len(s.others) < 3 && !s.seen[id] {
		s.seen[id] = true
		s.others = append(s.others, inALine(f))
	}
	return shrink.Other
}

const mostFinding = 160 // bytes of the message of another failure

// inALine says what another failure was.
func inALine(f *kernel.Failure) string {
	line, _, _ := strings.Cut(f.Message, "\n")
	if len(line) > mostFinding {
		line = strings.ToValidUTF8(line[:mostFinding], "") + "…"
	}
	return headline(f) + ": " + line
}

// execute makes one run.
func (s *shrinker) execute(schedule *fault.Schedule, level kernel.Level) *execution {
	r := s.recipe
	r.replay, r.level, r.seed = schedule, level, schedule.Seed
	s.prepare(r.seed)
	began := time.Now()
	x := r.execute(s.end)
	s.runs++
	s.longest = max(s.longest, time.Since(began))
	if x.hung != "" && !s.hung {
		s.hung, s.hangs = true, x.hung
	}
	return x
}

// inTime reports whether the deadline of the test leaves room for another run, and
// for that of what was found.
func (s *shrinker) inTime() bool {
	return s.end.IsZero() || time.Now().Add(3*s.longest).Before(s.end)
}

// flaky names an oracle that gives two answers for one schedule.
func (s *shrinker) flaky(schedule *fault.Schedule) string {
	var ends [3]*execution
	for i := range ends {
		ends[i] = s.execute(schedule, kernel.LevelFull)
	}
	text := "given up: the same schedule has failed and then not, so what is left of it would mean nothing"
	for i := 1; i < len(ends); i++ {
		if ends[i].world == nil || ends[0].world == nil || ends[i].result.Hash != ends[0].result.Hash {
			return text + "; " + describeDifference(ends[0], ends[0], ends[i])
		}
	}
	how := "passes"
	if f := ends[0].failure; f != nil {
		how = "ends with " + headline(f)
	}
	return text + ": replayed three times more it " + how + "; state that outlives a run is the likely cause"
}

// text says what was gained, and what is left.
func (s *shrunk) text() string {
	var b strings.Builder
	b.WriteString("shrunk:   " + gain(tallyOf(s.before), tallyOf(s.after), s.took, s.runs))
	if !s.complete {
		b.WriteString(" (not searched to the end; a larger budget may find less)")
	}
	const most = 12
	left := describe(s.after, s.run.world.texts)
	for i, line := range left {
		if i == most {
			fmt.Fprintf(&b, "\n          … %d more in schedule.min.json", len(left)-most)
			break
		}
		b.WriteString("\n          " + line)
	}
	for _, o := range s.others {
		b.WriteString("\n          with other parts of the schedule: " + o)
	}
	return b.String() + "\n"
}
