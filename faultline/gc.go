package faultline

import "runtime/debug"

// gcPercent is what a run is fastest with: it makes much garbage beside a small
// heap, and the default would collect all the time.
const gcPercent = 400

// relaxGC lets the garbage collector run less often, unless the process was
// told an even higher percentage or none, and returns what undoes it.
func relaxGC() (restore func()) {
	before := debug.SetGCPercent(gcPercent)
	if before < 0 || before > gcPercent {
		debug.SetGCPercent(before)
	}
	return func() { debug.SetGCPercent(before) }
}
