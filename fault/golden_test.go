package fault

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The golden hashes are of runs under all default rules. They may change when
// a module below changes what it traces or draws, or when the default rules
// do; never from machine to machine. UPDATE_GOLDEN=1 writes them anew.
func TestGoldenHashes(t *testing.T) {
	var b strings.Builder
	for seed := range uint64(24) {
		sch, hash := planSeed(t, seed, busy())
		fmt.Fprintf(&b, "%d faults=%d choices=%d %s\n", seed, len(sch.Faults), len(sch.Choices), hash)
	}
	compareGolden(t, "hashes.txt", b.String())
}

// What a script does, as its trace shows it.
func TestGoldenScript(t *testing.T) {
	s := script(t,
		Fault{Kind: PowerLoss, At: at(105), For: at(20), Target: Target{Nodes: []string{"n1"}}, Profile: "keep-prefix"},
		Fault{Kind: OneWay, At: at(200), For: at(30), Target: Target{Group: "servers", Role: "first"}, Peers: []string{"n2"}},
		Fault{Kind: Pause, When: Trigger{Point: "received", Node: "n3", Nth: 30}, For: at(15)},
		Fault{Kind: Kill, At: at(400), Target: Target{Group: "servers", Pick: Minority}},
	)
	var b strings.Builder
	for r := range s.sim.Records() {
		if !strings.HasPrefix(r.Kind, "fault/") && !strings.HasPrefix(r.Kind, "node/") && r.Kind != "disk/crash" {
			continue
		}
		fmt.Fprintf(&b, "%-14v e%-4d", r.Time, r.Event)
		if r.Node != "" {
			fmt.Fprintf(&b, " %s/%d", r.Node, r.Boot)
		}
		b.WriteString(" " + r.Kind)
		for _, a := range r.Attrs {
			fmt.Fprintf(&b, " %s=%s", a.Key, a.Value())
		}
		b.WriteByte('\n')
	}
	compareGolden(t, "script.txt", b.String())
}

func compareGolden(t *testing.T, name, got string) {
	t.Helper()
	compareFile(t, filepath.Join("testdata", "golden", name), got)
}

func compareFile(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs:\n got:\n%s\n want:\n%s", path, got, want)
	}
}
