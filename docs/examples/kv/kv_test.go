package kv

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// TestKV runs the store under every fault that it must survive.
func TestKV(t *testing.T) {
	faultline.Run(t, options(), setup(Bugs{}, Faults()))
}

// options lets faults hit a majority, which stops the store and must not harm
// it, and makes disks that can tear short writes.
func options() faultline.Options {
	return faultline.Options{Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}}
}

// setup sets up three servers and three clients, what happens to them, and
// what must hold.
func setup(bugs Bugs, faults fault.Rules) func(w *faultline.World) {
	return func(w *faultline.World) {
		names := []string{"n1", "n2", "n3"}
		servers := w.Servers(3, func(n *faultline.Node) kernel.Handler { return NewServer(n, names, bugs) })
		load := &Workload{Servers: names}
		w.Group("everyone", servers...)
		for _, name := range []string{"c1", "c2", "c3"} {
			w.Group("everyone", w.Client(name, load.Client))
		}
		w.Role("leader", IsLeader)
		w.Faults(faults)

		judge := NewJudge(servers, w.History(), load)
		quiet, _ := w.QuietAt()
		w.Invariant("one leader per term", judge.OneLeader)
		w.Invariant("replicas agree", judge.Agree)
		w.Invariant("acknowledged writes survive", judge.Durable)
		w.Judge("operations are linearizable", linear.Map(Calls))
		w.Eventually("a write succeeds", 2*time.Second, func() error { return judge.CanWrite(quiet) })
		w.Sometimes("the leader changed", judge.LeaderChanged)
		w.Sometimes("a put timed out", load.Unsure)
	}
}
