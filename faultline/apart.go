package faultline

import (
	"errors"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

var errNoSchedule = errors.New("faultline: the schedule is nil; an Outcome has one if Record made the run and its last event has ended")

// Record is [Once] that keeps the schedule of the run, in Outcome.Schedule.
func Record(opt Options, seed uint64, setup func(w *World)) (Outcome, error) {
	return apart(opt, recipe{setup: setup, seed: seed, level: kernel.LevelFull})
}

// Replay is [Record] for a schedule and its seed. A nil schedule is an error.
func Replay(opt Options, s *fault.Schedule, setup func(w *World)) (Outcome, error) {
	if s == nil {
		return Outcome{}, errNoSchedule
	}
	return apart(opt, recipe{setup: setup, seed: s.Seed, level: kernel.LevelFull, replay: s})
}

func apart(opt Options, r recipe) (Outcome, error) {
	opt, err := opt.complete(false)
	if err != nil {
		return Outcome{}, err
	}
	defer relaxGC()()
	r.opt = opt
	x := r.execute(time.Time{})
	out := Outcome{World: x.world, Failure: x.failure, Result: x.result, recipe: r}
	if x.world != nil {
		out.Schedule = x.world.schedule()
		out.Schedule.Expect = expectation(x, x.failure)
	}
	return out, x.setup
}

// Signature returns what repeats of a failure have in common: its kind, its
// check, and the place of a panic or the message without its values.
func Signature(f *kernel.Failure) string { return signature(f) }

// Small is a schedule that was made small.
type Small struct {
	Schedule *fault.Schedule // what is left; nil when Note says why there is nothing
	Note     string          // why there is nothing
	Runs     int             // that it took
	Took     time.Duration   // of real time
	Complete bool            // the budget was enough
	Text     string          // what was gained and what is left, for people
}

// Shrink makes the schedule of a failing run small, within opt.ShrinkBudget, as
// [Run] does. Nothing is written. crypto/rand is seeded for the runs unless
// opt says otherwise. The error is a wrong option or setup, or a nil schedule.
func Shrink(t *testing.T, opt Options, s *fault.Schedule, setup func(w *World)) (Small, error) {
	t.Helper()
	opt, err := opt.complete(false)
	if err != nil {
		return Small{}, err
	}
	if s == nil {
		return Small{}, errNoSchedule
	}
	defer relaxGC()()
	prepare := func(seed uint64) {
		if !opt.NoCryptoSeed {
			cryptotest.SetGlobalRandom(t, seed)
		}
	}
	r := recipe{opt: opt, setup: setup, seed: s.Seed, level: kernel.LevelFull, replay: s}
	prepare(s.Seed)
	x := r.execute(time.Time{})
	if x.setup != nil {
		return Small{}, x.setup
	}
	if x.failure == nil || !shrinkable(x, x.failure) {
		return Small{Note: "the run does not fail, or not because of its schedule"}, nil
	}
	began := time.Now()
	sh := &shrinker{recipe: r, prepare: prepare, before: x.world.schedule(), failure: x.failure, rules: x.world.rules,
		budget: func() time.Duration { return opt.ShrinkBudget - time.Since(began) }}
	small, note := sh.shrink()
	if small == nil {
		return Small{Note: note, Runs: sh.runs, Took: time.Since(began)}, nil
	}
	small.after.Expect = expectation(small.run, small.run.failure)
	return Small{Schedule: small.after, Runs: small.runs, Took: small.took, Complete: small.complete, Text: small.text()}, nil
}
