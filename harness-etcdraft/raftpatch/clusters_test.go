package main

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	etcdraft "github.com/hmdsefi/faultline/harness-etcdraft"
	"github.com/hmdsefi/faultline/simdisk"
)

// TestClusters is the test that the command runs if it is given no other. Each
// seed draws the kind of cluster too.
func TestClusters(t *testing.T) {
	kinds := []etcdraft.Config{{}, {Nodes: 5}, {Membership: true}, {Membership: true, Nodes: 2, Spares: 3}}
	opt := faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 16}}
	faultline.Run(t, opt, func(w *faultline.World) {
		c := etcdraft.Setup(w, kinds[w.Rand("kind").IntN(len(kinds))])
		w.Faults(etcdraft.Faults())
		c.AimFaults()
	})
}
