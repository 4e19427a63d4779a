package faultline

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// delays are how far the faults of a pin are moved when nothing tells whether the code
// has moved.
var delays = []time.Duration{5 * time.Millisecond, 10 * time.Millisecond, 20 * time.Millisecond,
	50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}

const fewNeighbours = 4 // of those that are tried when the code has moved

// around are a few cheap schedules near a pin: its faults a little later and earlier,
// and the first of its neighbours. The times of a script belong to the test and stay.
func around(pin *fault.Schedule, opt Options, scripted bool) nearby {
	return func(yield func(*fault.Schedule, string) bool) {
		for _, by := range delays {
			later, earlier := delayed(pin, opt, by), delayed(pin, opt, -by)
			if later != nil && !scripted && !yield(later, fmt.Sprintf("with its faults %v later", by)) {
				return
			}
			if earlier != nil && !scripted && !yield(earlier, fmt.Sprintf("with its faults %v earlier", by)) {
				return
			}
		}
		n := 0
		for s, how := range neighbours(pin, opt) {
			if n++; n > fewNeighbours || !yield(s, how) {
				return
			}
		}
	}
}

// delayed moves all faults of a schedule, and its end too if the run gets no longer
// than the options say. It is nil if there are no faults, or no room for them.
func delayed(pin *fault.Schedule, opt Options, by time.Duration) *fault.Schedule {
	if len(pin.Faults) == 0 {
		return nil
	}
	s := *pin
	s.Faults, s.Expect, s.Shrunk = nil, nil, false
	if by > 0 && s.Duration > 0 && s.Duration+by <= opt.Duration {
		s.Duration += by
		if s.Quiet > 0 {
			s.Quiet += by
		}
	}
	for _, f := range pin.Faults {
		f.At += by
		s.Faults = append(s.Faults, f)
	}
	if s.Validate() != nil {
		return nil
	}
	return &s
}
