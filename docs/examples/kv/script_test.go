package kv

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const ms = time.Millisecond

// scripts are the fewest faults that a person needs to bring a planted bug out,
// by its name.
func scripts() map[string][]fault.Fault {
	all := fault.Target{Group: "servers", Pick: fault.All}
	theLeader := fault.Target{Group: "servers", Role: "leader"}
	return map[string][]fault.Fault{
		// A write is on two servers of three, in memory, and one of these forgets it.
		"AckBeforeSync": {
			{Kind: fault.Isolate, At: 1500 * ms, For: 1500 * ms, Target: fault.Target{Nodes: []string{"n2"}}},
			{Kind: fault.PowerLoss, At: 2500 * ms, For: ms, Target: fault.Target{Nodes: []string{"n3"}}, Profile: "lose-all"}},
		"NoDirSync": {{Kind: fault.PowerLoss, At: 1500 * ms, For: ms, Target: fault.Target{Group: "servers", Pick: fault.Majority}, Profile: "lose-all"}},
		"RetryFailedSync": {
			{Kind: fault.SyncFail, At: 1500 * ms, For: 30 * ms, Target: all, Profile: "drop-dirty"},
			{Kind: fault.PowerLoss, At: 1600 * ms, For: 10 * ms, Target: all, Profile: "lose-all"}},
		"AppendAfterTear": {
			{Kind: fault.PowerLoss, At: 3 * time.Second, For: ms, Target: all, Profile: "torn"},
			{Kind: fault.PowerLoss, At: 3800 * ms, For: ms, Target: all, Profile: "lose-all"}},
		// A leader has been elected, and has not synced the entry that begins its term.
		"ForgetVote":   {{Kind: fault.PowerLoss, When: fault.Trigger{Op: "sync", Nth: 5}, For: 10 * ms, Target: all, Profile: "lose-all"}},
		"SameTimeout":  {},
		"KeepConflict": {{Kind: fault.Isolate, At: 1500 * ms, For: 1500 * ms, Target: theLeader, Peers: []string{"@servers"}}},
		"ApplyTwice":   {{Kind: fault.Delay, At: 500 * ms, For: 6 * time.Second, Rate: 200_000, Amount: 400 * ms}},
		"StaleReads":   {{Kind: fault.Isolate, At: 1500 * ms, For: 1500 * ms, Target: theLeader, Peers: []string{"@servers"}}},
		"ClockOrder":   {{Kind: fault.ClockStep, At: 1500 * ms, Amount: -10 * time.Second, Target: theLeader}},
	}
}

// scripted returns in how many of the first seeds a script makes the store with
// these bugs fail in the plant's check, and without bugs in any.
func scripted(t *testing.T, p plant, bugs Bugs, script []fault.Fault, seeds int) (hits int) {
	t.Helper()
	opt, _ := p.setting()
	setup := setup(bugs, nil)
	from := kernel.NewStream(1, "scripts")
	for n := range seeds {
		out, err := faultline.Once(opt, from.At(uint64(n)), func(w *faultline.World) {
			setup(w)
			w.Script(script...)
		})
		if err != nil {
			t.Fatalf("%s: %v", p.name, err)
		}
		if out.Failure != nil && (out.Failure.Check == p.check || bugs == (Bugs{})) {
			hits++
		}
	}
	return hits
}

// TestScripts shows that each script brings its bug out, in some seed, and does
// no harm without it.
func TestScripts(t *testing.T) {
	const seeds = 100
	for _, p := range plants() {
		script := scripts()[p.name]
		hits, harm := scripted(t, p, p.bugs, script, seeds), scripted(t, p, Bugs{}, script, seeds/2)
		t.Logf("%-16s %d faults, %d of %d seeds", p.name, len(script), hits, seeds)
		if hits == 0 || harm > 0 {
			t.Errorf("%s: the script brings it out in %d of %d seeds, and the store fails without it in %d", p.name, hits, seeds, harm)
		}
	}
}
