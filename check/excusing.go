package check

import (
	"iter"

	"github.com/hmdsefi/faultline/history"
)

// CheckExcusing is [Durability.Check], and calls excused with the reason for each lost
// item that is excused, beside Report.
func (c Durability) CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error {
	c.Report = also(c.Report, excused)
	return c.Check(ops)
}

// CheckExcusing is [Queue.Check], and calls excused with the reason for each
// element that is excused, beside Report.
func (c Queue) CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error {
	c.Report = also(c.Report, excused)
	return c.Check(ops)
}

// CheckExcusing is [Set.Check], and calls excused with the reason for each
// element that is excused, beside Report.
func (c Set) CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error {
	c.Report = also(c.Report, excused)
	return c.Check(ops)
}

// also tells two what is excused.
func also(report func(any, string), excused func(string)) func(any, string) {
	return func(what any, reason string) {
		excused(reason)
		if report != nil {
			report(what, reason)
		}
	}
}
