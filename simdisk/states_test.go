package simdisk_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// For random short sequences CrashStates lists exactly the states that the
// brute-force reading of the contract allows, and leaves the volume as it was.
func TestCrashStatesAgainstReference(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 40
	}
	total := map[simdisk.Profile]int{}
	for round := range rounds {
		r := rand.New(rand.NewPCG(3, uint64(round)))
		steps := randomSteps(r, 3+r.IntN(5))
		ref := newRef()
		for _, s := range steps {
			ref.run(s)
		}
		b := newBench(t, kernel.Config{}, simdisk.Config{SectorSize: sector})
		b.ok(b.v.Mkdir("d", 0))
		b.ok(b.v.SyncDir("."))
		for _, s := range steps {
			b.apply(s)
		}
		before, pending := dump(b.v.FS())+dump(b.v.Durable()), b.v.Pending()
		for _, p := range profiles {
			states, all, err := b.v.CrashStates(p, 100_000)
			b.ok(err)
			if !all {
				continue
			}
			want, got := ref.states(p), map[string]bool{}
			for i, s := range states {
				state := strings.ReplaceAll(dump(s.FS()), "d/ ", "")
				if got[state] {
					t.Fatalf("round %d: %v lists %q twice, after %v", round, p, state, steps)
				}
				got[state] = true
				if !want[state] {
					t.Fatalf("round %d: %v gives %q after %v, which is not allowed; fates %v", round, p, state, steps, s.Fates())
				}
				if i == 0 && p != simdisk.KeepAll && p != simdisk.Adversary && state != strings.ReplaceAll(dump(b.v.Durable()), "d/ ", "") {
					t.Fatalf("round %d: the first state of %v is %q", round, p, state)
				}
			}
			for state := range want {
				if !got[state] {
					t.Fatalf("round %d: %v allows %q after %v, which is not listed", round, p, state, steps)
				}
			}
			total[p] += len(got)
		}
		if dump(b.v.FS())+dump(b.v.Durable()) != before || b.v.Pending() != pending {
			t.Fatalf("round %d: looking at the states changed the volume", round)
		}
	}
	t.Log("states:", total)
}
