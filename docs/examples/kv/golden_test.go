package kv

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/faultline"
)

// TestGolden compares the trace hashes of twenty seeds with those that are
// committed: every machine and every Go release must agree on what a seed
// means. They may change when the example or the simulator changes on purpose;
// UPDATE_GOLDEN=1 go test -run Golden writes them anew.
func TestGolden(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results.jsonl")
	t.Setenv("FAULTLINE_RESULTS", results)
	t.Setenv("FAULTLINE_SEEDS", "20")
	t.Run("seeds", func(t *testing.T) {
		opt := options()
		opt.BaseSeed = 1
		faultline.Run(t, opt, setup(Bugs{}, Faults()))
	})
	data, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for line := range strings.Lines(string(data)) {
		var r struct {
			Seed, Hash string
			Event      uint64
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%s %s %d events\n", r.Seed, r.Hash, r.Event)
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
