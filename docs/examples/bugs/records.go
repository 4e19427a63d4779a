package bugs

import "strings"

// Records returns the whole records at the beginning of a file in which each is
// a line. What a crash has left out in the middle reads as zeros, and ends them.
func Records(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		record, whole := strings.CutSuffix(line, "\n")
		if !whole || strings.Contains(record, "\x00") {
			break
		}
		out = append(out, record)
	}
	return out
}
