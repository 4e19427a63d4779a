//go:build !unix

package isolation

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
