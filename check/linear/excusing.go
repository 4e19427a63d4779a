package linear

import (
	"fmt"
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// CheckExcusing is [Checker.Check], and calls excused with the reason for each
// operation whose result is excused, and for a search that the limits ended and
// AllowUnknown lets pass.
func (c Checker) CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error {
	report := c.Report
	c.Report = func(r *Result) {
		for _, e := range r.Excused {
			excused(e.Reason)
		}
		if r.Verdict == Unknown && c.AllowUnknown {
			excused(fmt.Sprintf("undecided after %s", plural(r.Steps, "step")))
		}
		if report != nil {
			report(r)
		}
	}
	return c.Check(ops)
}
