package main

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"github.com/hmdsefi/faultline/simdisk"
)

// TestClusters is the test that the command runs if it is given no other.
func TestClusters(t *testing.T) {
	faultline.Run(t, clusterOptions(), func(w *faultline.World) { randomFaults(w, cluster(w)) })
}

func clusterOptions() faultline.Options {
	return faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 16}}
}

// cluster sets up a cluster. Each seed draws the kind of it too; one in eight
// reads by lease.
func cluster(w *faultline.World) *etcdraft.Cluster {
	kinds := []etcdraft.Config{{}, {Nodes: 5}, {Membership: true}, {Membership: true, Nodes: 2, Spares: 3}}
	cfg := kinds[w.Rand("kind").IntN(len(kinds))]
	if w.Rand("lease").IntN(8) == 0 {
		cfg.Tune = func(m *etcdraft.Mode) { m.LeaseReads = true }
	}
	return etcdraft.Setup(w, cfg)
}

func randomFaults(w *faultline.World, c *etcdraft.Cluster) {
	w.Faults(etcdraft.Faults())
	c.AimFaults()
}
