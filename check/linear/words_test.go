package linear_test

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// What is said of the operations before the one that does not fit agrees with
// how many there are.
func TestResultCountsInWords(t *testing.T) {
	for prefix, want := range []string{
		"no operation had returned before it",
		"the operation that had returned before is right by itself; with this one, no order fits",
		"the 2 operations that had returned before can be put in an order; with this one, none fits",
	} {
		r := linear.Result{Verdict: linear.Violated, Op: &history.Operation{}, Prefix: prefix}
		if got := r.String(); !strings.HasSuffix(got, "\n"+want) {
			t.Errorf("of %d operations: %s", prefix, got)
		}
	}
	r := linear.Result{Verdict: linear.OK, Operations: 1, Keys: 1, Model: "m"}
	if got := r.String(); got != "1 operation on 1 key is linearizable (m)" {
		t.Error(got)
	}
}
