package edit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/fault"
)

// Entries names entries of a schedule.
type Entries struct {
	Faults  []string // ids, kinds or places; '*' is any text
	Choices []string // points; '*' is any text
}

// maxNamed is how many faults an error lists.
const maxNamed = 10

// pickFaults marks the faults that the names mean. A name that means none is
// an error.
func pickFaults(s *fault.Schedule, names []string) ([]bool, error) {
	picked := make([]bool, len(s.Faults))
	for _, name := range names {
		found := false
		place, err := strconv.Atoi(name)
		for i := range s.Faults {
			f := &s.Faults[i]
			if err == nil && place == i+1 || f.ID != "" && query.Wild(name, f.ID) || query.Wild(name, string(f.Kind)) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no fault is %q; %s", name, known(s))
		}
	}
	return picked, nil
}

func known(s *fault.Schedule) string {
	if len(s.Faults) == 0 {
		return "the schedule has none"
	}
	var names []string
	for i := range s.Faults {
		if len(names) == maxNamed {
			names = append(names, fmt.Sprintf("and %d more", len(s.Faults)-maxNamed))
			break
		}
		names = append(names, Name(&s.Faults[i]))
	}
	return "there are " + strings.Join(names, ", ")
}

// Name is what a fault is called in messages: its id, or its kind.
func Name(f *fault.Fault) string {
	if f.ID != "" {
		return artifact.Visible(f.ID)
	}
	return string(f.Kind)
}

// pickChoices marks the choices that the points mean.
func pickChoices(s *fault.Schedule, points []string) ([]bool, error) {
	picked := make([]bool, len(s.Choices))
	for _, point := range points {
		found := false
		for i := range s.Choices {
			if query.Wild(point, s.Choices[i].Point) {
				picked[i], found = true, true
			}
		}
		if !found {
			return nil, fmt.Errorf("no choice was made at %q; 'faultline schedule list --choices' shows the points", point)
		}
	}
	return picked, nil
}
