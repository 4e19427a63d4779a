package etcdraft

import (
	"flag"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

var blackBoxFlag = flag.Int("raft.blackbox", 0, "in how many lists of seeds TestBlackBox looks for each planted bug")

// TestBlackBox looks for the planted bugs without the checks that look into
// raft (P3, P4, P9, P16): what is left judges what clients and other nodes get
// to see. It must still find most of them.
func TestBlackBox(t *testing.T) {
	if *blackBoxFlag == 0 {
		t.Skip("takes long; -raft.blackbox=5 runs it")
	}
	const most = 100
	found := 0
	for _, p := range plants() {
		cfg := p.config()
		cfg.Off = raftcheck.WhiteBox()
		var counts []int
		checks := map[string]int{}
		for list := range *blackBoxFlag {
			n, f := hunt(t, cfg, uint64(list+1), most)
			if f == nil {
				n = most + 1
			} else {
				checks[f.Check]++
			}
			counts = append(counts, n)
		}
		slices.Sort(counts)
		median := counts[len(counts)/2]
		if median <= most {
			found++
		}
		t.Logf("%-18s median %3d, worst %3d of %d seeds, %v", p.name, median, counts[len(counts)-1], most, checks)
	}
	if all := len(plants()); found <= all/2 {
		t.Errorf("only %d of %d planted bugs are found", found, all)
	}
}
