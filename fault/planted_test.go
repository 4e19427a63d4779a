package fault

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// plantedFile is what the sweep has found. UPDATE_GOLDEN=1 writes it, with
// -planted=100.
var plantedFile = filepath.Join("testdata", "planted.txt")

// The bugs were fitted, where needed, on the first seeds, and are judged by those
// after them.
const (
	fitSeeds   = 300
	judgeSeeds = 200
)

// plantedSeeds is how many seeds the sweep takes; it needs two minutes of CPU time for
// all.
var plantedSeeds = flag.Uint64("planted", 0, "seeds of TestPlantedBugs; 500 for the table")

// bug is a planted bug: what its code takes for granted, and where it looks.
type bug struct {
	kind    Kind
	assumes string
	also    []Kind // whose effects are the same to a node, or make the same in combination
	plant   func(k *kit, hit func()) hooks
}

// extras are the rules that the default ones do not have.
func extras() Rules {
	servers := Target{Group: "servers"}
	return append(Streams(),
		Rule{Kind: CorruptMessage, Name: "corrupt-deliver", Weight: 20, Every: 3 * sec, For: Span{sec, 2 * sec}, Rate: Range{50_000, 200_000}, Profiles: []string{"deliver"}},
		Rule{Kind: DropMessage, Name: "drop-vote", Weight: 30, Every: 500 * ms, For: Span{sec, 2 * sec}, Target: servers, Message: "vote", Count: Range{1, 2}},
		Rule{Kind: LoseNode, Weight: 10, Every: 8 * sec, Target: servers},
		Rule{Kind: Leave, Weight: 10, Every: 8 * sec, Target: servers},
		Rule{Kind: Join, Weight: 20, Every: 3 * sec, Target: Target{Group: "spares"}},
		Rule{Kind: Upgrade, Weight: 20, Every: 4 * sec, For: Span{sec, 3 * sec}, Target: servers, Picks: []Pick{One, All}, Profiles: []string{"v2"}},
	)
}

// kitRules are all rules but those of disks and [Outage], whose bugs are
// elsewhere.
func kitRules() Rules {
	var disks []Kind
	for _, t := range traits() {
		if t.on == onDisk || t.kind == Outage {
			disks = append(disks, t.kind)
		}
	}
	return append(Default().Without(disks...), extras()...)
}

// run is one seed under rules; it returns the bugs that it met.
func run(t testing.TB, seed uint64, rules Rules) (found map[string]bool, on map[Kind]bool) {
	t.Helper()
	k, in := newKit(t, seed)
	for _, b := range bugs() {
		k.hooks = append(k.hooks, b.plant(k, func() { k.found[string(b.kind)] = true }))
	}
	faults, drawn, err := Plan(k.sim.Stream("plan"), rules, kitPhase, Known{})
	if err != nil {
		t.Fatal(err)
	}
	on = map[Kind]bool{}
	for i, d := range drawn {
		if d.Percent > 0 {
			on[rules[i].Kind] = true
		}
	}
	if err := in.Arm(faults, Options{Quiet: kitPhase, Budget: true}); err != nil {
		t.Fatal(err)
	}
	k.sim.RunFor(kitLength)
	for _, h := range k.hooks {
		if h.final != nil {
			h.final()
		}
	}
	k.sim.Close()
	if k.sim.Err() != nil || k.sim.Failure() != nil {
		t.Fatal(k.sim.Err(), k.sim.Failure())
	}
	return k.found, on
}

// finds is in how many seeds a bug is found by its kind.
type finds struct{ first, fit, judged int }

// Each bug is found by the rules with its kind, and never without it. Where other
// kinds do the same to a node, all of them are taken away: the bug is then found
// with its kind alone, and not without that.
func TestPlantedBugs(t *testing.T) {
	if *plantedSeeds == 0 {
		t.Skip("set -planted=500")
	}
	rules, list := kitRules(), bugs()
	counts := make([]finds, len(list))
	for seed := range *plantedSeeds {
		found, on := run(t, seed, rules)
		for i, b := range list {
			if b.judge(t, seed, rules, found[string(b.kind)], on) {
				counts[i].add(int(seed) + 1)
			}
		}
	}
	var table strings.Builder
	for i, b := range list {
		c := counts[i]
		fmt.Fprintf(&table, "%s\t%d\t%d of %d\t%d of %d\t%s\t%s\n", b.kind, c.first, c.fit, fitSeeds, c.judged, judgeSeeds, b.assumes, kindText(b.also))
		if c.fit == 0 {
			t.Errorf("%s: %q is not found in %d seeds", b.kind, b.assumes, fitSeeds)
		}
	}
	compareFile(t, plantedFile, table.String())
}

