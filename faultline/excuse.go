package faultline

import (
	"fmt"
	"iter"
	"strings"

	"github.com/hmdsefi/faultline/history"
)

// ExcusingCheck is a [HistoryCheck] that does not hold everything against the
// system: what a fault of the device explains, or what its limits left
// undecided. The checkers of the module check are some. The summary of a sweep
// says how often a check did so, that nothing passes in silence.
type ExcusingCheck interface {
	HistoryCheck
	// CheckExcusing is Check, and calls excused with the reason for each result
	// that is not held against the system.
	CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error
}

// excuse counts what a check has let pass.
type excuse struct {
	check string
	times int
	runs  int
	first string // reason
}

// judged runs a check of the history, and counts what it excuses.
func (w *World) judged(name string, by HistoryCheck) error {
	x, ok := by.(ExcusingCheck)
	if !ok {
		return by.Check(w.history.All())
	}
	return x.CheckExcusing(w.history.All(), func(reason string) {
		w.excused = addExcuse(w.excused, excuse{name, 1, 0, reason})
	})
}

// addExcuse adds to the count of a check.
func addExcuse(list []excuse, e excuse) []excuse {
	for i := range list {
		if x := &list[i]; x.check == e.check {
			x.times, x.runs = x.times+e.times, x.runs+e.runs
			return list
		}
	}
	return append(list, e)
}

// String is like `"no loss" 3 times in 2 runs, such as: the sync lied`.
func (e excuse) String() string {
	reason, _, _ := strings.Cut(e.first, "\n")
	return fmt.Sprintf("%q %s in %s, such as: %s", e.check, plural(e.times, "time"), plural(e.runs, "run"), reason)
}
