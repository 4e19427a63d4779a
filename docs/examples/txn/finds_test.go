package txn

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/faultline"
)

// plant is a bug, the weakest levels that it breaks and with which anomaly, and
// the strongest levels that it keeps.
type plant struct {
	name    string // of the field of Bugs
	bugs    Bugs   // with that field set
	breaks  []isolation.Level
	anomaly isolation.Kind
	keeps   []isolation.Level
}

func plants() []plant {
	kind := func(a isolation.Anomaly) isolation.Kind { return isolation.Kind{Anomaly: a} }
	levels := func(l ...isolation.Level) []isolation.Level { return l }
	return []plant{
		{"InPlace", Bugs{InPlace: true}, levels(isolation.ReadUncommitted), kind(isolation.G0), nil},
		{"DirtyReads", Bugs{DirtyReads: true}, levels(isolation.ReadCommitted), kind(isolation.G1a), levels(isolation.ReadUncommitted)},
		{"ReadLatest", Bugs{ReadLatest: true}, levels(isolation.ConsistentView), kind(isolation.GSingle), levels(isolation.ReadCommitted)},
		{"NoConflicts", Bugs{NoConflicts: true}, levels(isolation.SnapshotIsolation), kind(isolation.LostUpdate), levels(isolation.ReadCommitted)},
		{"Replicas", Bugs{Replicas: true}, levels(isolation.SnapshotIsolation), kind(isolation.LongFork), levels(isolation.ConsistentView)},
		{"WritesOnly", Bugs{WritesOnly: true}, levels(isolation.RepeatableRead, isolation.Serializable), kind(isolation.WriteSkew), levels(isolation.StrongSnapshot)},
		{"OldSnapshots", Bugs{OldSnapshots: true}, levels(isolation.StrongSessionSnapshot, isolation.StrongSessionSerializable),
			isolation.Kind{Anomaly: isolation.GSingle, Order: isolation.Session}, levels(isolation.Serializable)},
		{"SessionSnapshots", Bugs{SessionSnapshots: true}, levels(isolation.StrongSnapshot, isolation.StrictSerializable),
			isolation.Kind{Anomaly: isolation.GSingle, Order: isolation.Realtime}, levels(isolation.StrongSessionSerializable)},
	}
}

// judge returns the strongest of the levels that a bug breaks.
func (p plant) judge() isolation.Level { return p.breaks[len(p.breaks)-1] }

// TestEveryLevel demands a planted bug for each level.
func TestEveryLevel(t *testing.T) {
	for _, l := range isolation.Levels() {
		if !slices.ContainsFunc(plants(), func(p plant) bool { return slices.Contains(p.breaks, l) }) {
			t.Errorf("no planted bug breaks %s", l)
		}
	}
}

// left returns the levels that nothing was found against, of each failed seed.
func left(out string) [][]isolation.Level {
	var list [][]isolation.Level
	for _, part := range strings.Split(out, "nothing was found against: ")[1:] {
		line, _, _ := strings.Cut(part, "\n")
		var levels []isolation.Level
		for _, name := range strings.Split(line, ", ") {
			levels = append(levels, isolation.Level(name))
		}
		list = append(list, levels)
	}
	return list
}

// breaksAll reports whether some seed leaves what a bug keeps, and none of what
// it breaks.
func (p plant) breaksAll(out string) bool {
	return p.keeps == nil && len(left(out)) == 0 || slices.ContainsFunc(left(out), func(levels []isolation.Level) bool {
		for _, l := range p.keeps {
			if !slices.Contains(levels, l) {
				return false
			}
		}
		return !slices.ContainsFunc(p.breaks, func(l isolation.Level) bool { return slices.Contains(levels, l) })
	})
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
			for _, want := range []string{`final "isolation" failed`, "not " + string(p.judge()) + ":", p.anomaly.String(), "T1: ", "replay: "} {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			if !p.breaksAll(out) {
				t.Errorf("no seed refutes %q and leaves %q; left are %q", p.breaks, p.keeps, left(out))
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
			faultline.Run(t, opt, setup(p.bugs, p.judge()))
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
