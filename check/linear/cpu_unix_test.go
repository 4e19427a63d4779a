//go:build unix

package linear_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of this process: it says more than the
// clock on a machine that others use too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
