package etcdraft

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// TestShrinkTable shrinks a failing seed of each planted bug and writes the rows
// of docs/reference/shrinking.md:
//
//	SHRINK_TABLE=1 go test -run TestShrinkTable ./harness-etcdraft
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
		cfg := p.cfg
		cfg.Bugs = p.bugs
		opt := faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}, ShrinkBudget: 60 * time.Second}
		setup := func(w *faultline.World) {
			Setup(w, cfg)
			w.Faults(Faults())
		}
		whole := recordFailure(t, opt, setup, 100)
		if whole == nil {
			t.Logf("%s is not found in %d seeds", p.name, 100)
			continue
		}
		small, err := faultline.Shrink(t, opt, whole.Schedule, setup)
		if err != nil || small.Schedule == nil {
			t.Fatalf("%s: %v %s", p.name, err, small.Note)
		}
		cryptotest.SetGlobalRandom(t, small.Schedule.Seed)
		again, err := faultline.Replay(opt, small.Schedule, setup)
		if err != nil || again.Failure == nil || faultline.Signature(again.Failure) != faultline.Signature(whole.Failure) {
			t.Errorf("%s: the small schedule fails with %v (%v), the whole one with %v", p.name, again.Failure, err, whole.Failure)
		}
		f0, c0, o0 := faultline.Count(whole.Schedule)
		f, c, o := faultline.Count(small.Schedule)
		part := 100 - 100*float64(f+c+o)/float64(f0+c0+o0)
		removed = append(removed, part)
		script := len(byHand()[p.name])
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
	writeRows(t, filepath.Join("..", "docs", "reference", "shrinking.md"), "raft", rows)
}

// byHand are the fewest faults that a person needs to bring a bug out, for those
// that need any.
func byHand() map[string][]fault.Fault {
	all := fault.Target{Group: "servers", Pick: fault.All}
	return map[string][]fault.Fault{
		"RetryFailedSync": {{Kind: fault.SyncFail, At: 2 * time.Second, For: 50 * time.Millisecond, Target: all, Profile: "drop-dirty"}},
		"AcceptTornTail":  {{Kind: fault.PowerLoss, At: 3 * time.Second, For: 10 * time.Millisecond, Target: all, Profile: "torn"}},
		"NoSessions":      {{Kind: fault.Duplicate, At: time.Second, For: 6 * time.Second, Rate: 1_000_000}},
		"ForgetSessions":  {{Kind: fault.Delay, At: 500 * time.Millisecond, For: 7 * time.Second, Rate: 300_000, Amount: 900 * time.Millisecond}},
	}
}

// TestByHand shows that each of these scripts brings its bug out, and that the
// other bugs need no fault.
func TestByHand(t *testing.T) {
	if os.Getenv("SHRINK_TABLE") == "" {
		t.Skip("takes a minute; SHRINK_TABLE=1 runs it")
	}
	seeds := kernel.NewStream(1, "by hand")
	for _, p := range plants() {
		cfg := p.cfg
		cfg.Bugs = p.bugs
		hits := 0
		for n := range uint64(30) {
			cryptotest.SetGlobalRandom(t, seeds.At(n))
			out, err := faultline.Once(faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}}, seeds.At(n), func(w *faultline.World) {
				Setup(w, cfg)
				w.Script(byHand()[p.name]...)
			})
			if err != nil {
				t.Fatal(err)
			}
			if out.Failure != nil {
				hits++
				break
			}
		}
		if hits == 0 {
			t.Errorf("%s: %d faults bring it out in none of 30 seeds", p.name, len(byHand()[p.name]))
		}
	}
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
