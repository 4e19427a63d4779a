package fault

import (
	"strings"
	"testing"
	"time"
)

func TestValidateNamesTheImpossibleFault(t *testing.T) {
	good := Fault{ID: "kill#1", Kind: Kill, At: time.Second, Nodes: []string{"n1"}}
	for want, change := range map[string]func(*Fault){
		"":                         func(*Fault) {},
		"it has no target":         func(f *Fault) { f.Nodes = nil },
		"At is 8s, in the quiet":   func(f *Fault) { f.At = 8 * time.Second },
		"At is -1ns":               func(f *Fault) { f.At = -1 },
		"For is -1ns":              func(f *Fault) { f.For = -1 },
		"unknown kind \"explode\"": func(f *Fault) { f.Kind = "explode" },
		"Rate is 0":                func(f *Fault) { f.Kind = SlowDisk },
		"Rate is 1000001":          func(f *Fault) { f.Kind, f.Rate = Loss, 1_000_001 },
	} {
		f := good
		change(&f)
		s := Schedule{Duration: 10 * time.Second, Quiet: 7 * time.Second, Faults: []Fault{good, f}}
		s.Faults[0].ID = "kill#0"
		err := s.Validate()
		switch {
		case want == "" && err != nil:
			t.Errorf("a good schedule: %v", err)
		case want != "" && (err == nil || !strings.HasPrefix(err.Error(), "faults[1] (kill#1): "+want)):
			t.Errorf("want %q, got %v", want, err)
		}
	}
	late := Schedule{Duration: time.Second, Faults: []Fault{{Kind: Loss, At: 2 * time.Second}}}
	if err := late.Validate(); err == nil || !strings.Contains(err.Error(), "faults[0] (loss): At is 2s, after the end") {
		t.Errorf("a fault after the end: %v", err)
	}
	gone := Schedule{Faults: []Fault{{Kind: Kill, Outcome: NoTarget}}}
	if err := gone.Validate(); err != nil {
		t.Errorf("a fault that found nobody needs no target: %v", err)
	}
}
