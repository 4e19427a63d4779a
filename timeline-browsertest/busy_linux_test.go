package browsertest

import (
	"syscall"
	"time"
)

// busyness returns how much longer work takes than it needs of a processor,
// because of what else the machine does: about 1 if nothing else runs.
func busyness() float64 {
	const work = 100 * time.Millisecond
	start, used := time.Now(), processor()
	for processor()-used < work {
		for range 100_000 {
		}
	}
	return float64(time.Since(start)) / float64(processor()-used)
}

func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 1 << 62
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
