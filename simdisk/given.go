package simdisk

import (
	"math"
	"strings"
)

// MostChoice returns the largest value that a choice about disks can have, by
// the name of its choice point, such as "disk/n1/sync-fail"; false if there is
// no such point. The smallest is 1. A given choice that is larger is a misuse,
// which fails the run.
func MostChoice(point string) (most int64, known bool) {
	rest, ok := strings.CutPrefix(point, "disk/")
	_, what, cut := strings.Cut(rest, "/")
	if !ok || !cut {
		return 0, false
	}
	switch what {
	case "sync-fail":
		return int64(mostModes[syncFault]), true
	case "write-fail":
		return int64(mostModes[writeFault]), true
	case "read-fail":
		return int64(mostModes[readFault]), true
	case "corrupt":
		return math.MaxInt64, true
	}
	switch {
	case strings.HasPrefix(what, "crash/name/"):
		return 1, true
	case strings.HasPrefix(what, "crash/data/"):
		return maxValue, true
	}
	return 0, false
}
