//go:build !unix

package etcdraft

import "time"

// cpuTime returns 0: the CPU time is not known here.
func cpuTime() time.Duration { return 0 }
