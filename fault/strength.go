package fault

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// validateStrength reports a rate, amount or profile that the kind cannot use.
func (f Fault) validateStrength() error {
	switch f.Kind {
	case Loss, Duplicate, Delay:
		if f.Rate < 0 || f.Rate > 1_000_000 {
			return fmt.Errorf("Rate is %d; a %s fault takes parts per million, 0 to 1000000", f.Rate, f.Kind)
		}
		if f.Amount < 0 {
			return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
		}
	case Latency:
		if f.Amount < 0 {
			return fmt.Errorf("Amount is %v; it must not be negative", f.Amount)
		}
	case SlowDisk:
		if f.Rate < 1 || f.Rate > 1_000_000 {
			return fmt.Errorf("Rate is %d; a slow-disk fault takes a factor, 1 to 1000000", f.Rate)
		}
	case Corrupt:
		if f.Rate < 0 || f.Rate > 1024 {
			return fmt.Errorf("Rate is %d; a corrupt fault takes a number of bits, 0 to 1024, 0 meaning 1", f.Rate)
		}
	case ClockDrift:
		if f.Rate < kernel.MinDrift || f.Rate > kernel.MaxDrift {
			return fmt.Errorf("Rate is %d; a clock-drift fault takes parts per million, %d to %d", f.Rate, kernel.MinDrift, kernel.MaxDrift)
		}
	case PowerLoss:
		if f.Profile != "" {
			_, err := parseProfile(f.Profile)
			return err
		}
	case SyncFail:
		if f.Profile != "" && f.Profile != "drop-dirty" && f.Profile != "keep-dirty" {
			return fmt.Errorf("Profile is %q; a sync-fail fault takes drop-dirty or keep-dirty", f.Profile)
		}
	}
	return nil
}
