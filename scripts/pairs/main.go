// Command pairs measures the repository against itself and against the plain
// ways to do the same work. It runs the benchmarks BenchmarkPair/<row>/ours and
// BenchmarkPair/<row>/base in one process, several processes in turn, takes the
// median of each side, and prints their ratios beside the gates and goals of
// the table in rows.go. Only ratios taken in one run count: the machine is the
// same for both sides.
//
// A row whose gate is broken is measured once more, for longer, before it counts.
// It exits with 1 if a gate is broken, or with -strict if a row has no
// benchmark. -row selects rows by name, -count sets the number of processes.
package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	strict := flag.Bool("strict", false, "fail if a row of the table has no benchmark")
	count := flag.Int("count", 5, "how often to run each pair, at least 1")
	only := flag.String("row", "", "comma-separated names of the rows to run; empty runs all")
	flag.Parse()
	ok, err := run(*strict, *count, *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "pairs:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

func run(strict bool, count int, only string) (ok bool, err error) {
	if count < 1 {
		return false, fmt.Errorf("-count %d: run each pair at least once", count)
	}
	chosen, err := choose(rows, only)
	if err != nil {
		return false, err
	}
	w, err := workspace.Open(".")
	if err != nil {
		return false, err
	}
	results, err := measure(w, chosen, count)
	if err != nil {
		return false, err
	}
	text, ok := table(chosen, results, strict)
	fmt.Print(text)
	again := broken(chosen, results)
	if len(again) == 0 {
		return ok, nil
	}
	fmt.Println("\nthe broken rows once more, three times as often: a regression stays, a bad minute of the machine does not")
	for _, r := range again {
		results.forget(r.name)
	}
	more, err := measure(w, again, 3*count)
	if err != nil {
		return false, err
	}
	text, _ = table(again, more, strict)
	fmt.Print(text)
	maps.Copy(results, more)
	_, ok = table(chosen, results, strict)
	return ok, nil
}

// choose returns the rows that the comma-separated list names, or all.
func choose(rows []row, only string) ([]row, error) {
	if only == "" {
		return rows, nil
	}
	var chosen []row
	for name := range strings.SplitSeq(only, ",") {
		found := false
		for _, r := range rows {
			if r.name == name {
				chosen, found = append(chosen, r), true
			}
		}
		if !found {
			return nil, fmt.Errorf("no row is called %q; the names are in scripts/pairs/rows.go", name)
		}
	}
	return chosen, nil
}
