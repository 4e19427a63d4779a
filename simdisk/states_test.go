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

// When there are more states than the limit, they are a sample: legal, all
// different, the same every time, with the extremes first.
func TestCrashStatesSample(t *testing.T) {
	b := newBench(t, kernel.Config{}, simdisk.Config{SectorSize: sector})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		f := b.create(name)
		b.put(f, strings.Repeat(name, 100))
		b.ok(b.v.Rename(name, name+"2"))
	}
	for _, p := range []simdisk.Profile{simdisk.KeepPrefix, simdisk.KeepSubset, simdisk.Torn, simdisk.Posix, simdisk.Ordered, simdisk.Adversary} {
		var lists [2]string
		for i := range lists {
			states, all, err := b.v.CrashStates(p, 10)
			b.ok(err)
			if all || len(states) < 6 || len(states) > 10 {
				t.Fatalf("%v: %d states, all %v; want at most 10 of more", p, len(states), all)
			}
			seen := map[string]bool{}
			for _, s := range states {
				state := dump(s.FS())
				if seen[state] {
					t.Errorf("%v: %q is listed twice", p, state)
				}
				seen[state] = true
				lists[i] += state + "|"
			}
			if p != simdisk.Adversary && (dump(states[0].FS()) != "" || !seen[dump(b.v.FS())]) {
				t.Errorf("%v: the sample lacks an extreme: %q", p, lists[i])
			}
		}
		if lists[0] != lists[1] {
			t.Errorf("%v: two samples of one moment differ", p)
		}
	}
}

// A state is a volume of its own: what is done to it, and to the one that it
// comes from, stays apart.
func TestCrashStateIsApart(t *testing.T) {
	b := plain(t)
	f := b.durableFile("a")
	b.put(f, "one")
	b.ok(f.Sync())
	states, _, err := b.v.CrashStates(simdisk.KeepAll, 0)
	b.ok(err)
	v := states[0].Volume()
	_, err = f.WriteAt([]byte("two"), 0)
	b.ok(err)
	b.ok(f.Sync())
	g, err := v.OpenFile("a", writeOnly, 0)
	b.ok(err)
	_, err = g.WriteAt([]byte("x"), 2)
	b.ok(err)
	b.ok(g.Sync())
	b.has("a", "two")
	if got, _ := v.ReadFile("a"); string(got) != "onx" {
		t.Errorf("the state holds %q, want onx", got)
	}
	if got := dump(v.Durable()); got != "a=onx " {
		t.Errorf("of the state, %q is durable", got)
	}
	if got := dump(states[0].FS()); got != "a=one " {
		t.Errorf("a second look at the state gives %q", got)
	}
}

func TestCrashStatesRefuses(t *testing.T) {
	b := plain(t)
	if _, _, err := b.v.CrashStates(77, 0); err == nil || err.Error() != "simdisk: crash profile is 77; use one of the Profile constants" {
		t.Error(err)
	}
	if _, _, err := b.v.CrashStates(simdisk.Torn, -1); err == nil || err.Error() != "simdisk: CrashStates limit is -1; use 1 or more, or 0 for 1000" {
		t.Error(err)
	}
	if _, err := simdisk.ParseProfile("wild"); err == nil || !strings.Contains(err.Error(), `"wild"; use drawn, lose-all`) {
		t.Error(err)
	}
	if _, err := simdisk.NewVolume(simdisk.Config{Capacity: -1}); err == nil {
		t.Error("a negative capacity was taken")
	}
}
