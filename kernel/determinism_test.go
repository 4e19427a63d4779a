package kernel

import (
	"fmt"
	"strings"
	"testing"
)

// TestGoldenHashes compares the hashes of runs with committed ones, on every
// platform. They may change only when the order of events, the words of the
// records or the encoding changes on purpose: pinned seeds of users change
// their meaning then, and the release notes say so.
func TestGoldenHashes(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(24) {
		s := busyRun(Config{Seed: seed}, 2000)
		fmt.Fprintf(&b, "seed %2d: %x at %v after %d events\n", seed, s.Hash(), s.Now(), s.Event())
		s.Close()
	}
	compareGolden(t, "hashes.txt", b.String())
}

// TestSameSeedSameHash runs one seed 1,000 times in one process.
func TestSameSeedSameHash(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 50
	}
	hash := func() [32]byte {
		s := busyRun(Config{Seed: 77}, 500)
		defer s.Close()
		return s.Hash()
	}
	first := hash()
	for i := range runs {
		if got := hash(); got != first {
			t.Fatalf("run %d has hash %x, want %x", i, got, first)
		}
	}
}

// TestSeedsDiffer checks that the seed reaches the order, the nodes and the
// user's draws.
func TestSeedsDiffer(t *testing.T) {
	seen := map[[32]byte]uint64{}
	for seed := range uint64(200) {
		s := busyRun(Config{Seed: seed}, 100)
		if other, ok := seen[s.Hash()]; ok {
			t.Errorf("seeds %d and %d give one run", other, seed)
		}
		seen[s.Hash()] = seed
		s.Close()
	}
}

// TestSlicesAreNoDifference runs a seed in one go and in many small parts,
// with looks at what comes next in between.
func TestSlicesAreNoDifference(t *testing.T) {
	run := func(parts int64) [32]byte {
		s := busyRun(Config{Seed: 5}, 10)
		defer s.Close()
		begin, length := s.Now(), int64(sec)
		for i := range parts {
			s.RunUntil(begin + Time(length*(i+1)/parts))
			s.Next()
		}
		return s.Hash()
	}
	one := run(1)
	for _, parts := range []int64{2, 7, 1000} {
		want(t, fmt.Sprint("hash of ", parts, " parts"), run(parts), one)
	}
}

// TestTraceIsConsistent reads the traces of many chaotic runs: time does not go
// back, causes come before what they cause, and the encoding stands alone.
func TestTraceIsConsistent(t *testing.T) {
	for seed := range uint64(40) {
		s := busyRun(Config{Seed: seed, Level: LevelFull}, 1500)
		var last Record
		for r := range s.Records() {
			if r.Time < last.Time || r.Time > s.Now() || r.Event < last.Event || r.Event > 0 && r.Cause >= r.Event {
				t.Fatalf("seed %d: %q comes after %q", seed, line(r), line(last))
			}
			last = r
		}
		if n, err := readTrace(s.trace.kept); err != nil || n != int(s.RecordCount()) {
			t.Errorf("seed %d: %d records, %v", seed, n, err)
		}
		want(t, "slots in use", len(s.slab.slots)-len(s.slab.free) <= s.Pending(), true)
		s.Close()
	}
}
