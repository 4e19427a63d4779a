package faultline

import (
	"errors"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/shrink"
)

// The same entries lead to another run under another seed: what was learnt of the one
// says nothing about the other.
func TestMemoryTellsSeedsApart(t *testing.T) {
	setup := func(w *World) {
		w.Final("luck", func() error {
			if w.Seed() == 8 {
				return errors.New("bad luck")
			}
			return nil
		})
	}
	opt, err := Options{Duration: time.Second}.complete(true)
	if err != nil {
		t.Fatal(err)
	}
	failure := &kernel.Failure{Kind: KindFinal, Check: "luck", Message: "bad luck"}
	s := &shrinker{recipe: recipe{opt: opt, setup: setup}, prepare: func(uint64) {}, failure: failure, headStart: headStart{memory: newMemory(signature(failure))},
		budget: func() time.Duration { return time.Hour }}
	s.known, s.seen = map[string]shrink.Verdict{}, map[string]bool{}
	for seed := range uint64(2) {
		seed, flaky := 7+seed, seed == 0 // the first does not fail
		before := &fault.Schedule{Seed: seed, Duration: time.Second, Quiet: 750 * time.Millisecond, Choices: []kernel.Choice{}}
		s.before = before
		if f := s.minimize(before, failure, entriesOf(before), way{}); f.flaky != flaky {
			t.Errorf("seed %d: flaky is %v, want %v", seed, f.flaky, flaky)
		}
	}
}
