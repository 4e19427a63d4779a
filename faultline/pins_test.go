package faultline

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// The line pin: of a failure names the file that faultline pin would, and never one
// in which another failure of that check and seed is pinned.
func TestPinLineReplacesNoOtherPin(t *testing.T) {
	dir := t.TempDir()
	pins := filepath.Join(dir, artifact.PinDir("TestScenario/#00"))
	first := runScenario(t, "nth-message", "FAULTLINE_SHRINK=off", "FAULTLINE_SEEDS=30", "SCENARIO_DIR="+dir)
	seed := first.report(t).Seed
	name := artifact.PinName("the fourth", uint64(seed))
	from, to := first.pinLine(t)
	if want := filepath.Join(pins, name+".json"); to != want {
		t.Errorf("the failure is to be pinned as %s, want %s", to, want)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(pins, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	again := []string{"FAULTLINE_SHRINK=off", "FAULTLINE_SEED=" + seed.String(), "SCENARIO_DIR=" + dir}
	if _, same := runScenario(t, "nth-message", again...).pinLine(t); same != to {
		t.Errorf("the same failure is to be pinned as %s, want %s", same, to)
	}
	other := filepath.Join(pins, name+"-2.json")
	if _, got := runScenario(t, "nth-message-other", again...).pinLine(t); got != other {
		t.Errorf("another failure is to be pinned as %s, want %s", got, other)
	}
	if err := os.WriteFile(other, []byte("no schedule"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, got := runScenario(t, "nth-message-other", again...).pinLine(t); got != filepath.Join(pins, name+"-3.json") {
		t.Errorf("a file that cannot be read is to be replaced: %s", got)
	}
}

// A pin that fails otherwise than it expects says so, in the output and in the report,
// and is kept.
func TestPinFailsOtherwise(t *testing.T) {
	pins := pinIn(t, runScenario(t, "nth-message", "FAULTLINE_SHRINK=off", "FAULTLINE_SEEDS=30"), artifact.ScheduleFile)
	env := []string{"SCENARIO_DIR=" + pins, "FAULTLINE_SHRINK=off"}
	const not = "this is not the failure that is pinned"
	expects, is := `it.json expects invariant "the fourth": the fourth is not there`, `this is invariant "the fourth": nobody knows where the fourth is`
	o := runScenario(t, "nth-message-other", env...)
	o.wants(t, "/pin=it", not, expects, is)
	if got := o.report(t).Failure.Detail; !strings.Contains(got, not) || !strings.Contains(got, expects) || !strings.Contains(got, is) {
		t.Errorf("the report says %q of the pin", got)
	}
	if _, to := o.pinLine(t); filepath.Base(to) == "it.json" {
		t.Error("the line pin: replaces the pin of the other failure")
	}
	o = runScenario(t, "nth-message", env...)
	if o.wants(t, "/pin=it"); strings.Contains(o.text, not) || o.report(t).Failure.Detail != "" {
		t.Errorf("the pinned failure is taken for another one:\n%s", o.text)
	}
}

// pinLine returns what the line pin: of the output copies where.
func (o *outcome) pinLine(t *testing.T) (from, to string) {
	t.Helper()
	m := regexp.MustCompile(`(?m)^ *pin: +mkdir -p '?[^']*?'? && cp '?([^']*?)'? '?([^']*?)'?$`).FindStringSubmatch(o.text)
	if m == nil {
		t.Fatalf("the output has no line pin:\n%s", o.text)
	}
	return m[1], m[2]
}
