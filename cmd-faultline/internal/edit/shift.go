package edit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// Shift returns the schedule with the named faults moved in time, earlier if
// by is negative, and all faults in the order of their times. A fault that
// would come before the start, in the quiet phase or after the end of the run
// is an error that says how far it can go.
func Shift(s *fault.Schedule, names []string, by time.Duration) (*fault.Schedule, error) {
	picked, err := pickFaults(s, names)
	if err != nil {
		return nil, err
	}
	out := *s
	out.Faults = slices.Clone(s.Faults)
	for i := range out.Faults {
		if !picked[i] {
			continue
		}
		f := &out.Faults[i]
		switch last := lastMoment(s); {
		case by < 0 && f.At+by < 0:
			return nil, fmt.Errorf("%s is at %v and cannot move by %v: it would be before the start; use -%v or less", Name(f), f.At, by, f.At)
		case by > 0 && f.At > last-by:
			return nil, fmt.Errorf("%s is at %v and cannot move by %v: the last moment for a fault is %v; use %v or less", Name(f), f.At, by, last, max(last-f.At, 0))
		}
		f.At += by
	}
	slices.SortStableFunc(out.Faults, func(a, b fault.Fault) int { return cmp.Compare(a.At, b.At) })
	return &out, nil
}

// lastMoment is the latest time that a fault can have.
func lastMoment(s *fault.Schedule) time.Duration {
	last := time.Duration(math.MaxInt64)
	if s.Duration > 0 {
		last = s.Duration
	}
	if s.Quiet > 0 {
		last = min(last, s.Quiet-1)
	}
	return last
}