func (c *finds) add(seed int) {
	if c.first == 0 {
		c.first = seed
	}
	if seed <= fitSeeds {
		c.fit++
	} else {
		c.judged++
	}
}

// judge reports whether the kind alone finds the bug in a seed in which all rules
// have met it, or not. It is an error if the bug is found without the kind.
func (b bug) judge(t *testing.T, seed uint64, rules Rules, met bool, on map[Kind]bool) bool {
	t.Helper()
	kinds := append([]Kind{b.kind}, b.also...)
	if !slices.ContainsFunc(kinds, func(k Kind) bool { return on[k] }) {
		if met {
			t.Errorf("seed %d: %q is found, although none of %v is on, by %v", seed+1, b.assumes, kinds, b.blame(t, seed, rules, on))
		}
		return false
	}
	if !met {
		return false
	}
	if without, _ := run(t, seed, rules.Without(kinds...)); without[string(b.kind)] {
		t.Errorf("seed %d: %q is found without %v, by %v", seed+1, b.assumes, kinds, b.blame(t, seed, rules.Without(kinds...), on))
		return false
	}
	if len(b.also) == 0 {
		return on[b.kind]
	}
	alone, _ := run(t, seed, rules.Without(b.also...))
	return alone[string(b.kind)]
}

// blame returns the kinds without which the rules do not find the bug.
func (b bug) blame(t *testing.T, seed uint64, rules Rules, on map[Kind]bool) (needed []Kind) {
	for _, k := range Kinds() {
		if !on[k] || len(rules.Only(k)) == 0 {
			continue
		}
		if found, _ := run(t, seed, rules.Without(k)); !found[string(b.kind)] {
			needed = append(needed, k)
		}
	}
	return needed
}

func kindText(kinds []Kind) string {
	var list []string
	for _, k := range kinds {
		list = append(list, string(k))
	}
	return strings.Join(list, " ")
}

// The first seed of each bug still finds it with its kind, and not without; the
// file is what the sweep of TestPlantedBugs has found.
func TestFirstSeedsOfPlantedBugs(t *testing.T) {
	file, err := os.ReadFile(plantedFile)
	if err != nil {
		t.Fatal(err)
	}
	rules, list := kitRules(), bugs()
	lines := strings.Split(strings.TrimSpace(string(file)), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d bugs, %d lines; run the sweep", len(list), len(lines))
	}
	runs := map[uint64]map[string]bool{}
	for i, b := range list {
		var kind string
		var seed uint64
		if _, err := fmt.Sscan(lines[i], &kind, &seed); err != nil || kind != string(b.kind) || seed == 0 {
			t.Fatalf("%q is not about %s; run the sweep", lines[i], b.kind)
		}
		if testing.Short() && i%5 != 0 {
			continue
		}
		if runs[seed] == nil && len(b.also) == 0 {
			runs[seed], _ = run(t, seed-1, rules)
		}
		found := runs[seed]
		if len(b.also) > 0 {
			found, _ = run(t, seed-1, rules.Without(b.also...))
		}
		if !found[kind] {
			t.Errorf("%s: %q is not found in its seed", b.kind, b.assumes)
		}
		if without, _ := run(t, seed-1, rules.Without(append(b.also, b.kind)...)); without[kind] {
			t.Errorf("%s: %q is found without it", b.kind, b.assumes)
		}
	}
}

// Every kind has a planted bug here, but those of disks and [Outage], which have
// theirs in shelf_test.go.
func TestEveryKindHasABug(t *testing.T) {
	has := map[Kind]bool{}
	for _, b := range bugs() {
		has[b.kind] = true
	}
	for _, tr := range traits() {
		if !has[tr.kind] && tr.on != onDisk && tr.kind != Outage {
			t.Errorf("no bug is planted for %s", tr.kind)
		}
	}
}

