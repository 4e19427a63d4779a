package kv

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// TestShrinkTable shrinks a failing seed of each planted bug and writes the rows
// of docs/reference/shrinking.md:
//
//	SHRINK_TABLE=1 go test -run TestShrinkTable ./docs/examples/kv
func TestShrinkTable(t *testing.T) {
	if os.Getenv("SHRINK_TABLE") == "" {
		t.Skip("takes minutes; SHRINK_TABLE=1 runs it and writes the table")
	}
	var rows []string
	var removed []float64
	for _, p := range plants() {
		if only := os.Getenv("SHRINK_TABLE"); only != "1" && !strings.Contains(","+only+",", ","+p.name+",") {
			continue
		}
		opt, rules := p.setting()
		opt.ShrinkBudget = 60 * time.Second
		setup := setup(p.bugs, rules)
		whole := firstFailure(t, opt, p, setup)
		small, err := faultline.Shrink(t, opt, whole.Schedule, setup)
		if err != nil || small.Schedule == nil {
			t.Fatalf("%s: %v %s", p.name, err, small.Note)
		}
		again, err := faultline.Replay(opt, small.Schedule, setup)
		if err != nil || again.Failure == nil || faultline.Signature(again.Failure) != faultline.Signature(whole.Failure) {
			t.Errorf("%s: the small schedule fails with %v (%v), the whole one with %v", p.name, again.Failure, err, whole.Failure)
		}
		f0, c0, o0 := faultline.Count(whole.Schedule)
		f, c, o := faultline.Count(small.Schedule)
		part := 100 - 100*float64(f+c+o)/float64(f0+c0+o0)
		removed = append(removed, part)
		script := len(scripts()[p.name])
		rows = append(rows, fmt.Sprintf("| %s | %s | %d, %d, %d | %d, %d, %d | %d | %.1f %% | %d | %.1f |",
			p.name, whole.Failure.Check, f0, c0, o0, f, c, o, script, part, small.Runs, small.Took.Seconds()))
		t.Log(rows[len(rows)-1])
		t.Log(small.Text)
		if 2*f > 3*script {
			t.Logf("%s: %d faults are left, the script has %d", p.name, f, script)
		}
	}
	sort.Float64s(removed)
	if median := removed[len(removed)/2]; median < 90 {
		t.Errorf("the median of what is removed is %.1f %%, want 90", median)
	}
	if os.Getenv("SHRINK_TABLE") != "1" {
		return
	}
	writeRows(t, filepath.Join("..", "..", "reference", "shrinking.md"), "kv", rows)
}

// firstFailure records the first seed that fails in the check that the bug
// breaks.
func firstFailure(t *testing.T, opt faultline.Options, p plant, setup func(*faultline.World)) faultline.Outcome {
	t.Helper()
	from := kernel.NewStream(1, "table")
	for n := range uint64(60) {
		out, err := faultline.Record(opt, from.At(n), setup)
		if err != nil {
			t.Fatal(err)
		}
		if out.Failure != nil && out.Failure.Check == p.check {
			return out
		}
	}
	t.Fatalf("%s is not found", p.name)
	return faultline.Outcome{}
}

// writeRows replaces the rows of a table, between two marks of a page.
func writeRows(t *testing.T, path, table string, rows []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), "<!-- rows: "+table+" -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- end: "+table+" -->\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no marks for the table %s", path, table)
	}
	i := strings.LastIndex(rest[:len(rest)-len(tail)], "|---|\n")
	text := head + "<!-- rows: " + table + " -->\n" + rest[:i+len("|---|\n")] + strings.Join(rows, "\n") + "\n<!-- end: " + table + " -->\n" + tail
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
