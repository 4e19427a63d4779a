package faultline

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
)

// The summary says what became of the faults and the operations, and is loud
// when they show nothing.
func TestSummaryAccounts(t *testing.T) {
	s := summary{runs: 2, ops: history.Counts{OK: 60, Fail: 10, Unknown: 30},
		tally: []fault.Tally{{Kind: fault.Kill, Planned: 5, Fired: 3, Inert: 1, Skipped: 1}, {Kind: fault.Loss, Planned: 2, Inert: 2}}}
	text := s.text()
	for _, want := range []string{"60 ok (60%), 10 failed (10%), 30 unknown (30%), 0 pending", "kill 3/5-1 loss 0/2-2 (changed something / planned - inert)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, "WARNING") {
		t.Errorf("%q is loud for nothing", text)
	}
	s.ops, s.tally = history.Counts{Unknown: 3}, s.tally[1:]
	for _, want := range []string{"WARNING: no operation succeeded", "WARNING: every fault was inert"} {
		if !strings.Contains(s.text(), want) {
			t.Errorf("%q lacks %q", s.text(), want)
		}
	}
}
