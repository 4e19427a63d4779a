package kv

import (
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// Faults returns the random faults that the store must survive: the usual
// ones, partitions that leave clients on both sides, and trouble that hits all
// servers at once.
func Faults() fault.Rules {
	servers := fault.Target{Group: "servers"}
	everyone := fault.Target{Group: "everyone"}
	return append(fault.Default(),
		fault.Rule{Name: "split", Kind: fault.Partition, Weight: 50, Every: 4 * time.Second,
			For: fault.Span{Min: 300 * time.Millisecond, Max: 3 * time.Second}, Target: everyone,
			Picks: []fault.Pick{fault.Minority, fault.Half, fault.Majority}},
		fault.Rule{Name: "blackout", Kind: fault.PowerLoss, Weight: 50, Every: 3 * time.Second,
			For: fault.Span{Min: 20 * time.Millisecond, Max: time.Second}, Target: servers,
			Picks: []fault.Pick{fault.All}, Profiles: []string{"lose-all", "keep-prefix", "keep-subset", "torn"}},
		fault.Rule{Name: "storage-outage", Kind: fault.SyncFail, Weight: 30, Every: 3 * time.Second,
			For: fault.Span{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond}, Target: servers,
			Picks: []fault.Pick{fault.All}, Profiles: []string{"drop-dirty", "keep-dirty"}},
	)
}
