package diff

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
)

// Line is a record of one trace, or of both.
type Line struct {
	A, B *kernel.Record // nil: the trace has no such record here
}

// Align lines up the records after the first difference: the longest common
// sequence of records that say the same.
func (r *Result) Align() []Line {
	a, b := r.After[0], r.After[1]
	keysA, keysB := keys(a), keys(b)
	longest := table(keysA, keysB)
	var out []Line
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && keysA[i] == keysB[j]:
			out = append(out, Line{&a[i], &b[j]})
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && longest[i+1][j] >= longest[i][j+1]:
			out = append(out, Line{A: &a[i]})
			i++
		default:
			out = append(out, Line{B: &b[j]})
			j++
		}
	}
	return r.trim(out)
}

// trim takes off the end what is there in one trace only because the other
// was not kept so far.
func (r *Result) trim(lines []Line) []Line {
	whole := true
	for i := range 2 {
		whole = whole && r.Counts[i]-r.Equal == uint64(len(r.After[i]))
	}
	last := len(lines)
	for last > 0 && (lines[last-1].A == nil || lines[last-1].B == nil) {
		last--
	}
	if whole || last == 0 {
		return lines
	}
	return lines[:last]
}

// table holds the lengths of the longest common sequences of the ends.
func table(a, b []string) [][]int {
	out := make([][]int, len(a)+1)
	for i := range out {
		out[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				out[i][j] = out[i+1][j+1] + 1
			} else {
				out[i][j] = max(out[i+1][j], out[i][j+1])
			}
		}
	}
	return out
}

// keys says what records are about, without numbers of events and times.
func keys(records []kernel.Record) []string {
	out := make([]string, len(records))
	for i := range records {
		r := &records[i]
		var b strings.Builder
		fmt.Fprintf(&b, "%q %d %q", r.Node, r.Boot, r.Kind)
		for _, at := range slices.Backward(hashed(r)) {
			if at.Type != kernel.AttrDur {
				fmt.Fprintf(&b, " %q=%q", at.Key, at.Value())
			}
		}
		out[i] = b.String()
	}
	return out
}
