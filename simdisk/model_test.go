package simdisk_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// randomSteps draws a short sequence over few names, in the root and in d.
func randomSteps(r *rand.Rand, n int) []step {
	names := []string{"a", "b", "d/a"}
	var out []step
	for _, name := range names {
		if r.IntN(3) > 0 {
			out = append(out, step{do: "create", path: name})
		}
	}
	if r.IntN(2) == 0 {
		out = append(out, step{do: "syncdir", path: "."}, step{do: "syncdir", path: "d"})
	}
	for i := range n {
		s := step{path: names[r.IntN(3)], to: names[r.IntN(3)], off: r.IntN(4) * r.IntN(14)}
		s.data = strings.Repeat(string(rune('A'+i)), 1+r.IntN(36))
		s.do = []string{"create", "create", "write", "write", "write", "trunc", "trunc", "sync", "rename", "remove", "syncdir"}[r.IntN(11)]
		if s.do == "syncdir" {
			s.path = []string{".", "d"}[r.IntN(2)]
		}
		out = append(out, s)
	}
	return out
}

// play runs a sequence and a power loss, and returns what is left.
func play(t *testing.T, seed uint64, replay []kernel.Choice, steps []step, p simdisk.Profile) (string, *kernel.Sim) {
	b := newBench(t, kernel.Config{Seed: seed, Level: kernel.LevelFull, Replay: replay}, simdisk.Config{SectorSize: sector})
	b.ok(b.v.Mkdir("d", 0))
	b.ok(b.v.SyncDir("."))
	for _, s := range steps {
		b.apply(s)
	}
	b.lose(p)
	return strings.ReplaceAll(dump(b.v.FS()), "d/ ", ""), b.sim
}

func (b *bench) apply(s step) {
	b.t.Helper()
	if s.do == "create" {
		if _, err := b.v.Stat(s.path); err != nil {
			b.ok(b.create(s.path).Close())
		}
		return
	}
	if s.do == "syncdir" {
		b.ok(b.v.SyncDir(s.path))
		return
	}
	if _, err := b.v.Stat(s.path); err != nil {
		return
	}
	switch s.do {
	case "rename":
		b.ok(b.v.Rename(s.path, s.to))
		return
	case "remove":
		b.ok(b.v.Remove(s.path))
		return
	}
	f, err := b.v.OpenFile(s.path, writeOnly, 0)
	b.ok(err)
	switch s.do {
	case "write":
		_, err = f.WriteAt([]byte(s.data), int64(s.off))
	case "trunc":
		err = f.Truncate(int64(s.off))
	case "sync":
		err = f.Sync()
	}
	b.ok(err)
	b.ok(f.Close())
}

var profiles = []simdisk.Profile{simdisk.LoseAll, simdisk.KeepAll, simdisk.KeepPrefix, simdisk.KeepSubset, simdisk.Torn,
	simdisk.Posix, simdisk.Ordered, simdisk.Adversary}

// inclusions are the pairs of profiles of which the second leaves all that the
// first leaves.
var inclusions = [][2]simdisk.Profile{
	{simdisk.LoseAll, simdisk.KeepPrefix}, {simdisk.KeepAll, simdisk.KeepPrefix}, {simdisk.KeepPrefix, simdisk.KeepSubset},
	{simdisk.KeepSubset, simdisk.Torn}, {simdisk.Torn, simdisk.Posix},
	{simdisk.KeepPrefix, simdisk.Ordered}, {simdisk.Ordered, simdisk.Posix}, {simdisk.Adversary, simdisk.Posix},
}

// Every state that a profile leaves is one that the contract allows it, and
// the profiles lie within each other as documented.
func TestProfilesAgainstReference(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 40
	}
	seen := map[simdisk.Profile]int{}
	for round := range rounds {
		r := rand.New(rand.NewPCG(1, uint64(round)))
		steps := randomSteps(r, 3+r.IntN(7))
		ref := newRef()
		for _, s := range steps {
			ref.run(s)
		}
		allowed := map[simdisk.Profile]map[string]bool{}
		for _, p := range profiles {
			allowed[p] = ref.states(p)
			got := map[string]bool{}
			for seed := range uint64(24) {
				state, _ := play(t, seed, nil, steps, p)
				if !allowed[p][state] {
					t.Fatalf("round %d seed %d: %v after %v leaves %q; allowed are %q", round, seed, p, steps, state, keys(allowed[p]))
				}
				got[state] = true
			}
			seen[p] += len(got)
		}
		for _, in := range inclusions {
			for s := range allowed[in[0]] {
				if !allowed[in[1]][s] {
					t.Fatalf("round %d: %v allows %q but %v does not, after %v", round, in[0], s, in[1], steps)
				}
			}
		}
	}
	for _, p := range profiles[2:] {
		if seen[p] < 2*rounds {
			t.Errorf("%v left only %d states in %d rounds: the test is too weak", p, seen[p], rounds)
		}
	}
	t.Log("states seen:", seen)
}

// Given choices reach exactly the states that the contract allows.
func TestChoicesReachEveryLegalState(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 8
	}
	total := 0
	for round := range rounds {
		r := rand.New(rand.NewPCG(2, uint64(round)))
		steps := randomSteps(r, 3+r.IntN(4))
		ref := newRef()
		for _, s := range steps {
			ref.run(s)
		}
		want := ref.states(simdisk.Torn)
		got := map[string]bool{}
		var try func(given []kernel.Choice)
		tried := map[string]bool{}
		points := asked(t, steps)
		try = func(given []kernel.Choice) {
			key := fmt.Sprint(given)
			if tried[key] || len(tried) > 1200 {
				return
			}
			tried[key] = true
			state, _ := play(t, 0, append([]kernel.Choice{}, given...), steps, simdisk.LoseAll)
			if !want[state] {
				t.Fatalf("round %d: choices %v after %v leave %q, which is not allowed", round, given, steps, state)
			}
			got[state] = true
			for _, c := range points {
				if !slices.ContainsFunc(given, func(g kernel.Choice) bool { return g.Point == c.Point && g.N >= c.N }) {
					for _, v := range []int64{1, 3, 4} {
						c.Value = v
						next := append(slices.Clone(given), c)
						slices.SortFunc(next, func(a, b kernel.Choice) int {
							return strings.Compare(fmt.Sprint(a.Point, a.N), fmt.Sprint(b.Point, b.N))
						})
						try(next)
					}
				}
			}
		}
		try(nil)
		if len(tried) <= 1200 && len(got) != len(want) {
			t.Fatalf("round %d: choices reach %q after %v, allowed are %q", round, keys(got), steps, keys(want))
		}
		total += len(got)
	}
	t.Log("states reached:", total)
}

// asked returns every choice that some crash after the steps asks for.
func asked(t *testing.T, steps []step) []kernel.Choice {
	var out []kernel.Choice
	known := map[string]bool{}
	for seed := range uint64(12) {
		for _, p := range []simdisk.Profile{simdisk.KeepAll, simdisk.KeepSubset} {
			_, sim := play(t, seed, nil, steps, p)
			for _, c := range sim.Choices() {
				if key := fmt.Sprint(c.Point, c.N); !known[key] {
					known[key] = true
					out = append(out, c)
				}
			}
		}
	}
	return out
}

func keys(m map[string]bool) []string {
	out := []string{}
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
