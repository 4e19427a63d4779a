package waldirfsync

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script takes the power right after the
// third record, the first in the second segment, was acknowledged.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "wal-dir-fsync",
		Report:  "[etcd 6368](https://github.com/etcd-io/etcd/issues/6368)",
		Needs:   "power loss; names durable only after a directory sync",
		Check:   "acknowledged records survive",
		Options: faultline.Options{Duration: 4 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.PowerLoss, When: fault.Trigger{Point: "acknowledged", Nth: 3},
			For: 20 * time.Millisecond, Profile: "lose-all",
		}},
		Story:  []string{"n1", "power-loss", "put(r3)"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Server("n1", func(n *faultline.Node) kernel.Handler { return newLog(n, mended) })
	w.Client("c1", func(c *faultline.Client) { bugs.PutEach(c, "n1", "r") })
	bugs.AfterRecovery(w, "acknowledged records survive", func(n *faultline.Node, l *log) error {
		return bugs.Lost(w.History(), n.Name(), func(r string) bool { return slices.Contains(l.records, r) })
	})
}
