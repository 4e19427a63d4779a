package etcdraft

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
	"github.com/hmdsefi/faultline/simdisk"
)

// TestShrinkTable shrinks a failing seed of each planted bug and writes the rows
// of docs/reference/shrinking.md.
func TestShrinkTable(t *testing.T) {
	shrinktable.Table{Page: filepath.Join("..", "docs", "reference", "shrinking.md"), Name: "raft"}.Measure(t, shrinkCases()...)
}

func shrinkCases() []shrinktable.Case {
	var cases []shrinktable.Case
	for _, p := range plants() {
		cases = append(cases, shrinktable.Case{
			Name: p.name, ByHand: byHand()[p.name],
			Options: faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}},
			Setup: func(w *faultline.World, random bool) {
				Setup(w, p.config())
				if random {
					w.Faults(Faults())
				}
			},
		})
	}
	return cases
}

// byHand are the fewest faults that a person needs to bring a bug out, for those
// that need any.
func byHand() map[string][]fault.Fault {
	all := fault.Target{Group: "servers", Pick: fault.All}
	return map[string][]fault.Fault{
		"RetryFailedSync": {{Kind: fault.SyncFail, At: 2 * time.Second, For: 50 * time.Millisecond, Target: all, Profile: "drop-dirty"}},
		"AcceptTornTail":  {{Kind: fault.PowerLoss, At: 3 * time.Second, For: 10 * time.Millisecond, Target: all, Profile: "torn"}},
		"ForgetSessions":  {{Kind: fault.Delay, At: 500 * time.Millisecond, For: 7 * time.Second, Rate: 300_000, Amount: 900 * time.Millisecond}},
	}
}
