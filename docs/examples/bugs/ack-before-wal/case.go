package ackbeforewal

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// Case returns the bug as a test. The script takes the power when the sync of
// the third put begins; the answer is on its way to the client by then.
func Case() bugs.Case {
	return bugs.Case{
		Name:   "ack-before-wal",
		Report: "[etcd 14370](https://github.com/etcd-io/etcd/issues/14370)",
		Needs:  "power loss; syncs that take their time",
		Check:  "acknowledged writes survive",
		Options: faultline.Options{
			Duration: 6 * time.Second,
			Disk:     simdisk.Config{Latency: simdisk.Latency{Sync: simdisk.Delay{Min: 20 * time.Millisecond, Max: 20 * time.Millisecond}}},
		},
		Setup: setup,
		Script: []fault.Fault{{
			Kind: fault.PowerLoss, When: fault.Trigger{Op: "sync", Nth: 3},
			For: 20 * time.Millisecond, Profile: "lose-all",
		}},
		Story:  []string{"n1", "power-loss", "put(v3)"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Server("n1", func(n *faultline.Node) kernel.Handler { return newServer(n, mended) })
	w.Client("c1", func(c *faultline.Client) { bugs.PutEach(c, "n1", "v") })
	bugs.AfterRecovery(w, "acknowledged writes survive", func(n *faultline.Node, s *server) error {
		return bugs.Lost(w.History(), n.Name(), func(v string) bool { return slices.Contains(s.applied, v) })
	})
}
