package kv

import (
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/simdisk"
)

// plant is a bug and what is needed to see it.
type plant struct {
	name   string        // of the field of Bugs
	bugs   Bugs          // with that field set
	check  string        // the check that it breaks
	faults fault.Rules   // that bring it out; nil: the usual ones
	sync   time.Duration // how long syncs take at least, and at most twice that; 0: as usual
}

const (
	oneLeader    = "one leader per term"
	agree        = "replicas agree"
	survive      = "acknowledged writes survive"
	linearizable = "operations are linearizable"
	writes       = "a write succeeds"
)

func plants() []plant {
	return []plant{
		{"AckBeforeSync", Bugs{AckBeforeSync: true}, survive, nil, 0},
		{"NoDirSync", Bugs{NoDirSync: true}, survive, nil, 0},
		{"RetryFailedSync", Bugs{RetryFailedSync: true}, survive, fault.Rules{
			onAll(fault.SyncFail, 500*time.Millisecond, "drop-dirty"), onAll(fault.PowerLoss, time.Second, "lose-all")}, 0},
		{"AppendAfterTear", Bugs{AppendAfterTear: true}, survive, fault.Rules{
			onAll(fault.PowerLoss, 1500*time.Millisecond, "torn")}, 30 * time.Millisecond},
		{"ForgetVote", Bugs{ForgetVote: true}, oneLeader, fault.Rules{
			onAll(fault.PowerLoss, 700*time.Millisecond, "lose-all")}, 30 * time.Millisecond},
		{"SameTimeout", Bugs{SameTimeout: true}, writes, nil, 0},
		{"KeepConflict", Bugs{KeepConflict: true}, agree, nil, 0},
		{"ApplyTwice", Bugs{ApplyTwice: true}, linearizable, nil, 0},
		{"StaleReads", Bugs{StaleReads: true}, linearizable, nil, 0},
		{"ClockOrder", Bugs{ClockOrder: true}, linearizable, nil, 0},
	}
}

// setting returns the options and the faults for a plant.
func (p plant) setting() (faultline.Options, fault.Rules) {
	opt, rules := options(), p.faults
	if rules == nil {
		rules = Faults()
	}
	if p.sync > 0 {
		opt.Duration = 40 * time.Second // all is slower
		opt.Disk.Latency.Sync = simdisk.Delay{Min: p.sync, Max: 2 * p.sync}
	}
	return opt, rules
}

// onAll makes a short fault that hits every server at once, again and again.
func onAll(kind fault.Kind, every time.Duration, profile string) fault.Rule {
	return fault.Rule{
		Name: "often-" + string(kind), Kind: kind, Every: every,
		For:    fault.Span{Min: time.Millisecond, Max: 50 * time.Millisecond},
		Target: fault.Target{Group: "servers"}, Picks: []fault.Pick{fault.All}, Profiles: []string{profile},
	}
}
