package simdisk_test

import (
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// tortured runs the log under faults and returns the run.
func tortured(t *testing.T, seed uint64, replay []kernel.Choice, p simdisk.Profile, failing bool) *bench {
	b := newBench(t, kernel.Config{Seed: seed, Level: kernel.LevelFull, Replay: replay}, simdisk.Config{SectorSize: 16, Crash: p})
	torture(b, seed, bugs{}, failing)
	return b
}

// The choices of a run alone give the same run again, whatever the profile
// and the probabilities say.
func TestReplay(t *testing.T) {
	total := 0
	for seed := range uint64(80) {
		first := tortured(t, seed, nil, simdisk.Drawn, true)
		choices := slices.Clone(first.sim.Choices())
		total += len(choices)
		for _, p := range []simdisk.Profile{simdisk.Drawn, simdisk.LoseAll, simdisk.Torn} {
			again := tortured(t, seed, append([]kernel.Choice{}, choices...), p, p == simdisk.Drawn)
			if again.sim.Hash() != first.sim.Hash() {
				t.Fatalf("seed %d: replaying %d choices with profile %v gives another hash", seed, len(choices), p)
			}
			if left := again.sim.UnmetChoices(); len(left) > 0 {
				t.Fatalf("seed %d: %v met nothing", seed, left)
			}
		}
	}
	if total < 200 {
		t.Errorf("only %d choices in 80 seeds: the test is too weak", total)
	}
}

// Taking one choice away changes what it decided and shifts no other.
func TestRemovingAChoiceShiftsNoOther(t *testing.T) {
	run := func(seed uint64, replay []kernel.Choice) (map[string]string, []kernel.Choice) {
		b := newBench(t, kernel.Config{Seed: seed, Level: kernel.LevelFull, Replay: replay}, simdisk.Config{})
		state := map[string]string{}
		names := []string{"a", "b", "c", "d"}
		for _, name := range names {
			b.durableFile(name)
		}
		for range 3 {
			for _, name := range names {
				f, err := b.v.OpenFile(name, writeOnly, 0)
				b.ok(err)
				b.put(f, name)
			}
			b.lose(simdisk.KeepSubset)
		}
		for _, name := range names {
			data, err := b.v.ReadFile(name)
			b.ok(err)
			state[name] = string(data)
		}
		return state, slices.Clone(b.sim.Choices())
	}
	for seed := range uint64(10) {
		state, choices := run(seed, nil)
		for i, gone := range choices {
			edited, left := run(seed, slices.Delete(slices.Clone(choices), i, i+1))
			if !slices.EqualFunc(left, slices.Delete(slices.Clone(choices), i, i+1), sameChoice) {
				t.Fatalf("seed %d: without %v the choices are %v", seed, gone, left)
			}
			for name := range state {
				want := state[name]
				if gone.Point == "disk/n1/crash/data/"+name {
					want = want[1:]
				}
				if edited[name] != want {
					t.Fatalf("seed %d: without %v, %s holds %q, want %q", seed, gone, name, edited[name], want)
				}
			}
		}
	}
}

func sameChoice(a, b kernel.Choice) bool {
	return a.Point == b.Point && a.N == b.N && a.Value == b.Value
}

// One more file, with pending operations of its own, leaves the fates of the
// others as they were.
func TestOneMoreFileShiftsNoFate(t *testing.T) {
	for seed := range uint64(50) {
		fates := [2]string{}
		for more := range 2 {
			b := newBench(t, kernel.Config{Seed: seed}, simdisk.Config{})
			if more == 1 {
				b.put(b.create("0"), "more")
			}
			for _, name := range []string{"a", "b"} {
				b.put(b.create(name), "1")
			}
			if more == 1 {
				b.put(b.create("c"), "more")
			}
			b.lose(simdisk.KeepSubset)
			for _, name := range []string{"a", "b"} {
				if data, err := b.v.ReadFile(name); err == nil {
					fates[more] += name + "=" + string(data) + " "
				}
			}
		}
		if fates[0] != fates[1] {
			t.Fatalf("seed %d: %q became %q", seed, fates[0], fates[1])
		}
	}
}

// A choice is made of the seed and of the operation's own number: a fault of
// syncs with another ID does not move those of the first.
func TestFaultIDs(t *testing.T) {
	run := func(ids ...string) (failed []bool) {
		b := newBench(t, kernel.Config{Seed: 5}, simdisk.Config{})
		f := b.create("a")
		for _, id := range ids {
			b.failSync(simdisk.FailSync{Fail: simdisk.Fail{PPM: 200_000, ID: id}, Mode: simdisk.KeepDirty})
		}
		for range 100 {
			b.put(f, "x")
			failed = append(failed, f.Sync() != nil)
		}
		return failed
	}
	one, other, both := run("one"), run("other"), run("one", "other")
	if slices.Equal(one, other) {
		t.Error("IDs make no difference")
	}
	for i := range both {
		if both[i] != (one[i] || other[i]) {
			t.Errorf("sync %d: both %v, one %v, other %v", i, both[i], one[i], other[i])
		}
	}
}
