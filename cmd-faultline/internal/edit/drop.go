package edit

import "github.com/hmdsefi/faultline/fault"

// Drop returns the schedule without the named entries.
func Drop(s *fault.Schedule, which Entries) (*fault.Schedule, error) {
	return filter(s, which, false)
}

// Keep returns the schedule with no faults but the named ones, if any are
// named, and no choices but the named ones, if any are named.
func Keep(s *fault.Schedule, which Entries) (*fault.Schedule, error) {
	return filter(s, which, true)
}

func filter(s *fault.Schedule, which Entries, keep bool) (*fault.Schedule, error) {
	out := *s
	if len(which.Faults) > 0 {
		picked, err := pickFaults(s, which.Faults)
		if err != nil {
			return nil, err
		}
		out.Faults = rest(s.Faults, picked, keep)
	}
	if len(which.Choices) > 0 {
		picked, err := pickChoices(s, which.Choices)
		if err != nil {
			return nil, err
		}
		out.Choices = rest(s.Choices, picked, keep)
	}
	return &out, nil
}

// rest returns the elements whose mark is keep.
func rest[T any](list []T, marks []bool, keep bool) []T {
	out := make([]T, 0, len(list))
	for i, v := range list {
		if marks[i] == keep {
			out = append(out, v)
		}
	}
	return out
}
