package faultline

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// seedsRun returns the seeds that a scenario has run, in order.
func (o *outcome) seedsRun() []string {
	var seeds []string
	for _, m := range regexp.MustCompile(`(?m)^=== RUN .*/seed=(0x\w+)`).FindAllStringSubmatch(o.text, -1) {
		seeds = append(seeds, m[1])
	}
	return seeds
}

// A sweep of a given time runs the seeds of the test's list in its order, and
// says how many: the same number of seeds is the same sweep.
func TestSweepOfAGivenTime(t *testing.T) {
	o := runScenario(t, "pass", "FAULTLINE_FOR=300ms", "FAULTLINE_BASE_SEED=5", "FAULTLINE_SHARD=1/2")
	if o.failed {
		t.Fatal(o.text)
	}
	m := regexp.MustCompile(`faultline: (\d+) seeds in .*s \(FAULTLINE_FOR=300ms\); (FAULTLINE_SEEDS=\d+) runs the same ones`).FindStringSubmatch(o.text)
	if m == nil {
		t.Fatal(o.text)
	}
	o.wants(t, "faultline: "+m[1]+" runs, 0 failed")
	again := runScenario(t, "pass", m[2], "FAULTLINE_BASE_SEED=5", "FAULTLINE_SHARD=1/2")
	if seeds := o.seedsRun(); len(seeds) < 2 || !slices.Equal(seeds, again.seedsRun()) {
		t.Errorf("%d seeds were run, and with %s %d", len(seeds), m[2], len(again.seedsRun()))
	}
}

// One seed is run however short the time is, and a number of seeds may end the
// sweep before it.
func TestEndsOfASweep(t *testing.T) {
	o := runScenario(t, "pass", "FAULTLINE_FOR=1ns", "FAULTLINE_EXPLORE=1")
	o.wants(t, "faultline: 1 seed in ", "exploring the seeds derived from FAULTLINE_BASE_SEED=")
	if n := len(o.seedsRun()); n != 1 {
		t.Errorf("%d seeds were run", n)
	}
	if n := len(runScenario(t, "pass", "FAULTLINE_FOR=1h", "FAULTLINE_SEEDS=3").seedsRun()); n != 3 {
		t.Errorf("%d seeds were run of 3", n)
	}
	o = runScenarioArgs(t, "pass", []string{"-test.timeout=20s"}, "FAULTLINE_FOR=1m")
	o.wants(t, "faultline: FAULTLINE_FOR=1m0s does not fit before the test's deadline: runs must be over in 1", "; raise go test -timeout (it is 10m by default and 0 lifts it), or lower FAULTLINE_FOR")
	if len(o.seedsRun()) > 0 || !o.failed {
		t.Error("seeds were run, or it passed")
	}
	o = runScenario(t, "pass", "FAULTLINE_FOR=1m", "FAULTLINE_SEED=7")
	o.wants(t, "FAULTLINE_FOR and FAULTLINE_SEED say different things about what to run; set one of them")
}

// go test sees for which variables a test asks: it must not show the cached
// result of a run with others.
func TestVariablesCountForTheCache(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	runScenarioArgs(t, "pass", []string{"-test.testlogfile=" + log})
	asked, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings() {
		if !strings.Contains(string(asked), "getenv "+envPrefix+s.name+"\n") {
			t.Errorf("%s%s is not asked for", envPrefix, s.name)
		}
	}
}
