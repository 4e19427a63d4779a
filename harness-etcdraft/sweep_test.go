package etcdraft

import (
	"flag"
	"os"
	"testing"
)

var sweepFlag = flag.Int("raft.sweep", 0, "how many seeds TestSweep runs of each of its clusters")

// sweeps are the clusters of the long sweeps.
func sweeps() map[string]Config {
	return map[string]Config{
		"three": {},
		"five-snapshots": {Nodes: 5, Tune: func(m *Mode) {
			if m.SnapshotEvery == 0 || m.SnapshotEvery > 20 {
				m.SnapshotEvery = 20
			}
			m.Retain = min(m.Retain, 10)
		}},
		"membership":     {Membership: true},
		"two-and-spares": {Membership: true, Nodes: 2, Spares: 3},
		"async":          {Tune: func(m *Mode) { m.Async = true }},
	}
}

// TestSweep runs many seeds of four clusters under the default faults. It fails
// as well when a feature was never met in a thousand seeds or more.
func TestSweep(t *testing.T) {
	asked := *sweepFlag > 0
	for _, name := range []string{"FAULTLINE_SEED", "FAULTLINE_SCHEDULE", "FAULTLINE_REPLAY"} {
		asked = asked || os.Getenv(name) != "" // a replay, whose printed command has no flag
	}
	if !asked {
		t.Skip("takes long; -raft.sweep=10000 runs that many seeds of each cluster")
	}
	for _, name := range []string{"three", "five-snapshots", "membership", "two-and-spares", "async"} {
		t.Run(name, func(t *testing.T) {
			opt := options()
			opt.Seeds, opt.KeepGoing = max(*sweepFlag, 1), true
			cfg, err := sweeps()[name].complete()
			if err != nil {
				t.Fatal(err)
			}
			sum := run(t, cfg, opt, true)
			for _, f := range sum.Never(cfg) {
				never := name == "async" && (f == syncStorage || f == stepBeforeAdvance || f == crashBeforeAdvance || f == snapshotHeld)
				if sum.runs >= 1000 && !never {
					t.Errorf("%d seeds have never met: %v", sum.runs, f)
				}
			}
		})
	}
}
