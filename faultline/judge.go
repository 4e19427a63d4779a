package faultline

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
)

// HistoryCheck judges what the clients did and saw. The checkers of the module
// check, such as linear.Map(…), are some.
//
// The error says what is wrong. If it, or one that it wraps, has a method
// Artifacts() map[string][]byte, the files that this returns are put into the
// artifact directory; the keys are their names.
type HistoryCheck interface {
	// Check returns nil if the history is as it must be. The operations come in
	// the order of invocation, and must not be changed.
	Check(ops iter.Seq[*history.Operation]) error
}

// Judge adds a check of the history at the end of a run that has not failed
// before. What an [ExcusingCheck] lets pass is counted in the summary.
func (w *World) Judge(name string, by HistoryCheck) {
	if by == nil {
		w.sim.Misuse(fmt.Errorf("faultline: Judge(%q) is given no check", name))
		return
	}
	w.Final(name, func() error { return w.judged(name, by) })
}

// extra returns the files that the final check that failed has to show.
func (w *World) extra() map[string][]byte {
	var shows interface{ Artifacts() map[string][]byte }
	if !errors.As(w.verdict, &shows) {
		return nil
	}
	return shows.Artifacts()
}

// writeExtra adds the files of the check that failed in a run; their names end
// in suffix before the extension.
func writeExtra(w *artifact.Writer, x *execution, suffix string) {
	if x.world == nil {
		return
	}
	files := x.world.extra()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w.File(suffixed(name, suffix), files[name])
	}
}
