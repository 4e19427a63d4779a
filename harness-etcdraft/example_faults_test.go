package etcdraft_test

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
)

// TestOwnFaults sets a cluster up in a world of one's own, and adds random
// faults without one kind, a power loss of all servers at a fixed time, and one
// that hits whoever leads then.
func TestOwnFaults(t *testing.T) {
	opt := faultline.Options{Duration: 6 * time.Second, QuietFor: 3 * time.Second, Seeds: 5}
	faultline.Run(t, opt, func(w *faultline.World) {
		c := etcdraft.Setup(w, etcdraft.Config{})
		w.Faults(fault.Default().Without(fault.SlowDisk))
		w.Script(
			fault.Fault{Kind: fault.PowerLoss, At: time.Second, For: 300 * time.Millisecond, Target: fault.Target{Nodes: c.Names()}},
			fault.Fault{Kind: fault.Isolate, At: 2 * time.Second, For: 400 * time.Millisecond, Target: fault.Target{Group: "servers", Role: "leader"}},
		)
	})
}
