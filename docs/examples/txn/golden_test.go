package txn

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/faultline"
)

// TestGolden compares the trace hashes of ten seeds of the store, and of the
// store with replicas, with those that are committed. They may change when the
// example or the simulator changes on purpose; UPDATE_GOLDEN=1 go test -run Golden
// writes them anew.
func TestGolden(t *testing.T) {
	var got strings.Builder
	for _, c := range []struct {
		name  string
		bugs  Bugs
		level isolation.Level
	}{{"store", Bugs{}, isolation.StrictSerializable}, {"replicas", Bugs{Replicas: true}, isolation.ConsistentView}} {
		results := filepath.Join(t.TempDir(), "results.jsonl")
		t.Setenv("FAULTLINE_RESULTS", results)
		t.Setenv("FAULTLINE_SEEDS", "10")
		t.Run(c.name, func(t *testing.T) {
			opt := options()
			opt.BaseSeed = 1
			faultline.Run(t, opt, setup(c.bugs, c.level))
		})
		data, err := os.ReadFile(results)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			var r struct {
				Seed, Hash string
				Event      uint64
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&got, "%s %s %s %d events\n", c.name, r.Seed, r.Hash, r.Event)
		}
	}
	golden := filepath.Join("testdata", "golden", "seeds.txt")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(golden), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the seeds mean something else than what was committed:\n%s\nwant:\n%s", got.String(), want)
	}
}
