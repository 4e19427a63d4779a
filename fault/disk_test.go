package fault

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// diskVariants are the kinds that only disks have, and the ways of the others.
func diskVariants() []effectRow {
	servers := Target{Group: "servers"}
	empty := Fault{Kind: WipeDisk, At: at(490), Target: n2}
	injected := func(least int) func(s *system) bool {
		return func(s *system) bool { return len(s.disks.Volume(s.nodes[1]).Injected()) >= least }
	}
	full := func(s *system) bool { return s.nodes[1].Handler().(*chatter).full >= 4 }
	return []effectRow{
		{Fault{Kind: Outage, At: at(100), For: at(50), Target: servers, Profile: "posix"},
			func(s *system) bool { k := s.kinds(""); return k["node/power-loss"] == 3 && k["node/boot"] == 7 }, Fault{}},
		{Fault{Kind: SyncFail, At: at(100), For: at(800), Target: n2, Rate: 300_000, File: "l*", Profile: "keep-dirty"},
			func(s *system) bool { n := s.nodes[1].Handler().(*chatter).failed; return n >= 5 && n <= 50 }, down},
		{Fault{Kind: WriteFail, At: at(100), For: at(50), Target: n2}, full, down},
		{Fault{Kind: WriteFail, At: at(100), For: at(50), Target: n2, Profile: "phantom"}, injected(4), down},
		{Fault{Kind: StallDisk, At: at(100), For: at(500), Target: n2},
			func(s *system) bool { return s.longestSync("n2") >= at(300) }, down},
		{Fault{Kind: ReadOnlyDisk, At: at(100), For: at(50), Target: n2}, full, down},
		{Fault{Kind: WipeDisk, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { k := s.kinds("n2"); return k["disk/wipe"] == 1 && k["node/boot"] == 2 }, Fault{}},
		{Fault{Kind: SwapDisks, At: at(100), For: at(50), Target: servers},
			func(s *system) bool { k := s.kinds(""); return k["disk/swap"] == 1 && k["node/boot"] == 6 }, Fault{}},
		{Fault{Kind: SlowDisk, At: at(100), For: at(50), Target: n2, Rate: 1, Amount: at(200)},
			func(s *system) bool { return s.longestSync("n2") > at(20) }, down},
		{Fault{Kind: SlowDisk, At: at(100), For: at(500), Target: n2, Rate: 500_000, Profile: "sync"},
			func(s *system) bool { return s.longestSync("n2") > at(400) }, down},
		{Fault{Kind: Corrupt, At: at(500), Target: n2, Profile: "zero", File: "log"}, injected(100), empty},
		{Fault{Kind: Corrupt, At: at(500), Target: n2, Profile: "sticky"}, injected(1), empty},
		{Fault{Kind: Corrupt, At: at(500), Target: n2, Profile: "cut"},
			func(s *system) bool { return s.kinds("n2")["disk/corrupt"] == 1 }, empty},
	}
}

// longestSync returns the longest time between two syncs of a node.
func (s *system) longestSync(node string) time.Duration {
	var last kernel.Time
	var most time.Duration
	for r := range s.sim.Records() {
		if r.Node == node && r.Kind == "disk/sync" {
			most = max(most, r.Time.Sub(last))
			last = r.Time
		}
	}
	return most
}

// Faults of what the chatters do not do: reads, and new files.
func TestReadFailAndInodes(t *testing.T) {
	read := func(s *system) error {
		_, err := s.disks.Volume(s.nodes[1]).ReadFile("log")
		return err
	}
	create := func(s *system) error {
		_, err := s.disks.Volume(s.nodes[1]).Create("new")
		return err
	}
	for _, c := range []struct {
		fault Fault
		try   func(s *system) error
		want  error
	}{
		{Fault{Kind: ReadFail, At: at(100), For: at(50), File: "log"}, read, syscall.EIO},
		{Fault{Kind: ReadFail, At: at(100), For: at(50), File: "other"}, read, nil},
		{Fault{Kind: Corrupt, At: at(100), Profile: "dead"}, read, syscall.EIO},
		{Fault{Kind: FullDisk, At: at(100), For: at(50), Profile: "inodes"}, create, syscall.ENOSPC},
	} {
		c.fault.Target = Target{Nodes: []string{"n2"}}
		s := newSystem(t, kernel.Config{Seed: 1}, 3)
		if err := s.in.Arm([]Fault{c.fault}, Options{}); err != nil {
			t.Fatal(err)
		}
		var got error
		s.sim.At(kernel.Time(at(120)), func() { got = c.try(s) })
		s.run(t, time.Second)
		if !errors.Is(got, c.want) || c.want == nil && got != nil {
			t.Errorf("%s of %q: %v, want %v", c.fault.Kind, c.fault.File, got, c.want)
		}
		if want := map[bool]Outcome{true: Fired, false: Inert}[c.want != nil]; s.outcome(0) != want {
			t.Errorf("%s of %q: outcome %s, want %s", c.fault.Kind, c.fault.File, s.outcome(0), want)
		}
	}
}

// A swap that is replayed exchanges the same two disks.
func TestSwapIsReplayed(t *testing.T) {
	first := script(t, Fault{Kind: SwapDisks, At: at(100), For: at(50), Target: Target{Group: "servers"}})
	f := first.in.Faults()[0]
	if len(f.Nodes) != 2 || f.Nodes[0] == f.Nodes[1] {
		t.Fatalf("hit %v, want two nodes", f.Nodes)
	}
	if alone := script(t, Fault{Kind: SwapDisks, At: at(100), Target: Target{Nodes: []string{"n2"}}}); alone.outcome(0) != Inert {
		t.Errorf("a swap of one node: outcome %s, want inert", alone.outcome(0))
	}
	if again := script(t, f); again.sim.Hash() != first.sim.Hash() {
		t.Error("a replayed swap has another hash")
	}
}

// The budget does not hold an outage back, and counts a wiped disk.
func TestBudgetAndDisks(t *testing.T) {
	servers := Target{Group: "servers"}
	s := newSystem(t, kernel.Config{Seed: 1}, 3)
	err := s.in.Arm([]Fault{
		{Kind: Outage, At: at(100), For: at(20), Target: servers},
		{Kind: WipeDisk, At: at(200), For: at(300), Target: servers},
		{Kind: WipeDisk, At: at(300), For: at(100), Target: servers},
	}, Options{Budget: true})
	if err != nil {
		t.Fatal(err)
	}
	s.run(t, time.Second)
	if s.outcome(0) != Fired || s.outcome(1) != Fired || s.outcome(2) != Skipped {
		t.Errorf("outcomes %v, %v, %v; want fired, fired, skipped", s.outcome(0), s.outcome(1), s.outcome(2))
	}
}

func TestArmRefusesDiskFaults(t *testing.T) {
	n1 := Target{Nodes: []string{"n1"}}
	for _, c := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Kind: WriteFail, Target: n1, Profile: "some"}, `Profile is "some"; a write-fail fault takes error, short, phantom, misdirected`},
		{Fault{Kind: WriteFail, Target: n1, Rate: 1_000_001}, `Rate is 1000001; a write-fail fault takes parts per million, 0 to 1000000, 0 meaning all`},
		{Fault{Kind: ReadFail, Target: n1, Profile: "some"}, `Profile is "some"; a read-fail fault takes none`},
		{Fault{Kind: ReadFail, Target: n1, File: "["}, `File is "[", which is no pattern of path.Match`},
		{Fault{Kind: SlowDisk, Target: n1, Rate: 1, Amount: -1}, `Amount is -1ns; it must not be negative`},
		{Fault{Kind: FullDisk, Target: n1, Rate: -1}, `Rate is -1; a full-disk fault takes what is left, 0 to 1099511627776 bytes or inodes`},
		{Fault{Kind: Corrupt, Target: n1, Profile: "some"}, `Profile is "some"; a corrupt fault takes flip, sticky, zero, dead, cut`},
		{Fault{Kind: Outage, Target: n1, Profile: "some"}, `Profile is "some"; an outage fault takes lose-all, keep-all, keep-prefix, keep-subset, torn, posix, ordered, adversary`},
	} {
		err := newSystem(t, kernel.Config{}, 3).in.Arm([]Fault{c.fault}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.fault, err, c.want)
		}
	}
}
