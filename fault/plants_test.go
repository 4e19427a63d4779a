package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// plant is a bug that a disk fault finds.
type plant struct {
	name    string       // of the row in docs/reference/faults.md
	test    string       // that the fault has its effect, here or in simdisk
	rule    fault.Rule   // that finds it; of the default rules when it has no time
	with    flaws        // the bug
	without []fault.Kind // beside the rule's, what is left out to show that nothing else finds it
	finds   int          // the first seed that finds it, from 1
	loose   bool         // the budget is off
}

func plants() []plant {
	first := fault.Target{Nodes: []string{"d1"}}
	on := func(k fault.Kind, profile string) fault.Rule {
		r := fault.Rule{Name: "planted", Kind: k, Every: 400 * time.Millisecond, For: fault.Span{Min: 50 * time.Millisecond, Max: 300 * time.Millisecond}, Target: first}
		if profile != "" {
			r.Profiles = []string{profile}
		}
		return r
	}
	slow := on(fault.SlowDisk, "")
	slow.Rate = fault.Range{Min: 50, Max: 200}
	reorder := on(fault.SlowDisk, "")
	reorder.Rate, reorder.Amount = fault.Range{Min: 1, Max: 1}, fault.Span{Min: 400 * time.Millisecond, Max: 400 * time.Millisecond}
	inodes := on(fault.FullDisk, "inodes")
	inodes.For = fault.Span{Min: time.Second, Max: 2 * time.Second}
	outage := on(fault.Outage, "lose-all")
	outage.Target, outage.For = fault.Target{Group: "servers"}, fault.Span{Min: 20 * time.Millisecond, Max: 50 * time.Millisecond}
	swap := on(fault.SwapDisks, "")
	swap.Target = fault.Target{Nodes: []string{"d1", "d2"}}
	powers, fails, slows := []fault.Kind{fault.PowerLoss, fault.Outage}, []fault.Kind{fault.SyncFail, fault.WriteFail}, []fault.Kind{fault.SlowDisk, fault.StallDisk}
	return []plant{
		{"power-loss", "TestEachKindFiresAndIsInert", on(fault.PowerLoss, "lose-all"), flaws{oneCopy: true, cacheOnly: true}, powers, 1, false},
		{"outage", "TestEachKindFiresAndIsInert", outage, flaws{cacheOnly: true}, nil, 1, false},
		{"sync-fail, drop-dirty", "TestFailModes", on(fault.SyncFail, "drop-dirty"), flaws{oneCopy: true, retrySync: true}, nil, 5, false},
		{"sync-fail, next-handle", "TestFailModes", on(fault.SyncFail, "next-handle"), flaws{oneCopy: true}, nil, 4, false},
		{"sync-fail, late-error", "TestFailModes", on(fault.SyncFail, "late-error"), flaws{oneCopy: true}, nil, 4, false},
		{"sync-fail, lie", "TestFailModes", on(fault.SyncFail, "lie"), flaws{oneCopy: true}, nil, 4, false},
		{"sync-fail, no-space", "TestFailModes", on(fault.SyncFail, "no-space"), flaws{oneCopy: true, fullOK: true}, nil, 4, false},
		{"sync-fail, go-read-only", "TestFailModes", on(fault.SyncFail, "go-read-only"), flaws{oneCopy: true, readOnlyOK: true}, nil, 4, false},
		{"write-fail, error", "TestFailWritesAndReads", on(fault.WriteFail, "error"), flaws{oneCopy: true, anyErrorOK: true}, fails, 1, false},
		{"write-fail, short", "TestShortWrite", on(fault.WriteFail, "short"), flaws{oneCopy: true, shortOK: true}, nil, 1, false},
		{"write-fail, phantom", "TestPhantomWrite", on(fault.WriteFail, "phantom"), flaws{firstValid: true}, nil, 1, false},
		{"write-fail, misdirected", "TestMisdirectedWrite", on(fault.WriteFail, "misdirected"), flaws{noPlace: true}, nil, 1, false},
		{"read-fail", "TestReadFailAndInodes", on(fault.ReadFail, ""), flaws{errorIsNew: true}, nil, 1, false},
		{"slow-disk", "TestProcOperationsTakeTime", slow, flaws{byTime: true}, slows, 9, false},
		{"slow-disk, Amount", "TestJitter", reorder, flaws{striped: true, byOrder: true}, slows, 4, false},
		{"stall-disk", "TestStall", on(fault.StallDisk, ""), flaws{byTime: true}, slows, 9, false},
		{"full-disk", "TestFullDisk", on(fault.FullDisk, ""), flaws{oneCopy: true, fullOK: true}, nil, 4, false},
		{"full-disk, inodes", "TestInodes", inodes, flaws{oneCopy: true, keepOld: true}, nil, 21, false},
		{"read-only-disk", "TestReadOnly", on(fault.ReadOnlyDisk, ""), flaws{oneCopy: true, readOnlyOK: true}, nil, 1, false},
		{"corrupt, flip", "TestCorrupt", on(fault.Corrupt, "flip"), flaws{noCheck: true}, nil, 2, false},
		{"corrupt, sticky", "TestDamage", on(fault.Corrupt, "sticky"), flaws{oneCopy: true}, nil, 1, false},
		{"corrupt, zero", "TestDamage", on(fault.Corrupt, "zero"), flaws{zeroIsNew: true}, nil, 2, false},
		{"corrupt, dead", "TestDamage", on(fault.Corrupt, "dead"), flaws{errorIsNew: true}, nil, 1, false},
		{"corrupt, cut", "TestDamage", on(fault.Corrupt, "cut"), flaws{shortIsNew: true}, nil, 1, false},
		{"corrupt, stale", "TestStaleSector", on(fault.Corrupt, "stale"), flaws{firstValid: true}, nil, 1, false},
		{"wipe-disk", "TestWipeAndSwap", on(fault.WipeDisk, ""), flaws{missingIsNew: true}, nil, 2, false},
		{"swap-disks", "TestWipeAndSwap", swap, flaws{striped: true}, nil, 1, true},
	}
}

