package etcdraft

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/faultline"
)

// TestGolden compares trace hashes with testdata/golden/hashes.txt:
//
//	UPDATE_GOLDEN=1 go test -run Golden .
//
// They may change when the harness, the library or the simulator does
// something else for a seed: that breaks recorded schedules and pinned seeds,
// and belongs into the changelog.
func TestGolden(t *testing.T) {
	var b strings.Builder
	for _, c := range []struct {
		name string
		cfg  Config
	}{
		{"three", Config{}}, {"five", Config{Nodes: 5}}, {"membership", Config{Membership: true}}, {"one", Config{Nodes: 1}},
	} {
		for seed := uint64(1); seed <= 6; seed++ {
			cryptotest.SetGlobalRandom(t, seed)
			out, err := faultline.Once(faultline.Options{Duration: 5 * time.Second, QuietFor: 3 * time.Second, Unrestricted: true}, seed, func(w *faultline.World) {
				cluster := Setup(w, c.cfg)
				w.Faults(Faults())
				cluster.AimFaults()
			})
			if err != nil || out.Failure != nil {
				t.Fatal(c.name, seed, err, out.Failure)
			}
			fmt.Fprintf(&b, "%s %d %d %x\n", c.name, seed, out.Result.Events, out.Result.Hash)
		}
	}
	file := filepath.Join("testdata", "golden", "hashes.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != b.String() {
		t.Errorf("%s is out of date; see the comment at TestGolden. Got:\n%s", file, b.String())
	}
}
