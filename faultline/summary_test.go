package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
)

// The summary says what became of the faults and the operations, and is loud
// when they show nothing.
func TestSummaryAccounts(t *testing.T) {
	s := summary{runs: 20, ops: history.Counts{OK: 60, Fail: 10, Unknown: 30},
		tally: faultTally{kinds: []fault.Tally{{Kind: fault.Kill, Planned: 9, Fired: 3, Inert: 1, Skipped: 2, NoTarget: 2, Pending: 1}, {Kind: fault.Loss, Planned: 2, Inert: 2}},
			rules: []ruleTally{{"kill", 9, 3}, {"loss", 1, 0}, {"flap", 0, 0}, {"loss-among", 2, 0}}}}
	text := s.text()
	for _, want := range []string{"60 ok (60%), 10 failed (10%), 30 unknown (30%), 0 pending", "faults: kill 3/1/5 loss 0/2/0 (changed something / changed nothing / did not begin)\n",
		"\n\tin none of 20 seeds did these rules change anything: loss (1 fault), loss-among (2 faults)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "WARNING") {
		t.Errorf("%q is loud for nothing", text)
	}
	s.ops, s.tally.kinds, s.runs = history.Counts{Unknown: 3}, s.tally.kinds[1:], 1
	for _, want := range []string{"WARNING: no operation succeeded", "WARNING: every fault was inert"} {
		if !strings.Contains(s.text(), want) {
			t.Errorf("%q lacks %q", s.text(), want)
		}
	}
}

// The tally of a run adds up to the faults that were planned, also by rule.
func TestTallyAddsUp(t *testing.T) {
	var s faultTally
	for seed := range uint64(3) {
		out, err := Once(Options{Duration: 8 * time.Second}, seed, func(w *World) { cluster(w, nil) })
		if err != nil {
			t.Fatal(err)
		}
		s.add(out.World)
	}
	planned, ofRules, fired, ofRulesFired := 0, 0, 0, 0
	for _, k := range s.kinds {
		if k.Planned != k.Fired+k.Inert+k.NoTarget+k.Skipped+k.Pending {
			t.Errorf("%+v does not add up", k)
		}
		planned, fired = planned+k.Planned, fired+k.Fired
	}
	for _, r := range s.rules {
		ofRules, ofRulesFired = ofRules+r.planned, ofRulesFired+r.fired
	}
	if planned == 0 || fired == 0 || planned != ofRules || fired != ofRulesFired || len(s.rules) != len(fault.Default()) {
		t.Errorf("%d of %d faults by kind, %d of %d by %d rules", fired, planned, ofRulesFired, ofRules, len(s.rules))
	}
}
