package raftcheck_test

import (
	"flag"
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

var (
	seedsFlag = flag.Int("sweep.seeds", 0, "how many seeds a sweep runs instead of its default")
	firstFlag = flag.Uint64("sweep.first", 1, "the first seed")
	offFlag   = flag.Bool("sweep.blackbox", false, "switch the white-box checks off")
	traceFlag = flag.Bool("sweep.trace", false, "print what raft says")
)

// ticks is how long the faults of a run last.
const ticks = 250

// sweep runs seeds until one fails.
func sweep(first uint64, count int, off raftcheck.Set, stats map[string]int) (uint64, error) {
	for seed := first; seed < first+uint64(count); seed++ {
		s := newSim(seed, off, nil)
		err := s.run(ticks)
		for k, v := range s.stats {
			stats[k] += v
		}
		if err != nil {
			return seed, err
		}
	}
	return 0, nil
}

// In a long run with compaction the checker forgets what no log holds.
func TestLongRun(t *testing.T) {
	s := newSim(1, 0, func(m *mode) {
		m.every, m.retain, m.writeEvery, m.nodes, m.voters, m.members = 10, 1, 3, 3, 3, false
	})
	if err := s.run(2000); err != nil {
		t.Fatal(err)
	}
	if base := s.check.Forgotten(); base < 1000 {
		t.Errorf("only entries up to %d are forgotten, after %d writes", base, s.stats["write"])
	}
}

// Unmodified raft fulfils every property.
func TestRaftHolds(t *testing.T) {
	count := 300
	if testing.Short() {
		count = 60
	}
	if *seedsFlag > 0 {
		count = *seedsFlag
	}
	off := raftcheck.Set(0)
	if *offFlag {
		off = raftcheck.WhiteBox()
	}
	stats := map[string]int{}
	seed, err := sweep(*firstFlag, count, off, stats)
	if err != nil {
		t.Fatalf("seed %d: %v\nmode %+v", seed, err, newSim(seed, 0, nil).mode)
	}
	t.Log(stats)
	for _, k := range []string{"crash", "partition", "snapshot", "conf change", "transfer", "read", "write"} {
		if stats[k] < count/20 {
			t.Errorf("the sweep met %q only %d times in %d seeds", k, stats[k], count)
		}
	}
}
