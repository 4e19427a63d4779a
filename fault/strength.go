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
	return f.validateDisk()
}
