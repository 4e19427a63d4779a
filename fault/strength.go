package fault

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// validateStrength reports a rate, amount or profile that the kind cannot use.
func (f Fault) validateStrength() error {
	switch f.Kind {
	case Loss, Duplicate, Delay, LongTail, LossBurst, LateDuplicate, CorruptMessage, Partial:
		if f.Rate < 0 || f.Rate > 1_000_000 {
			return fmt.Errorf("Rate is %d; a %s fault takes parts per million, 0 to 1000000", f.Rate, f.Kind)
		}
		if f.Amount < 0 {
			return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
		}
		return f.validateVariant()
	case Latency:
		if f.Amount < 0 {
			return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
		}
	case ClockDrift:
		if f.Rate < kernel.MinDrift || f.Rate > kernel.MaxDrift {
			return fmt.Errorf("Rate is %d; a clock-drift fault takes parts per million, %d to %d", f.Rate, kernel.MinDrift, kernel.MaxDrift)
		}
	case PowerLoss, Outage:
		if f.Profile != "" {
			_, err := parseProfile(f.Kind, f.Profile)
			return err
		}
	}
	if err := f.validateVariant(); err != nil {
		return err
	}
	return f.validateDisk()
}

// steps are the kinds whose Amount may be negative.
func steps() []Kind { return []Kind{ClockStep, ClockOffset, ClockStepDown, ClockStrobe} }

// validateVariant reports a count, an amount, a pattern or a variant that the
// kind cannot use.
func (f Fault) validateVariant() error {
	if f.Amount < 0 && !slices.Contains(steps(), f.Kind) {
		return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
	}
	if f.Amount > simnet.MaxDelay {
		return fmt.Errorf("Amount is %v; it must be at most %v", f.Amount, simnet.MaxDelay)
	}
	if most := mostCount(f.Kind); f.Count < 0 || f.Count > most {
		return fmt.Errorf("Count is %d; a %s fault takes 0 to %d", f.Count, f.Kind, most)
	}
	if _, err := path.Match(f.Message, ""); err != nil {
		return fmt.Errorf("Message is %q, which is no pattern of path.Match", f.Message)
	}
	switch f.Kind {
	case Bandwidth:
		if f.Rate < 1 || f.Rate > maxBandwidth {
			return fmt.Errorf("Rate is %d; a bandwidth fault takes bytes a second, 1 to %d", f.Rate, maxBandwidth)
		}
	case SlowNode, HoldMessage, ClockTick, TimerError, LateDuplicate, LongTail:
		if f.Amount == 0 {
			return fmt.Errorf("Amount is 0s; a %s fault needs one", f.Kind)
		}
	case CrashRecovery:
		if f.Profile != "" {
			_, err := parseProfile(f.Kind, f.Profile)
			return err
		}
	case Upgrade:
		if f.Profile == "" {
			return fmt.Errorf("Profile is empty; an upgrade fault takes the name of a version")
		}
	}
	if variants, ok := variantsOf(f.Kind); ok && f.Profile != "" && !slices.Contains(variants, f.Profile) {
		return fmt.Errorf("Profile is %q; a %s fault takes %s", f.Profile, f.Kind, strings.Join(variants, " or "))
	}
	return nil
}

// maxBandwidth is the largest bandwidth in bytes a second.
const maxBandwidth int64 = 1 << 40

// mostCount returns the largest Count of a kind.
func mostCount(k Kind) int64 {
	switch k {
	case LossBurst:
		return simnet.MaxBurst
	case CorruptMessage:
		return simnet.MaxBits
	case Bandwidth:
		return maxBandwidth
	default:
		return 1_000_000
	}
}

// variantsOf returns the Profiles of a kind that has some.
func variantsOf(k Kind) ([]string, bool) {
	switch k {
	case Pause:
		return []string{"stop-clock"}, true
	case Clog, SwizzleClog:
		return []string{"in", "out"}, true
	case CorruptMessage:
		return []string{"deliver"}, true
	case Bandwidth:
		return []string{"early"}, true
	case ClockFreeze:
		return []string{"all"}, true
	case TimerError:
		return []string{"early", "late"}, true
	}
	return nil, false
}