// defaults are the default rules of processes and disks, more often. Those that
// can meet nothing without a network are not among them.
func defaults(without ...fault.Kind) fault.Rules {
	names := []string{"", "power-loss-ordered", "reorder-disk"}
	var rules fault.Rules
	for _, r := range fault.Default().Only(fault.Kill, fault.PowerLoss, fault.Pause, fault.Outage, fault.SyncFail,
		fault.WriteFail, fault.SlowDisk, fault.StallDisk).Without(without...) {
		if slices.Contains(names, r.Name) {
			r.Every /= 4
			rules = append(rules, r)
		}
	}
	return rules
}

// keep runs a shelf for some seconds and returns what it has lost.
func keep(t *testing.T, seed uint64, with flaws, rules fault.Rules, loose bool) error {
	t.Helper()
	sim := kernel.New(kernel.Config{Seed: seed, Level: kernel.LevelOff})
	same := simdisk.Delay{Min: time.Millisecond, Max: time.Millisecond}
	disks, err := simdisk.New(sim, simdisk.Config{SectorSize: 32, Latency: simdisk.Latency{Write: same, Sync: same}})
	if err != nil {
		t.Fatal(err)
	}
	in := fault.NewInjector(fault.System{Sim: sim, Disks: disks})
	s := &shelf{sim: sim, with: with}
	for i, name := range []string{"d1", "d2"} {
		n := sim.AddNode(name, func(*kernel.Node) kernel.Handler { return kernel.Idle{} })
		vol, err := disks.Attach(n)
		if err != nil {
			t.Fatal(err)
		}
		s.disks[i] = &drive{vol: vol}
		in.Group("servers", n)
	}
	faults, _, err := fault.Plan(sim.Stream("plan"), rules, 6*time.Second, fault.Known{})
	if err == nil {
		err = in.Arm(faults, fault.Options{Quiet: 6 * time.Second, Budget: !loose})
	}
	if err != nil {
		t.Fatal(err)
	}
	for n := range uint64(640) {
		sim.At(kernel.Time(n)*kernel.Time(10*time.Millisecond), func() { s.step(n) })
	}
	sim.RunFor(7 * time.Second)
	if f := sim.Failure(); f != nil {
		t.Fatal(f)
	}
	for cell := range uint32(cells) {
		s.audit(cell)
	}
	if done := s.acked[0] + s.acked[1]; done == 0 {
		t.Fatalf("seed %d: nothing was acknowledged, so nothing was tested", seed)
	}
	return s.lost
}

// Each bug is not found by the default rules without the fault, and is found with
// it, by the seed that the documentation says. The store without bugs loses
// nothing with any of them.
func TestPlantedDiskBugs(t *testing.T) {
	seeds, sound := uint64(24), uint64(4)
	if testing.Short() {
		seeds, sound = 6, 2
	}
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			without := defaults(append(slices.Clone(p.without), p.rule.Kind)...)
			with := append(slices.Clone(without), p.rule)
			for seed := uint64(1); seed <= seeds; seed++ {
				if err := keep(t, seed, p.with, without, p.loose); err != nil {
					t.Fatalf("seed %d finds it without the fault: %v", seed, err)
				}
				if seed > sound {
					continue
				}
				if err := keep(t, seed, flaws{}, with, p.loose); err != nil {
					t.Fatalf("seed %d: the store without a bug: %v", seed, err)
				}
			}
			if found := p.search(t, with); found != p.finds {
				t.Errorf("found by seed %d, the table says %d", found, p.finds)
			}
			p.documented(t)
		})
	}
}

// search returns the first seed that finds the bug.
func (p plant) search(t *testing.T, rules fault.Rules) int {
	for seed := 1; seed <= 24; seed++ {
		if keep(t, uint64(seed), p.with, rules, p.loose) != nil {
			return seed
		}
	}
	return 0
}

// documented checks the row of the table and the test that it names, where the
// documentation and simdisk are there.
func (p plant) documented(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/faults.md")
	if err != nil {
		return // outside of the workspace
	}
	row := fmt.Sprintf("| `%s` | %s | `%s` | %s | %d |\n", strings.Replace(p.name, ", ", "` `", 1), p.weight(), p.test, p.with, p.finds)
	if !strings.Contains(string(page), row) {
		t.Errorf("docs/reference/faults.md lacks the row\n%s", row)
	}
	for _, dir := range []string{".", "../simdisk"} {
		files, _ := filepath.Glob(dir + "/*_test.go")
		for _, file := range files {
			if code, _ := os.ReadFile(file); strings.Contains(string(code), "func "+p.test+"(") {
				return
			}
		}
	}
	t.Errorf("there is no test %s", p.test)
}

// weight is in how many of 100 seeds a default rule draws the fault, or nothing.
func (p plant) weight() string {
	for _, r := range fault.Default() {
		if r.Kind == p.rule.Kind && (len(p.rule.Profiles) == 0 || slices.Contains(r.Profiles, p.rule.Profiles[0])) &&
			(r.Amount.Max > 0) == (p.rule.Amount.Max > 0) {
			return fmt.Sprint(r.Weight)
		}
	}
	return ""
}

// String lists the bugs that are planted.
func (f flaws) String() string {
	var set []string
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Field(i).Bool() {
			set = append(set, v.Type().Field(i).Name)
		}
	}
	return strings.Join(set, ", ")
}
