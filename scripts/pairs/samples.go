package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// key names one number that a benchmark reports.
type key struct {
	row    string
	side   string // "ours" or "base"
	metric metric
}

// samples holds every value of each number, in the order of the runs.
type samples map[key][]float64

// forget drops the values of a row.
func (s samples) forget(row string) {
	for k := range s {
		if k.row == row {
			delete(s, k)
		}
	}
}

// read adds the lines of a benchmark's output, such as
//
//	BenchmarkPair/queue-hold/ours-2   1000   36.5 ns/op   0 B/op   0 allocs/op
func (s samples) read(output string) error {
	for line := range strings.Lines(output) {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			continue
		}
		path, ok := strings.CutPrefix(fields[0], "BenchmarkPair/")
		if !ok {
			continue
		}
		name, side, ok := strings.Cut(path, "/")
		side, _, _ = strings.Cut(side, "-") // the number of processors
		if !ok || side != "ours" && side != "base" {
			return fmt.Errorf("benchmark %s: name it BenchmarkPair/<row>/ours or BenchmarkPair/<row>/base", fields[0])
		}
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return fmt.Errorf("benchmark line %q: %w", strings.TrimSpace(line), err)
			}
			k := key{name, side, metric(fields[i+1])}
			s[k] = append(s[k], value)
		}
	}
	return nil
}

// median returns the middle of the values, or the mean of the middle two.
func median(values []float64) (float64, bool) {
	if len(values) == 0 {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(values))
	mid := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[mid], true
	}
	return (sorted[mid-1] + sorted[mid]) / 2, true
}
