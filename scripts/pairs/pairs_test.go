package main

import (
	"math"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/testtree"
)

const output = `goos: linux
BenchmarkPair/queue/ours-2   	1000	 20.0 ns/op	 0 B/op	 0 allocs/op
BenchmarkPair/queue/base-2   	1000	 100 ns/op	 16 B/op	 1 allocs/op
BenchmarkPair/queue/ours-2   	1000	 900 ns/op	 0 B/op	 2 allocs/op
BenchmarkPair/queue/base-2   	1000	 110 ns/op	 16 B/op	 1 allocs/op
BenchmarkPair/queue/ours-2   	1000	 22.0 ns/op	 0 B/op	 0 allocs/op
BenchmarkPair/queue/base-2   	1000	 90 ns/op	 16 B/op	 1 allocs/op
BenchmarkPair/memory/ours   	1	 90 ns/op	 1200 live-B
PASS
`

func read(t *testing.T, text string) samples {
	t.Helper()
	s := samples{}
	if err := s.read(text); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestMeasure runs real benchmarks, one pair of two, in a small workspace.
func TestMeasure(t *testing.T) {
	w := testtree.Write(t, testtree.Three, `
-- kernel/pair_test.go --
package kernel

import (
	"testing"
	"time"
)

func BenchmarkPair(b *testing.B) {
	for _, row := range []string{"sleep", "sleep-longer", "busy"} {
		b.Run(row+"/ours", func(b *testing.B) {
			for b.Loop() {
				time.Sleep(time.Millisecond)
			}
		})
		b.Run(row+"/base", func(b *testing.B) {
			for b.Loop() {
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}
`)
	rows := []row{
		{name: "sleep", module: "kernel", metric: nanoseconds, paired: true, gate: 0.9, goal: 0.9, time: "1x"},
		{name: "busy", module: "kernel", metric: cpuSeconds, gate: 10, time: "1x"},
		{name: "absent", module: "kernel", metric: cpuSeconds, time: "1x"},
		{name: "nothing", module: "simdisk", metric: nanoseconds, time: "1x"},
	}
	results, err := measure(w, rows, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []key{{"sleep", "ours", nanoseconds}, {"sleep", "base", nanoseconds}, {"busy", "ours", cpuSeconds}, {"sleep", "ours", allocations}} {
		if len(results[k]) != 2 {
			t.Errorf("%v has values %v, want two", k, results[k])
		}
	}
	if len(results[key{"sleep-longer", "ours", nanoseconds}]) > 0 {
		t.Error("a row that was not asked for has run")
	}
	if text, ok := table(rows, results, false); !ok || !strings.Contains(text, "2 of 4 rows have no benchmark") {
		t.Errorf("ok is %v:\n%s", ok, text)
	}
}

func TestTable(t *testing.T) {
	results := read(t, output)
	for _, test := range []struct {
		name   string
		row    row
		strict bool
		want   string
		ok     bool
	}{
		{"median ratio", row{name: "queue", metric: nanoseconds, paired: true, gate: 0.25, goal: 0.1}, false, "0.220", true},
		{"goal", row{name: "queue", metric: nanoseconds, paired: true, gate: 0.25, goal: 0.22}, false, "goal", true},
		{"broken gate", row{name: "queue", metric: nanoseconds, paired: true, gate: 0.219, goal: 0.1}, false, "BROKEN", false},
		{"gate not met yet", row{name: "queue", metric: nanoseconds, paired: true, gate: 0.219, unmet: 0.3}, false, "UNMET", true},
		{"worse than what was reached", row{name: "queue", metric: nanoseconds, paired: true, gate: 0.1, unmet: 0.219}, false, "BROKEN", false},
		{"zero gate met", row{name: "queue", metric: allocations}, false, "goal", true},
		{"absolute", row{name: "memory", metric: liveBytes, gate: 1000, goal: 10}, false, "BROKEN", false},
		{"missing", row{name: "other", metric: nanoseconds, gate: 1}, false, "MISSING", true},
		{"missing, strict", row{name: "other", metric: nanoseconds, gate: 1}, true, "MISSING", false},
		{"no base", row{name: "memory", metric: liveBytes, paired: true, gate: 1}, true, "MISSING", false},
		{"no such metric", row{name: "queue", metric: cpuSeconds, gate: 1}, true, "MISSING", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, ok := table([]row{test.row}, results, test.strict)
			if ok != test.ok || !strings.Contains(text, test.want) {
				t.Errorf("ok is %v, want %v with %q in\n%s", ok, test.ok, test.want, text)
			}
		})
	}
}

// TestNotANumber sees that a ratio of nothing to nothing breaks its gate.
func TestNotANumber(t *testing.T) {
	results := samples{
		{"x", "ours", allocations}: {0},
		{"x", "base", allocations}: {0},
	}
	if !math.IsNaN(0 / results[key{"x", "base", allocations}][0]) {
		t.Fatal("this test needs 0/0")
	}
	if text, ok := table([]row{{name: "x", metric: allocations, paired: true, gate: 1}}, results, false); ok {
		t.Errorf("0/0 passes:\n%s", text)
	}
}

func TestReadErrors(t *testing.T) {
	for _, line := range []string{
		"BenchmarkPair/queue/theirs-2 10 20 ns/op",
		"BenchmarkPair/queue-2 10 20 ns/op",
		"BenchmarkPair/queue/ours-2 10 fast ns/op",
	} {
		if err := (samples{}).read(line); err == nil {
			t.Errorf("no error for %q", line)
		}
	}
}

func TestMedian(t *testing.T) {
	if _, ok := median(nil); ok {
		t.Error("nothing has a median")
	}
	if m, _ := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median of 1 to 4 is %v, want 2.5", m)
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(rows, ""); err != nil || len(all) != len(rows) {
		t.Errorf("no names choose %d rows, %v", len(all), err)
	}
	if two, err := choose(rows, "queue-hold,ping-pong"); err != nil || len(two) != 2 {
		t.Errorf("two names choose %v, %v", two, err)
	}
	if _, err := choose(rows, "queue"); err == nil || !strings.Contains(err.Error(), `"queue"`) {
		t.Errorf("an unknown name says %v", err)
	}
}

func TestBrokenRowsAreMeasuredAgain(t *testing.T) {
	results := samples{}
	for k, v := range map[key]float64{
		{"good", "ours", nanoseconds}: 1, {"good", "base", nanoseconds}: 10,
		{"bad", "ours", nanoseconds}: 9, {"bad", "base", nanoseconds}: 10,
	} {
		results[k] = []float64{v}
	}
	rows := []row{
		{name: "good", metric: nanoseconds, paired: true, gate: 0.5},
		{name: "bad", metric: nanoseconds, paired: true, gate: 0.5},
		{name: "missing", metric: nanoseconds, paired: true, gate: 0.5},
	}
	again := broken(rows, results)
	if len(again) != 1 || again[0].name != "bad" {
		t.Errorf("to be measured again: %v, want bad alone", again)
	}
	results.forget("bad")
	if len(results) != 2 || len(broken(rows, results)) != 0 {
		t.Errorf("after forgetting: %v", results)
	}
}
