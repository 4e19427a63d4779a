package faultline

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// propertiesOf declares properties, some of which a seed meets, depending on
// SCENARIO_MEETS.
func propertiesOf(_ *testing.T, w *World) {
	meets := os.Getenv("SCENARIO_MEETS")
	reached := w.Reachable("step down")
	never := w.Reachable("give up")
	asked := w.Always("sorted")
	unasked := w.Always("unique")
	size := w.Watermark("queue length")
	w.Watermark("unused")
	w.Unreachable("two leaders")
	w.Sim().At(kernel.Time(time.Second), func() {
		size(int64(w.Seed() % 1000))
		asked(true, "not sorted")
		reached()
		if strings.Contains(meets, "rest") {
			never()
			unasked(true, "not unique")
			w.Watermark("late") // a declaration after the start counts too
		}
	})
}

func TestProperties(t *testing.T) {
	o := runScenario(t, "properties")
	if !o.failed {
		t.Error("it passes")
	}
	o.wants(t, `never reached in these seeds: "give up"`, `never asked for in these seeds: "unique"`, `largest "queue length": `, `(seed 0x`,
		`coverage "give up": never reached in 4 seeds`, `coverage "unique": never asked for in 4 seeds`, `coverage "unused": never had a value in 4 seeds`)
	for _, met := range []string{"step down", "sorted", "two leaders"} {
		if strings.Contains(o.text, fmt.Sprintf("%q: never", met)) {
			t.Errorf("%q is met, or need not be:\n%s", met, o.text)
		}
	}
	runScenario(t, "always").wants(t, `faultline: always "small" failed at 1s`, "7 is too large")
	runScenario(t, "unreachable").wants(t, `faultline: unreachable "nowhere" failed at 1s`, "got there with 7")
}

// Coverage is added up over processes, each with seeds of its own, and judged
// then.
func TestCoverageOfProcesses(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "b.jsonl")
	for file, seeds := range map[string]string{a: "1,2,1999", b: "3,4"} {
		o := runScenario(t, "properties", "FAULTLINE_COVERAGE="+file, "FAULTLINE_SEED_LIST="+seeds)
		if o.failed {
			t.Errorf("a part of the sweep is judged alone:\n%s", o.text)
		}
	}
	o := runScenario(t, "properties", "FAULTLINE_COVERAGE_MERGE="+a+","+b)
	if !o.failed {
		t.Error("the whole sweep is not judged")
	}
	o.wants(t, "5 runs in 2 files", `largest "queue length": 999 (seed 0x00000000000007cf)`, `coverage "give up": never reached in 5 seeds`)
	if strings.Contains(o.text, "seed=0x") {
		t.Errorf("seeds are run:\n%s", o.text)
	}
	runScenario(t, "properties", "FAULTLINE_SHARD=0/2").wants(t, "never reached in 2 seeds", "or judge all 2 shards together, by FAULTLINE_COVERAGE in each")
	runScenario(t, "properties", "FAULTLINE_COVERAGE="+b, "FAULTLINE_SEED_LIST=5", "SCENARIO_MEETS=rest")
	o = runScenario(t, "properties", "FAULTLINE_COVERAGE_MERGE="+a+","+b)
	o.wants(t, "6 runs in 2 files", `coverage "unused"`)
	if strings.Contains(o.text, `"give up"`) {
		t.Errorf("it was reached in one process:\n%s", o.text)
	}
	if o := runScenario(t, "pass-sub", "FAULTLINE_COVERAGE_MERGE="+a); o.failed || !strings.Contains(o.text, "SKIP") {
		t.Errorf("there is nothing to judge:\n%s", o.text)
	}
	runScenario(t, "properties", "FAULTLINE_COVERAGE_MERGE="+filepath.Join(dir, "c")).wants(t, "FAULTLINE_COVERAGE_MERGE: stat ")
	spaced := filepath.Join(dir, "a b")
	if err := os.Link(a, spaced); err != nil {
		t.Fatal(err)
	}
	if got := coverageFiles(" " + spaced + ", ," + b + "," + dir + "/./b.jsonl," + a); len(got) != 2 || got[0] != spaced || got[1] != b {
		t.Errorf("the files are %q, want %q and %q", got, spaced, b)
	}
	runScenario(t, "properties", "FAULTLINE_COVERAGE_MERGE="+os.DevNull).wants(t, "FAULTLINE_COVERAGE_MERGE: "+os.DevNull+" is not a regular file")
}
