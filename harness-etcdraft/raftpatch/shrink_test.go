package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/faultline/shrinktable"
	"github.com/hmdsefi/faultline/harness-etcdraft/internal/patch"
)

const self = "github.com/hmdsefi/faultline/harness-etcdraft/raftpatch"

// TestShrinkTable builds the library with each mistake that a property of raft
// finds first, shrinks a failing seed of whole clusters with it, and writes the
// rows of docs/reference/shrinking.md. SHRINK_TABLE=1 tries all of them;
// SHRINK_TABLE=vote-twice,ack-early some. Mistakes that no cluster meets in a
// hundred seeds have no row.
func TestShrinkTable(t *testing.T) {
	which := os.Getenv("SHRINK_TABLE")
	if which == "" {
		t.Skip("takes most of an hour; SHRINK_TABLE=1 runs it and writes the table")
	}
	names := culprits(t)
	if which != "1" {
		names = strings.Split(which, ",")
	}
	all, err := patch.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	list, err := patch.Select(all, names)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "raft")
	if err := os.Mkdir(library, 0o755); err != nil {
		t.Fatal(err)
	}
	b, err := patch.Open(library)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		t.Run(p.Name, func(t *testing.T) {
			binary := filepath.Join(dir, "patched.test")
			if err := b.Build(p, self, binary); err != nil {
				t.Fatal(err)
			}
			run := exec.Command(binary, "-test.run=^TestShrinkPatched$", "-test.v")
			run.Env = append(os.Environ(), "SHRINK_PATCHED="+p.Name)
			out, err := run.CombinedOutput()
			t.Logf("%s", out)
			if err != nil && !strings.Contains(string(out), "is not found in") {
				t.Error(err)
			}
		})
	}
}

// culprits reads the mistakes from the page that names one for each property; the
// package raftcheck holds that against its own list.
func culprits(t *testing.T) []string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "raft-checks.md"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range regexp.MustCompile(`(?m)^\| P\d+ \| ([a-z0-9-]+) \|`).FindAllStringSubmatch(string(page), -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) < 15 {
		t.Fatalf("the page names %d mistakes", len(names))
	}
	return names
}

// TestShrinkPatched is what TestShrinkTable runs with the library patched.
func TestShrinkPatched(t *testing.T) {
	name := os.Getenv("SHRINK_PATCHED")
	if name == "" {
		t.Skip("is run by TestShrinkTable")
	}
	c := shrinktable.Case{
		Name: name, Options: clusterOptions(), ByHand: byHand()[name],
		Setup: func(w *faultline.World, random bool) {
			if c := cluster(w); random {
				randomFaults(w, c)
			}
		},
	}
	shrinktable.Table{Page: filepath.Join("..", "..", "docs", "reference", "shrinking.md"), Name: "patches"}.Measure(t, c)
	if !t.Failed() {
		t.Run("by hand", c.ProveByHand)
	}
}

// byHand are the fewest faults that a person needs to bring a mistake out, for
// those that take any.
func byHand() map[string][]fault.Fault {
	loss := fault.Fault{Kind: fault.Loss, At: time.Second, For: 6 * time.Second, Rate: 300_000}
	return map[string][]fault.Fault{
		"heartbeat-commit": {loss}, // a follower that lacks entries hears a heartbeat
	}
}
