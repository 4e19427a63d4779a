package isolation

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// CheckExcusing is [Checker.Check], and calls excused with the reason for each
// transaction that is left out of account.
func (c Checker) CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error {
	report := c.Report
	c.Report = func(r *Result) {
		for _, e := range r.Excused {
			excused(e.Reason)
		}
		if report != nil {
			report(r)
		}
	}
	return c.Check(ops)
}
