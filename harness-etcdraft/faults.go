package etcdraft

import (
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// Faults returns the random faults of [Test]: those of fault.Default, and
// trouble that hits all servers at once, which raft must survive as well.
func Faults() fault.Rules {
	servers := fault.Target{Group: "servers"}
	everyone := []fault.Pick{fault.All, fault.Majority}
	return append(fault.Default(),
		fault.Rule{Name: "blackout", Kind: fault.PowerLoss, Weight: 40, Every: 4 * time.Second,
			For: fault.Span{Min: 20 * time.Millisecond, Max: 500 * time.Millisecond}, Target: servers,
			Picks: everyone, Profiles: []string{"lose-all", "keep-prefix", "keep-subset", "torn"}},
		fault.Rule{Name: "storage-outage", Kind: fault.SyncFail, Weight: 25, Every: 4 * time.Second,
			For: fault.Span{Min: 5 * time.Millisecond, Max: 100 * time.Millisecond}, Target: servers,
			Picks: everyone, Profiles: []string{"drop-dirty", "keep-dirty"}},
	)
}
