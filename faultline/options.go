package faultline

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
)

// Options says how the seeds of a test are run. The zero value is useful.
type Options struct {
	// Duration is the virtual time of each run. 0 means 10 seconds.
	Duration time.Duration
	// Seeds is how many seeds are run. 0 means 20, or 5 under go test -short.
	Seeds int
	// BaseSeed, if not 0, is what the list of seeds is derived from, in place
	// of the test's name.
	BaseSeed uint64
	// KeepGoing runs the remaining seeds after one has failed. What fails in
	// them is noticed if a check, a panic or World.Fail says it; a call of
	// t.Error cannot be told from the failure before, and is not.
	KeepGoing bool
	// QuietFor is the length of the quiet phase at the end of each run, in
	// which every fault is over and every node runs. 0 means a quarter of
	// Duration; negative means that there is none.
	QuietFor time.Duration
	// Unrestricted lifts the budget of random faults, which otherwise leaves a
	// majority of the servers up and connected.
	Unrestricted bool
	// RequireSometimes fails the test when a [World.Sometimes] property was
	// never true in the whole sweep, or a [World.Reachable], [World.Always] or
	// [World.Watermark] one never met. Without it they are only listed.
	RequireSometimes bool
	// NoCryptoSeed leaves crypto/rand as it is. By default it is seeded for
	// each run through testing/cryptotest, which forbids t.Parallel, and each
	// node reads choices of its own from it.
	NoCryptoSeed bool
	// Net configures the network; the zero value is UDP-like, see simnet.
	Net simnet.Config
	// Disk configures the disks; the zero value is a solid-state disk, see
	// simdisk.
	Disk simdisk.Config
	// MaxEvents fails a run that needs more events than that. 0 means 5
	// million.
	MaxEvents uint64
	// Timeout is the real time that one event may take before the run is
	// reported as hanging. 0 means 20 seconds.
	Timeout time.Duration
	// ShrinkBudget is the real time that may be spent on making the schedule
	// of a failing seed small. 0 means 20 seconds; negative means none.
	ShrinkBudget time.Duration
	// Artifacts is the directory below which a failing seed leaves its
	// artifact directory. Empty means "faultline" in the system's directory
	// for temporary files; "off" writes none.
	Artifacts string
}

const (
	defaultDuration  = 10 * time.Second
	defaultSeeds     = 20
	shortSeeds       = 5
	defaultMaxEvents = 5_000_000
	defaultTimeout   = 20 * time.Second
	defaultShrink    = 20 * time.Second
)

// complete validates the options and fills in the defaults.
func (o Options) complete(short bool) (Options, error) {
	switch {
	case o.Duration < 0:
		return o, fmt.Errorf("faultline: Options.Duration is %v; it must not be negative", o.Duration)
	case o.Seeds < 0:
		return o, fmt.Errorf("faultline: Options.Seeds is %d; it must not be negative", o.Seeds)
	case o.Timeout < 0:
		return o, fmt.Errorf("faultline: Options.Timeout is %v; it must not be negative", o.Timeout)
	}
	if o.Duration == 0 {
		o.Duration = defaultDuration
	}
	if o.Duration > kernel.MaxTime.Sub(0) {
		return o, fmt.Errorf("faultline: Options.Duration is %v; it must not be longer than 100 years", o.Duration)
	}
	if o.QuietFor >= o.Duration {
		return o, fmt.Errorf("faultline: Options.QuietFor is %v; it must be shorter than Duration, which is %v", o.QuietFor, o.Duration)
	}
	if o.QuietFor == 0 {
		o.QuietFor = o.Duration / 4
	}
	if o.Seeds == 0 {
		o.Seeds = defaultSeeds
		if short {
			o.Seeds = shortSeeds
		}
	}
	if o.MaxEvents == 0 {
		o.MaxEvents = defaultMaxEvents
	}
	if o.ShrinkBudget == 0 {
		o.ShrinkBudget = defaultShrink
	}
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	return o, nil
}

// quiet returns when the quiet phase begins; 0 means never.
func (o Options) quiet() time.Duration {
	if o.QuietFor < 0 {
		return 0
	}
	return o.Duration - o.QuietFor
}
