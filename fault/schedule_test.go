package fault

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// Operations of clients are counted apart, and what the run shares is not.
func TestCount(t *testing.T) {
	s := &Schedule{Faults: make([]Fault, 2)}
	for _, point := range []string{"net/a>b/drop", "disk/a/sync-fail", "setup/servers", "run/clients", "run/jitter",
		"work/c1/op", "work/c1/op", "work/c2/op", "work/c1/plain"} {
		s.Choices = append(s.Choices, kernel.Choice{Point: point, Value: 1})
	}
	if f, c, o := s.Count(); f != 2 || c != 3 || o != 3 {
		t.Errorf("%d faults, %d choices, %d operations", f, c, o)
	}
}

// What shrinking has left says so in its text.
func TestShrunkIsWritten(t *testing.T) {
	for _, shrunk := range []bool{false, true} {
		text := (&Schedule{Seed: 1, Shrunk: shrunk}).Encode()
		s, err := ParseSchedule(text, "s.json")
		if err != nil || s.Shrunk != shrunk || strings.Contains(string(text), `"shrunk": true`) != shrunk {
			t.Errorf("it reads back as %+v, %v:\n%s", s, err, text)
		}
	}
}
