package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
)

// reproFile is the schedule of a test that has it in its source. Such a test
// replays itself.
const reproFile = "reproduce.json"

// ranSuffix ends the name of the file beside it that says that it was run.
const ranSuffix = ".ran"

// Reproduce runs a test with one schedule in place of its seeds: the Run that
// the schedule is of, as its Test says, replays it, and all others that the test
// makes are skipped. It is what the command faultline repro writes tests with,
// and works for schedules that are written by hand: one without a Test is for
// every Run. It fails as long as the replay does, and when nothing is replayed,
// as when the test skips itself; with -short, when tests may leave themselves out,
// it is skipped then.
//
// The FAULTLINE_ variables that choose what is run do not count. It uses
// t.Setenv, so the test must not be parallel.
func Reproduce(t *testing.T, s *fault.Schedule, test func(t *testing.T)) {
	t.Helper()
	for _, name := range []string{"SEED", "SEED_LIST", "FOR", "EXPLORE", "REPLAY", "SHRINK_DIR"} {
		t.Setenv(envPrefix+name, "")
	}
	if os.Getenv(envPrefix+"SHRINK") == "" {
		t.Setenv(envPrefix+"SHRINK", "off")
	}
	own := *s
	if s.Test != "" { // the same subtest, below this test
		own.Test = t.Name()
		if _, sub, ok := strings.Cut(s.Test, "/"); ok {
			own.Test += "/" + sub
		}
	}
	path := filepath.Join(t.TempDir(), reproFile)
	if err := os.WriteFile(path, own.Encode(), 0o600); err != nil {
		t.Fatalf("faultline: the schedule cannot be written: %v", err)
	}
	t.Setenv(envPrefix+"SCHEDULE", path)
	t.Cleanup(func() { // after subtests that are parallel, and a t.Skip
		if _, err := os.Stat(path + ranSuffix); err == nil || t.Failed() || testing.Short() && t.Skipped() {
			return
		}
		why := "no Run of the test is that of the schedule"
		if t.Skipped() {
			why = "the test was skipped, see above"
		}
		t.Errorf("faultline: nothing was replayed: %s", why)
	})
	test(t)
}

// noteReproduced tells Reproduce that its schedule was run.
func noteReproduced(t *testing.T, j job) {
	t.Helper()
	if filepath.Base(j.from) != reproFile {
		return
	}
	if err := os.WriteFile(j.from+ranSuffix, nil, 0o600); err != nil {
		t.Errorf("faultline: that the schedule was run cannot be noted: %v", err)
	}
}
