package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
)

// A pin that names a node that is called otherwise now is left out, with what does not
// fit; the other pins and the seeds run. A schedule that is asked for must fit.
func TestStalePin(t *testing.T) {
	dir := t.TempDir()
	pins := filepath.Join(dir, artifact.PinDir("TestScenario/#00"))
	if err := os.MkdirAll(pins, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, node := range []string{"n1", "a9"} { // the stale one runs first
		s := fault.Schedule{Seed: 7, Duration: time.Second, Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill,
			At: 300 * time.Millisecond, For: 10 * time.Millisecond, Target: fault.Target{Nodes: []string{node}}}}}
		if err := os.WriteFile(filepath.Join(pins, "of-"+node+".json"), s.Encode(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const why = `fault: fault 1 (kill#1): unknown node "a9"; the nodes are [n1 n2 n3 c1]`
	o := runScenarioArgs(t, "pass", nil, "SCENARIO_DIR="+dir)
	o.wants(t, "/pin=of-a9", "of-a9.json is stale, it was not run: it does not fit the setup any more: "+why,
		"/pin=of-n1", "/seed=0x", "faultline: 1 stale pin was not run; ", "\tof-a9.json: "+why, "3 runs (1 of pinned failures), 0 failed")
	if !o.failed || strings.Contains(o.text, "the setup is wrong") {
		t.Errorf("the stale pin has passed, or the setup is blamed for it:\n%s", o.text)
	}
	o = runScenario(t, "pass", "FAULTLINE_SCHEDULE="+filepath.Join(pins, "of-a9.json"))
	if o.wants(t, "the setup is wrong, nothing was run: "+why); !o.failed {
		t.Errorf("a schedule that does not fit has passed:\n%s", o.text)
	}
	o = runScenarioArgs(t, "wrong-setup", nil, "SCENARIO_DIR="+dir)
	if o.wants(t, "/pin=of-a9", "the setup is wrong, nothing was run: "); !o.failed || strings.Contains(o.text, "stale") {
		t.Errorf("a wrong setup is taken for a stale pin:\n%s", o.text)
	}
}