func bugs() []bug {
	return slices.Concat(processBugs(), cutBugs(), shapeBugs(), clogBugs(), messageBugs(), lossBugs(), linkBugs(), streamBugs(), clockBugs())
}

// list is a shorthand.
func list(k ...Kind) []Kind { return k }

func processBugs() []bug {
	return []bug{
		{Kill, "what a process wrote is lost with it", nil, func(k *kit, hit func()) hooks {
			return hooks{start: func(p *probe) {
				l := k.left[p.name]
				data, _ := p.vol.ReadFile(fmt.Sprint("cache", p.n.Boot()-1))
				if l.how == kernel.Killed && l.uptime > sec && k.now().Sub(l.at) > 10*ms && len(data) >= 20 && len(data) == k.wrote[p.name] && offset(p.n) == l.offset {
					hit()
				}
			}}
		}},
		{PowerLoss, "what was written is there after a crash", nil, func(k *kit, hit func()) hooks {
			return hooks{start: func(p *probe) {
				data, _ := p.vol.ReadFile(fmt.Sprint("cache", p.n.Boot()-1))
				if k.now().Sub(k.left[p.name].at) > 10*ms && k.wrote[p.name] >= 20 && len(data) < k.wrote[p.name] {
					hit()
				}
			}}
		}},
		{Pause, "a node that is up looks at its clock now and then", nil, func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, _ string, _ *beat, _ bool) {
				if p.idle > 300*ms && p.here >= 20 {
					hit()
				}
			}}
		}},
		{CrashLoop, "a process that has started lives for a while", nil, func(k *kit, hit func()) hooks {
			boots := map[string][]kernel.Time{} // since the last that was no kill
			version := map[string]string{}
			return hooks{start: func(p *probe) {
				if k.left[p.name].how != kernel.Killed || version[p.name] != p.version {
					boots[p.name] = nil
				}
				version[p.name] = p.version
				b := append(boots[p.name], k.now())
				boots[p.name] = b
				if n := len(b); n > 2 && k.now().Sub(b[n-3]) < 250*ms {
					hit()
				}
			}}
		}},
		{CrashRecovery, "recovery is not interrupted", nil, func(k *kit, hit func()) hooks {
			return hooks{start: func(p *probe) {
				_, first := p.vol.Stat(fmt.Sprint("step1-", p.n.Boot()-1))
				_, last := p.vol.Stat(fmt.Sprint("step6-", p.n.Boot()-1))
				if first == nil && last != nil {
					hit()
				}
				for i := range 6 {
					f, _ := p.vol.Create(fmt.Sprintf("step%d-%d", i+1, p.n.Boot()))
					p.vol.SyncDir(".")
					if f != nil {
						f.Close()
					}
				}
			}}
		}},
		{LoseNode, "a machine that loses power comes back", nil, func(k *kit, hit func()) hooks { return stays(k, hit, kernel.PowerLost) }},
		{Leave, "a process that ends comes back", nil, func(k *kit, hit func()) hooks { return stays(k, hit, kernel.Killed) }},
		{Join, "there are no other nodes", nil, func(k *kit, hit func()) hooks { return versionOf(hit, "spare") }},
		{Upgrade, "all nodes run one version", nil, func(k *kit, hit func()) hooks { return versionOf(hit, "v2") }},
		{SlowNode, "a message is handled when it arrives", nil, func(k *kit, hit func()) hooks {
			return hooks{tick: func(p *probe) {
				if p.even > 12 && p.space < 30*ms { // its timer alone comes every 40 ms
					hit()
				}
			}}
		}},
	}
}

func stays(k *kit, hit func(), how kernel.Change) hooks {
	return hooks{final: func() {
		for _, n := range k.nodes {
			if n.Boot() > 0 && !n.Alive() && k.left[n.Name()].how == how {
				hit()
			}
		}
	}}
}

func versionOf(hit func(), name string) hooks {
	return hooks{start: func(p *probe) {
		if p.version == name {
			hit()
		}
	}}
}
