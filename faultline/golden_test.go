package faultline

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func goldenRecipe(t *testing.T, seed uint64) recipe {
	t.Helper()
	opt, err := Options{Duration: 6 * time.Second}.complete(false)
	if err != nil {
		t.Fatal(err)
	}
	return recipe{opt: opt, seed: seed, setup: func(w *World) {
		w.Role("busy", func(n *Node) bool { e, _ := programOf(n); return e.seen%2 == 0 })
		cluster(w, nil)
	}}
}

func hashOf(t *testing.T, r recipe) string {
	t.Helper()
	x := r.execute(time.Time{})
	if x.failure != nil || x.setup != nil {
		t.Fatal(x.failure, x.setup)
	}
	return hex.EncodeToString(x.result.Hash[:])
}

// The golden hashes are of a small cluster under all default faults. They may
// change when any module below changes what it traces or draws; never from
// machine to machine, nor with the Go release. UPDATE_GOLDEN=1 writes them
// anew.
func TestGoldenHashes(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(24) {
		fmt.Fprintf(&b, "%s %s\n", seedText(seed), hashOf(t, goldenRecipe(t, seed)))
	}
	path := filepath.Join("testdata", "golden", "hashes.txt")
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("hashes differ:\n got:\n%s\n want:\n%s", b.String(), want)
	}
}

func TestSameSeedSameHashAThousandTimes(t *testing.T) {
	runs := 1000
	if testing.Short() {
		runs = 50
	}
	r := goldenRecipe(t, 5)
	want := hashOf(t, r)
	for i := range runs {
		r.level = kernel.Level(i % 2) // recording must change nothing
		if got := hashOf(t, r); got != want {
			t.Fatalf("run %d: hash %s, before %s", i, got, want)
		}
	}
	r.seed++
	if hashOf(t, r) == want {
		t.Error("another seed has the same hash")
	}
}
