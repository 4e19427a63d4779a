package fault

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
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

// The ranges are those that a run accepts: one more is a misuse there.
func TestValidateKnowsTheRangesOfChoices(t *testing.T) {
	for point, most := range map[string]int64{
		"net/n1>n2/drop": 1, "net/n1>n2/dup": simnet.MaxCopies, "net/n1>n2/delay": int64(simnet.MaxDelay),
		"net/n1>n2/late": int64(simnet.MaxDelay), "net/n1>n2/corrupt": 2 * simnet.MaxBits,
		"disk/n1/sync-fail": int64(simdisk.GoReadOnly), "disk/n1/write-fail": int64(simdisk.MisdirectedWrite), "disk/n1/read-fail": 1,
		"disk/n1/crash/name/a/b": 1,
	} {
		for value, good := range map[int64]bool{-1: false, 0: false, 1: true, most: true, most + 1: false} {
			s := Schedule{Choices: []kernel.Choice{{Point: point, N: 7, Value: value}}}
			err := s.Validate()
			if good != (err == nil) {
				t.Errorf("%s=%d: %v", point, value, err)
			}
			if want := fmt.Sprintf("choices[0] (%s, n 7): the value is %d; use 1 to %d", point, value, most); !good && err != nil && !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	}
	for _, point := range []string{"work/c1/op", "disk/n1/corrupt", "setup/servers"} {
		good, bad := Schedule{Choices: []kernel.Choice{{Point: point, Value: math.MaxInt64}}}, Schedule{Choices: []kernel.Choice{{Point: point, Value: -1}}}
		if err := good.Validate(); err != nil {
			t.Error(err)
		}
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "use 1 or more") {
			t.Errorf("%s=-1: %v", point, err)
		}
	}
	late := Schedule{Duration: time.Second, Quiet: 2 * time.Second}
	if err := late.Validate(); err == nil || !strings.HasPrefix(err.Error(), "quiet is 2s, after the end of the run at 1s") {
		t.Errorf("a quiet phase after the end: %v", err)
	}
}
