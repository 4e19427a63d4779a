package simnet

import "strings"

// MostChoice returns the largest value that a choice about messages can have,
// by the name of its choice point, such as "net/n1>n2/delay"; false if there is
// no such point. The smallest is 1. A given choice that is larger is a misuse,
// which fails the run.
func MostChoice(point string) (most int64, known bool) {
	rest, ok := strings.CutPrefix(point, "net/")
	link, what, cut := strings.Cut(rest, "/")
	if !ok || !cut || !strings.Contains(link, ">") {
		return 0, false
	}
	switch what {
	case "drop":
		return 1, true
	case "dup":
		return MaxCopies, true
	case "delay", "late":
		return int64(MaxDelay), true
	case "corrupt":
		return 2 * MaxBits, true
	}
	return 0, false
}
