//go:build !linux

package browsertest

// busyness is not known here; the gates are wide.
func busyness() float64 { return 5 }
