package fsyncretry

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. In the script the sync of the third record
// fails for two milliseconds, and the power goes when the fifth was
// acknowledged.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "fsync-retry",
		Report:  "[CockroachDB 37102](https://github.com/cockroachdb/cockroach/pull/37102)",
		Needs:   "failed sync that drops the pages; power loss; kill",
		Check:   "acknowledged and served records survive",
		Options: faultline.Options{Duration: 10 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{
			{Kind: fault.SyncFail, Target: fault.Target{Nodes: []string{"n1"}}, For: 2 * time.Millisecond, Profile: "drop-dirty",
				When: fault.Trigger{Point: "written", Nth: 3}},
			{Kind: fault.PowerLoss, When: fault.Trigger{Point: "acknowledged", Nth: 5},
				For: 20 * time.Millisecond, Profile: "lose-all"},
		},
		Story:  []string{"n1", "sync-fail", "power-loss", "put(r3)"},
		Within: 100,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Server("n1", func(n *faultline.Node) kernel.Handler { return newLog(n, mended) })
	w.Client("c1", useLog)
	bugs.AfterRecovery(w, "acknowledged and served records survive", func(n *faultline.Node, l *log) error {
		has := func(r string) bool { return slices.Contains(l.records, r) }
		if err := bugs.Lost(w.History(), n.Name(), has); err != nil {
			return err
		}
		for op := range w.History().All() {
			if op.Function == "get" && op.Status == history.OK {
				for _, r := range op.Output.([]string) {
					if !has(r) {
						return fmt.Errorf("%s read %s at %v: %s does not have it any more", op.Process, r, op.Return.Time, n.Name())
					}
				}
			}
		}
		return nil
	})
}

// useLog puts r1, r2, … into the log, and reads it after every fourth.
func useLog(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		name, input, ask := "put", fmt.Sprint("r", i), any(put{fmt.Sprint("r", i)})
		if i%4 == 0 {
			name, input, ask = "get", "all", get{}
		}
		op := c.Invoke(name, input)
		if answer, ok := bugs.Call(c, "n1", i, ask, 100*time.Millisecond); ok {
			op.OK(answer)
		} else {
			op.Unknown("no answer")
		}
	}
}
