package ackbeforewal

import (
	"fmt"
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
	w.Client("c1", putValues)
	var judged time.Duration // the last recovery that was looked at
	w.Invariant("acknowledged writes survive", func(n *faultline.Node) error {
		if n == nil {
			return nil
		}
		s, ok := faultline.Program[*server](n)
		if !ok || s.since == judged || s.since == 0 {
			return nil
		}
		judged = s.since
		return bugs.Lost(w.History(), n.Name(), func(v string) bool { return slices.Contains(s.applied, v) })
	})
}

// putValues puts v1, v2, … one after another.
func putValues(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		value := fmt.Sprint("v", i)
		op := c.Invoke("put", value)
		if _, ok := bugs.Call(c, "n1", i, value, 200*time.Millisecond); ok {
			op.OK(nil)
		} else {
			op.Unknown("no answer")
		}
	}
}
