package main

import (
	"maps"
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
	names := asked(t, "SHRINK_TABLE", culprits)
	shrinkAll(t, names, "patches")
}

// TestShrinkWide does the same with three more mistakes of each property, if so
// many are found in a hundred seeds, for which nobody has written a script.
// SHRINK_WIDE=1 tries them; SHRINK_WIDE=read-old-ack,vote-early others.
func TestShrinkWide(t *testing.T) {
	names := asked(t, "SHRINK_WIDE", sample)
	shrinkAll(t, names, "more-patches")
}

// asked returns the mistakes that a variable of the environment asks for.
func asked(t *testing.T, variable string, usual func(*testing.T) []string) []string {
	t.Helper()
	switch which := os.Getenv(variable); which {
	case "":
		t.Skip("takes long; " + variable + "=1 runs it and writes the table")
	case "1":
	default:
		return strings.Split(which, ",")
	}
	return usual(t)
}

// shrinkAll measures mistakes and puts them into a table.
func shrinkAll(t *testing.T, names []string, table string) {
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
			run.Env = append(os.Environ(), "SHRINK_PATCHED="+p.Name, "SHRINK_ROWS="+table, "SHRINK_TABLE=1")
			out, err := run.CombinedOutput()
			t.Logf("%s", out)
			if err != nil && !strings.Contains(string(out), "is not found in") {
				t.Error(err)
			}
		})
	}
}

// sample draws from the mistakes that clusters find within a hundred seeds, as the
// page says that lists them: three of each property that is broken first, spread
// over the alphabet, without the culprits; one of each property before the second.
func sample(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "raft-patches.md"))
	if err != nil {
		t.Fatal(err)
	}
	groups, taken := map[string][]string{}, culprits(t)
	for _, m := range regexp.MustCompile(`(?m)^\| ([a-z0-9-]+) \|[^|]*\| (\d{1,2}|100) \| (\w+) `).FindAllStringSubmatch(string(data), -1) {
		if m[3] != "timeout" && !slices.Contains(taken, m[1]) { // which has no schedule
			groups[m[3]] = append(groups[m[3]], m[1])
		}
	}
	var names []string
	const most = 3
	for k := range most {
		for _, property := range slices.Sorted(maps.Keys(groups)) {
			if list := groups[property]; k < len(list) {
				names = append(names, list[k*len(list)/min(len(list), most)])
			}
		}
	}
	return names
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
	tab := shrinktable.Table{Page: filepath.Join("..", "..", "docs", "reference", "shrinking.md"), Name: os.Getenv("SHRINK_ROWS")}
	tab.NoScripts = tab.Name != "patches"
	tab.Measure(t, c)
}

// byHand are the fewest faults that a person needs to bring a mistake out, for
// those that take any.
func byHand() map[string][]fault.Fault {
	// A leader goes on with its clients, and the others elect another one, or two:
	// what it has appended meanwhile is in nobody else's log when it is back.
	apart := fault.Fault{
		Kind: fault.Isolate, At: time.Second, For: 2 * time.Second,
		Target: fault.Target{Group: "servers", Role: "leader"}, Peers: []string{"@servers"},
	}
	return map[string][]fault.Fault{
		"heartbeat-commit": {apart}, // it hears a heartbeat before an append
		"prev-not-checked": {apart}, // the second of the others begins behind where they part
	}
}
