package txn

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// TestTxn runs the store under every fault that it must survive.
func TestTxn(t *testing.T) {
	faultline.Run(t, options(), setup(Bugs{}, isolation.StrictSerializable))
}

func options() faultline.Options { return faultline.Options{Duration: 6 * time.Second} }

// faults are those of the usual ones that leave the server's memory alone: the
// store is kept there.
func faults() fault.Rules {
	kinds := []fault.Kind{fault.Pause, fault.Isolate, fault.Partition, fault.OneWay, fault.Loss, fault.Duplicate,
		fault.Delay, fault.Latency, fault.ClockStep, fault.ClockDrift}
	return slices.DeleteFunc(fault.Default(), func(r fault.Rule) bool { return !slices.Contains(kinds, r.Kind) })
}

// setup sets up the system, and faults.
func setup(bugs Bugs, level isolation.Level) func(w *faultline.World) {
	return func(w *faultline.World) {
		system(bugs, level)(w)
		w.Faults(faults())
	}
}

// system sets up a server, replicas if a bug needs them, and four clients, and
// the level that the store is judged by.
func system(bugs Bugs, level isolation.Level) func(w *faultline.World) {
	return func(w *faultline.World) {
		load := &Workload{}
		if bugs.Replicas {
			load.Replicas = []string{"r1", "r2"}
		}
		w.Server("db", func(n *faultline.Node) kernel.Handler { return NewServer(n, bugs, load.Replicas) })
		for _, name := range load.Replicas {
			w.Node(name, func(n *faultline.Node) kernel.Handler { return NewReplica(n) })
			w.Link("db", name, simnet.Link{Latency: time.Millisecond, Jitter: 200 * time.Millisecond}) // it is far away
		}
		for i := range 4 {
			w.Client(fmt.Sprint("c", i+1), load.Client)
		}
		w.Judge("isolation", level)
	}
}
