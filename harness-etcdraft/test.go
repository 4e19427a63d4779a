package etcdraft

import (
	"testing"

	"github.com/hmdsefi/faultline/faultline"
)

// Test runs clusters as cfg says under random faults, one for each seed, and
// fails when a property of raft or a promise to clients is broken. To add
// faults or checks of your own use [Setup] inside [faultline.Run]. Faults may
// hit all servers at once, as if opt.Unrestricted were set, and the sectors of
// the disks are 16 bytes by default, so that short writes can be torn.
// At the end it logs which features of raft the passing runs have met, and which
// never. Unless opt.QuietFor says otherwise, the quiet phase is long enough for
// Config.Liveness.
func Test(t *testing.T, cfg Config, opt faultline.Options) {
	t.Helper()
	aimed := cfg.Faults == nil
	cfg, err := cfg.complete()
	if err != nil {
		t.Fatal(err)
	}
	run(t, cfg, opt, aimed)
}

// run runs the seeds and logs what they have met.
func run(t *testing.T, cfg Config, opt faultline.Options, aimed bool) *CoverageSum {
	t.Helper()
	opt.Unrestricted = true
	if opt.Disk.SectorSize == 0 {
		opt.Disk.SectorSize = 16
	}
	if opt.QuietFor == 0 && opt.Duration > 0 {
		opt.QuietFor = min(max(opt.Duration/4, cfg.Liveness*5/4), opt.Duration)
	}
	sum, counted := &CoverageSum{}, map[uint64]bool{}
	faultline.Run(t, opt, func(w *faultline.World) {
		c := Setup(w, cfg)
		w.Faults(cfg.Faults)
		if aimed {
			c.AimFaults()
		}
		w.Final("coverage is counted", func() error {
			if !counted[w.Seed()] { // the first seed is run twice
				sum.Add(c.Coverage())
			}
			counted[w.Seed()] = true
			return nil
		})
	})
	if sum.runs > 0 {
		t.Log(sum.Text(cfg))
	}
	return sum
}
