package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

// TestFewPatches finds mistakes in the library as the command does. The command
// tries all.
func TestFewPatches(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library")
	}
	all, err := patch.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	list, err := patch.Select(all, []string{"commit-one-half", "read-old-ack"})
	if err != nil {
		t.Fatal(err)
	}
	s := patch.Search{
		Package: "github.com/hmdsefi/faultline/harness-etcdraft/raftpatch", Tests: "^TestClusters$",
		Seeds: 200, Limit: 2 * time.Minute, Out: os.Stdout,
	}
	found, err := s.Run(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		if number, _, _ := strings.Cut(f.Check, " "); !slices.Contains(f.Patch.Breaks, number) {
			t.Errorf("%s (%s) should break one of %v; after %d seeds: %q, %s", f.Patch.Name, f.Patch.What, f.Patch.Breaks, f.Seeds, f.Check, f.Message)
		}
	}
}

// A table keeps the rows that a run has not tried, and loses those of patches
// that are gone.
func TestTable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "table.md")
	a, b := &patch.Patch{Name: "a", What: "one"}, &patch.Patch{Name: "b", What: "two", Beyond: "nobody does"}
	both := []*patch.Patch{a, b}
	for _, step := range []struct {
		catalog []*patch.Patch
		found   *patch.Found
		driver  bool
		want    string
	}{
		{both, &patch.Found{Patch: a, Seeds: 7, Check: "P1 x"}, false, "| a | one | 7 | P1 x |\n| b | two |  |  |\n"},
		{both, &patch.Found{Patch: b, Seeds: 1000}, false, "| a | one | 7 | P1 x |\n| b | two | – | not met: nobody does |\n"},
		{both, &patch.Found{Patch: a, Seeds: 3, Check: "P2 y"}, true, "| a | one | 7 | P1 x |\n| b | two | – | not met: nobody does |\n"},
		{both, &patch.Found{Patch: b, Seeds: 5, Check: "P2 y"}, true, "| a | one | 7 | P1 x |\n| b | two | 5 (driver) | P2 y |\n"},
		{both, &patch.Found{Patch: b, Seeds: 1000}, false, "| a | one | 7 | P1 x |\n| b | two | 5 (driver) | P2 y |\n"},
		{both, &patch.Found{Patch: b, Seeds: 9, Check: "P3 z"}, false, "| a | one | 7 | P1 x |\n| b | two | 9 | P3 z |\n"},
		{both[:1], &patch.Found{Patch: a, Seeds: 1000}, false, "| a | one | – |  |\n"},
	} {
		if err := updateTable(file, step.catalog, step.found, step.driver); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := head + step.want; string(text) != want {
			t.Fatalf("the table is\n%s\nwant\n%s", text, want)
		}
	}
}
