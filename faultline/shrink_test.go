package faultline

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// A search that the deadline of the test ends keeps what it has found.
func TestDeadlineEndsShrinking(t *testing.T) {
	boots := 0
	r := recipe{seed: 1, setup: func(w *World) {
		boots = 0
		w.Server("n1", func(*Node) kernel.Handler { boots++; return kernel.Idle{} })
		w.Final("never restarted", func() error {
			time.Sleep(20 * time.Millisecond)
			if boots > 1 {
				return errors.New("it was restarted")
			}
			return nil
		})
	}}
	var err error
	if r.opt, err = (Options{Duration: 10 * time.Second, Unrestricted: true}).complete(true); err != nil {
		t.Fatal(err)
	}
	before := &fault.Schedule{Seed: 1, Duration: 10 * time.Second, Quiet: 8 * time.Second, Choices: []kernel.Choice{}}
	for i := range 30 {
		before.Faults = append(before.Faults, fault.Fault{ID: fmt.Sprint("kill#", i), Kind: fault.Kill, At: time.Duration(i+1) * 200 * time.Millisecond,
			For: 10 * time.Millisecond, Nodes: []string{"n1"}, Outcome: fault.Fired})
	}
	s := &shrinker{recipe: r, before: before, prepare: func(uint64) {}, end: time.Now().Add(500 * time.Millisecond),
		failure: &kernel.Failure{Kind: KindFinal, Check: "never restarted", Message: "it was restarted"}}
	s.budget = func() time.Duration {
		if !s.inTime() {
			return 0
		}
		return time.Minute
	}
	small, note := s.shrink()
	if small == nil || s.hung {
		t.Fatalf("nothing is left of the search: hung is %v, note %q", s.hung, note)
	}
	if small.complete {
		t.Error("the search claims to have come to its end")
	}
}
