package txn

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/faultline"
)

// plant is a bug, the weakest level that it breaks and with which anomaly, and
// the strongest levels that it keeps.
type plant struct {
	name    string // of the field of Bugs
	bugs    Bugs   // with that field set
	breaks  isolation.Level
	anomaly isolation.Kind
	keeps   []isolation.Level
}

func plants() []plant {
	kind := func(a isolation.Anomaly) isolation.Kind { return isolation.Kind{Anomaly: a} }
	return []plant{
		{"InPlace", Bugs{InPlace: true}, isolation.ReadUncommitted, kind(isolation.G0), nil},
		{"DirtyReads", Bugs{DirtyReads: true}, isolation.ReadCommitted, kind(isolation.G1a), []isolation.Level{isolation.ReadUncommitted}},
		{"ReadLatest", Bugs{ReadLatest: true}, isolation.ConsistentView, kind(isolation.GSingle), []isolation.Level{isolation.ReadCommitted}},
		{"NoConflicts", Bugs{NoConflicts: true}, isolation.SnapshotIsolation, kind(isolation.LostUpdate), []isolation.Level{isolation.ReadCommitted}},
		{"Replicas", Bugs{Replicas: true}, isolation.SnapshotIsolation, kind(isolation.LongFork), []isolation.Level{isolation.ConsistentView}},
		{"WritesOnly", Bugs{WritesOnly: true}, isolation.Serializable, kind(isolation.WriteSkew), []isolation.Level{isolation.StrongSnapshot}},
		{"OldSnapshots", Bugs{OldSnapshots: true}, isolation.StrictSerializable,
			isolation.Kind{Anomaly: isolation.GSingle, Order: isolation.Session}, []isolation.Level{isolation.Serializable}},
	}
}

// TestFinds shows that the level that each planted bug breaks is found broken,
// by the anomaly that it is known for.
func TestFinds(t *testing.T) {
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			out := runPlanted(t, p.name, "first")
			if !strings.Contains(out, p.anomaly.String()) {
				out = runPlanted(t, p.name, "all")
			}
			for _, want := range []string{`final "isolation" failed`, "not " + string(p.breaks) + ":", p.anomaly.String(), "T1: ", "replay: "} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
		})
	}
}

// TestKeeps shows that the bugs break nothing else: the levels below hold.
func TestKeeps(t *testing.T) {
	for _, p := range plants() {
		for _, l := range p.keeps {
			t.Run(p.name+" "+string(l), func(t *testing.T) {
				faultline.Run(t, options(), setup(p.bugs, l))
			})
		}
	}
}

// TestPlanted runs the store with planted bugs, so it must fail. It is for
// TestFinds and for the replay commands that it prints.
func TestPlanted(t *testing.T) {
	if os.Getenv("TXN_PLANTED") == "" && os.Getenv("FAULTLINE_SEED") == "" && os.Getenv("FAULTLINE_SCHEDULE") == "" && os.Getenv("FAULTLINE_REPLAY") == "" {
		t.Skip("fails by intention; TXN_PLANTED=1 runs it")
	}
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			opt := options()
			opt.KeepGoing = os.Getenv("TXN_PLANTED") == "all"
			faultline.Run(t, opt, setup(p.bugs, p.breaks))
		})
	}
}

// runPlanted runs TestPlanted for one bug in a process of its own, because it
// must fail, and returns its output.
func runPlanted(t *testing.T, name, seeds string) string {
	t.Helper()
	t.Setenv("TXN_PLANTED", seeds)
	t.Setenv("FAULTLINE_ARTIFACTS", "off")
	t.Setenv("FAULTLINE_SHRINK", "off")
	t.Setenv("FAULTLINE_SEEDS", "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(self, "-test.run=^TestPlanted$/^"+name+"$").CombinedOutput()
	if err == nil {
		t.Fatalf("the planted bug %s was not found:\n%s", name, out)
	}
	return string(out)
}
