package main

import (
	"fmt"
	"strings"
)

// broken returns the rows that were measured and break their gate.
func broken(rows []row, results samples) []row {
	var out []row
	for _, r := range rows {
		_, measured := median(results[key{r.name, "ours", r.metric}])
		if _, ok := table([]row{r}, results, false); measured && !ok {
			out = append(out, r)
		}
	}
	return out
}

// table renders the verdict of each row and reports whether all rows pass. A
// row without a benchmark is named, and fails only when strict.
func table(rows []row, results samples, strict bool) (text string, ok bool) {
	var b strings.Builder
	ok = true
	missing := 0
	fmt.Fprintf(&b, "%-14s %12s %12s %8s %6s %6s  %-8s %s\n", "row", "ours", "base", "value", "gate", "goal", "", "what")
	for _, r := range rows {
		ours, haveOurs := median(results[key{r.name, "ours", r.metric}])
		base, haveBase := median(results[key{r.name, "base", r.metric}])
		if !haveOurs || r.paired && !haveBase {
			missing++
			ok = ok && !strict
			fmt.Fprintf(&b, "%-14s %12s %12s %8s %6g %6g  %-8s %s: no BenchmarkPair/%s with %s in %s\n", r.name, "-", "-", "-", r.gate, r.goal, "MISSING", r.about, r.name, r.metric, r.module)
			continue
		}
		value, other := ours, "-"
		if r.paired {
			value, other = ours/base, fmt.Sprintf("%.4g", base)
		}
		verdict := "ok"
		switch {
		case value > r.gate && value <= r.unmet:
			verdict = "UNMET"
		case !(value <= r.gate): // also a value that is not a number
			verdict = "BROKEN"
			ok = false
		case value <= r.goal:
			verdict = "goal"
		}
		fmt.Fprintf(&b, "%-14s %12.4g %12s %8.3f %6g %6g  %-8s %s\n", r.name, ours, other, value, r.gate, r.goal, verdict, r.about)
	}
	if missing > 0 {
		fmt.Fprintf(&b, "%d of %d rows have no benchmark yet\n", missing, len(rows))
	}
	return b.String(), ok
}
