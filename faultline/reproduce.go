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

// Reproduce runs a test with one schedule in place of its seeds: the Run that
// the schedule is of, as its Test says, replays it, and all others that the test
// makes are skipped. It is what the command faultline repro writes tests with,
// and works for schedules that are written by hand: one without a Test is for
// every Run. It fails as long as the replay does.
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
	test(t)
}
