package raftcheck_test

import (
	"encoding/json"
	"errors"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

var patchFlag = flag.String("patches", "", "which patches to try: regular expressions of whole names, separated by commas; or culprits, one for each property")

// usual are the patches that are tried without a flag.
var usual = []string{"commit-minority", "vote-twice"}

// TestSearch is what a patch is tried with: it runs the seeds that the
// environment asks for until one fails, and writes the results as faultline.Run
// does.
func TestSearch(t *testing.T) {
	name := os.Getenv("FAULTLINE_RESULTS")
	seeds, _ := strconv.Atoi(os.Getenv("FAULTLINE_SEEDS"))
	if name == "" || seeds <= 0 {
		t.Skip("is run by the command raftpatch and by TestPatchedRaft")
	}
	off := raftcheck.Set(0)
	if *offFlag {
		off = raftcheck.WhiteBox()
	}
	failed, err := sweep(1, seeds, off, map[string]int{})
	type line struct{ Result, Check, Message string }
	lines := slices.Repeat([]line{{Result: "pass"}}, seeds)
	if err != nil {
		last := line{"fail", raftcheck.Liveness.String(), err.Error()}
		var v *raftcheck.Violation
		if errors.As(err, &v) {
			last.Check, last.Message = v.Check.String(), v.Text
		}
		lines = append(lines[:failed-1], last)
	}
	var text strings.Builder
	enc := json.NewEncoder(&text)
	for _, l := range lines {
		if err := enc.Encode(l); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(name, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each patch is found within a thousand seeds, by a property that it breaks.
// The command raftpatch does the same with whole clusters.
func TestPatchedRaft(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library")
	}
	names := usual
	switch *patchFlag {
	case "":
	case "culprits":
		names = culpritPatches()
	default:
		names = strings.Split(*patchFlag, ",")
	}
	all, err := patch.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	list, err := patch.Select(all, names)
	if err != nil {
		t.Fatal(err)
	}
	s := patch.Search{
		Package: "github.com/hmdsefi/faultline/harness-etcdraft/raftcheck", Tests: "^TestSearch$",
		Seeds: 1000, Jobs: 1, Limit: 5 * time.Minute, Out: os.Stdout,
	}
	if *offFlag {
		s.Args = []string{"-sweep.blackbox"}
	}
	found, err := s.Run(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		number, _, _ := strings.Cut(f.Check, " ")
		switch {
		case f.Check == "":
			t.Errorf("%s (%s) is not found in %d seeds", f.Patch.Name, f.Patch.What, f.Seeds)
		case !slices.Contains(f.Patch.Breaks, number) && !*offFlag:
			t.Errorf("%s (%s) should break one of %v; seed %d says %s: %s", f.Patch.Name, f.Patch.What, f.Patch.Breaks, f.Seeds, f.Check, f.Message)
		}
	}
}
