package fault

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// effectRow is a fault and what must be seen of it.
type effectRow struct {
	fault  Fault
	effect func(s *system) bool
	before Fault // makes the fault inert; zero if it never is
}

// Whom the rows hit, and what makes them inert.
var (
	n2       = Target{Nodes: []string{"n2"}}
	all3     = Target{Group: "servers", Pick: All}
	down     = Fault{Kind: Kill, At: at(50), Target: n2}
	everyone = Fault{Kind: Kill, At: at(50), Target: Target{Nodes: []string{"n1", "n2", "n3", "c1"}}}
)

// Every kind fires and has its stated effect; where that can change nothing, it
// must count as inert.
func TestEachKindFiresAndIsInert(t *testing.T) {
	tested := map[Kind]bool{} // by tests of their own
	for _, k := range []Kind{Join, Upgrade, StreamRefuse, StreamHang, StreamReset, StreamHalfOpen, StreamShort, ReadFail} {
		tested[k] = true
	}
	for _, rows := range [][]effectRow{processEffects(), networkEffects(), diskEffects(), diskVariants(), clockEffects()} {
		for _, row := range rows {
			tested[row.fault.Kind] = true
			t.Run(string(row.fault.Kind)+row.fault.Profile, row.test)
		}
	}
	for _, k := range Kinds() {
		if !tested[k] {
			t.Errorf("no row for %s", k)
		}
	}
}

func (row effectRow) test(t *testing.T) {
	s := withClient(t, row.fault)
	if got := s.outcome(0); got != Fired {
		t.Errorf("outcome %q, want fired", got)
	}
	if !row.effect(s) {
		t.Errorf("not the stated effect; network %+v, records of n2 %v", s.net.Stats(), s.kinds("n2"))
	}
	if row.effect(withClient(t)) {
		t.Error("the effect is there without the fault: the test shows nothing")
	}
	if row.before.Kind == "" {
		return
	}
	if got := withClient(t, row.before, row.fault).outcome(1); got != Inert {
		t.Errorf("after %s: outcome %q, want inert", row.before.Kind, got)
	}
}

// withClient runs a script on three servers and a client for a second.
func withClient(t *testing.T, faults ...Fault) *system {
	t.Helper()
	s := newSystemAnd(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, 3, 1)
	if err := s.in.Arm(faults, Options{}); err != nil {
		t.Fatal(err)
	}
	s.run(t, time.Second)
	return s
}

// gap returns the longest time without a delivery to a node.
func (s *system) gap(node string) time.Duration {
	var last kernel.Time
	var most time.Duration
	for r := range s.sim.Records() {
		if r.Kind == "net/deliver" && r.Node == node {
			most, last = max(most, r.Time.Sub(last)), r.Time
		}
	}
	return max(most, s.sim.Now().Sub(last))
}

// longestLoss returns the largest number of messages in a row that one link lost.
func (s *system) longestLoss() int {
	runs, most := map[string]int{}, 0
	var link string
	for r := range s.sim.Records() {
		to, _ := r.Get("to")
		switch r.Kind {
		case "net/send":
			link = r.Node + to.Value()
			runs[link]++
			most = max(most, runs[link]-1)
		case "net/deliver":
			from, _ := r.Get("from")
			runs[from.Value()+r.Node] = 0
		}
	}
	return most
}

func processEffects() []effectRow {
	return []effectRow{
		{Fault{Kind: Kill, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { k := s.kinds("n2"); return k["node/kill"] == 1 && k["node/boot"] == 2 }, down},
		{Fault{Kind: PowerLoss, At: at(100), For: at(50), Target: n2, Profile: "lose-all"},
			func(s *system) bool { k := s.kinds("n2"); return k["node/power-loss"] == 1 && k["node/boot"] == 2 }, Fault{}},
		{Fault{Kind: Pause, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { k := s.kinds("n2"); return k["node/pause"] == 1 && k["node/resume"] == 1 }, down},
		{Fault{Kind: Pause, At: at(100), For: at(50), Target: n2, Profile: "stop-clock"},
			func(s *system) bool { return s.nodes[1].Monotonic()-s.nodes[0].Monotonic() == -at(50) }, down},
		{Fault{Kind: CrashLoop, At: at(100), For: at(300), Target: n2, Count: 4, Amount: at(20)},
			func(s *system) bool { k := s.kinds("n2"); return k["node/kill"] == 4 && k["node/boot"] == 5 }, down},
		{Fault{Kind: CrashRecovery, At: at(100), For: at(100), Target: n2, Count: 3},
			func(s *system) bool { k := s.kinds("n2"); return k["node/power-loss"] == 2 && k["node/boot"] == 3 },
			Fault{Kind: LoseNode, At: at(50), Target: n2}},
		{Fault{Kind: LoseNode, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { k := s.kinds("n2"); return !s.nodes[1].Alive() && k["node/power-loss"] == 1 }, Fault{}},
		{Fault{Kind: Leave, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { return !s.nodes[1].Alive() && s.kinds("n2")["node/kill"] == 1 }, down},
		{Fault{Kind: SlowNode, At: at(100), For: at(100), Target: n2, Amount: at(10)},
			func(s *system) bool { return s.nodes[1].Served() == 10 || s.nodes[1].Served() == 11 }, down},
	}
}

func networkEffects() []effectRow {
	return []effectRow{
		{Fault{Kind: Isolate, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { return s.dropped("cut") >= 4*2 }, everyone},
		{Fault{Kind: Partition, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { return s.dropped("cut") >= 4*2 }, everyone},
		{Fault{Kind: Isolate, At: at(100), For: at(50), Target: n2, Peers: []string{"n3"}},
			func(s *system) bool {
				d := s.dropped("cut")
				k := s.kinds("n2")["net/drop"]
				return k >= 4 && k <= 6 && d-k >= 4 && d-k <= 6
			}, everyone},
		{Fault{Kind: Partition, At: at(100), For: at(50), Target: n2, Peers: []string{"@servers"}},
			func(s *system) bool { return s.dropped("cut") >= 4*2 }, everyone},
		{Fault{Kind: OneWay, At: at(100), For: at(50), Target: n2, Peers: []string{"n1"}},
			func(s *system) bool { d := s.dropped("cut"); return d >= 4 && d <= 6 }, everyone},
		{Fault{Kind: Loss, At: at(100), For: at(50), Rate: 1_000_000},
			func(s *system) bool { return s.dropped("loss") >= 6*4 }, everyone},
		{Fault{Kind: Duplicate, At: at(100), For: at(50), Rate: 1_000_000, Target: n2},
			func(s *system) bool { return s.net.Stats().Duplicated >= 4*4 }, everyone},
		{Fault{Kind: Delay, At: at(100), For: at(50), Rate: 1_000_000, Amount: at(200)},
			func(s *system) bool { return s.net.Stats().Delayed >= 6*4 }, everyone},
		{Fault{Kind: Latency, At: at(100), For: at(50), Amount: at(200)},
			func(s *system) bool { return s.longest() >= at(200) }, everyone},
		{Fault{Kind: Ring, At: at(100), For: at(50), Target: all3},
			func(s *system) bool { d := s.dropped("cut"); return d >= 8 && d <= 12 }, everyone},
		{Fault{Kind: Bridge, At: at(100), For: at(50), Target: all3},
			func(s *system) bool { d := s.dropped("cut"); return d >= 8 && d <= 12 }, everyone},
		{Fault{Kind: Partial, At: at(100), For: at(50), Target: all3, Rate: 1},
			func(s *system) bool { d := s.dropped("cut"); return d >= 8 && d <= 12 }, everyone},
		{Fault{Kind: Flap, At: at(100), For: at(400), Target: n2, Amount: at(40)},
			func(s *system) bool { d := s.dropped("cut"); return d >= 60 && d <= 180 && s.kinds("")["net/cut"] >= 4 }, everyone},
		{Fault{Kind: ClientsCut, At: at(100), For: at(50), Target: all3},
			func(s *system) bool { d := s.dropped("cut"); return d >= 6*4 && d <= 6*6 }, everyone},
		{Fault{Kind: Clog, At: at(100), For: at(200), Target: n2},
			func(s *system) bool { return s.longest() >= at(180) && s.net.Stats().Lost() == 0 }, everyone},
		{Fault{Kind: Clog, At: at(100), For: at(200), Target: n2, Profile: "in"},
			func(s *system) bool { return s.longest() >= at(180) && s.gap("n2") >= at(150) && s.gap("n1") < at(50) }, everyone},
		{Fault{Kind: SwizzleClog, At: at(100), For: at(400), Target: all3},
			func(s *system) bool {
				return s.kinds("")["net/clog"] == 3 && s.longest() >= at(50) && s.net.Stats().Lost() == 0
			}, everyone},
		{Fault{Kind: LongTail, At: at(100), For: at(50), Rate: 1_000_000, Amount: at(200)},
			func(s *system) bool { return s.longest() >= at(100) && s.net.Stats().Delayed == 0 }, everyone},
		{Fault{Kind: LossBurst, At: at(100), For: at(500), Rate: 50_000, Count: 20},
			func(s *system) bool { return s.longestLoss() >= 5 }, everyone},
		{Fault{Kind: LateDuplicate, At: at(100), For: at(50), Rate: 1_000_000, Amount: at(300)},
			func(s *system) bool { return s.net.Stats().Duplicated >= 12*4 && s.longest() > at(200) }, everyone},
		{Fault{Kind: CorruptMessage, At: at(100), For: at(50), Rate: 1_000_000, Count: 3},
			func(s *system) bool { return s.dropped("checksum") >= 12*4 }, everyone},
		{Fault{Kind: CorruptMessage, At: at(100), For: at(50), Rate: 1_000_000, Count: 3, Profile: "deliver"},
			func(s *system) bool { return s.kinds("")["net/corrupt"] >= 12*4 && s.net.Stats().Lost() == 0 }, everyone},
		{Fault{Kind: Bandwidth, At: at(100), For: at(100), Rate: 1000, Target: n2, Count: 100},
			func(s *system) bool { return s.dropped("queue") > 20 && s.longest() > at(40) }, everyone},
		{Fault{Kind: DropMessage, At: at(100), For: at(100), Target: n2, Count: 2, Peers: []string{"n3"}, Message: "i*"},
			func(s *system) bool { return s.dropped("aimed") == 1 }, down},
		{Fault{Kind: HoldMessage, At: at(100), For: at(100), Target: n2, Amount: at(300)},
			func(s *system) bool { return s.net.Stats().Delayed == 1 && s.longest() >= at(300) }, down},
		{Fault{Kind: LoseReply, At: at(100), For: at(100), Target: n2},
			func(s *system) bool { return s.dropped("aimed") == 1 }, down},
	}
}

func diskEffects() []effectRow {
	return []effectRow{
		{Fault{Kind: SyncFail, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { return s.nodes[1].Handler().(*chatter).failed >= 3 }, down},
		{Fault{Kind: SlowDisk, At: at(100), For: at(50), Target: n2, Rate: 1_000_000},
			func(s *system) bool { return s.kinds("n2")["disk/sync"] < s.kinds("n1")["disk/sync"] }, down},
		{Fault{Kind: FullDisk, At: at(100), For: at(50), Target: n2},
			func(s *system) bool { return s.nodes[1].Handler().(*chatter).full >= 4 }, down},
		{Fault{Kind: Corrupt, At: at(500), Target: n2, Rate: 3},
			func(s *system) bool { return len(s.disks.Volume(s.nodes[1]).Injected()) > 0 }, Fault{}},
	}
}

func clockEffects() []effectRow {
	return []effectRow{
		{Fault{Kind: ClockStep, At: at(100), Target: n2, Amount: -at(300)},
			func(s *system) bool { return s.nodes[1].Now().Sub(s.nodes[0].Now()) == -at(300) }, Fault{}},
		{Fault{Kind: ClockDrift, At: at(100), For: at(500), Target: n2, Rate: 500_000},
			func(s *system) bool { return s.nodes[1].Monotonic()-s.nodes[0].Monotonic() == at(250) },
			Fault{Kind: ClockDrift, At: at(50), For: at(900), Target: n2, Rate: 500_000}},
		{Fault{Kind: ClockOffset, At: at(100), For: at(2000), Target: n2, Amount: -at(300)},
			func(s *system) bool { return s.nodes[1].Now().Sub(s.nodes[0].Now()) == -at(300) }, Fault{}},
		{Fault{Kind: ClockOffset, At: at(100), For: at(100), Target: n2, Amount: -at(300)},
			func(s *system) bool {
				return s.nodes[1].Now().Equal(s.nodes[0].Now()) && s.kinds("n2")["clock/step"] == 2
			}, Fault{}},
		{Fault{Kind: ClockStepDown, At: at(100), For: at(50), Target: n2, Amount: at(300)},
			func(s *system) bool {
				return s.nodes[1].Now().Sub(s.nodes[0].Now()) == at(300) && s.nodes[1].Boot() == 2
			}, down},
		{Fault{Kind: ClockStrobe, At: at(100), For: at(200), Target: n2, Amount: at(300)},
			func(s *system) bool {
				return s.kinds("n2")["clock/step"] > 10 && s.nodes[1].Now().Equal(s.nodes[0].Now())
			}, Fault{}},
		{Fault{Kind: ClockFreeze, At: at(100), For: at(2000), Target: n2},
			func(s *system) bool {
				return s.nodes[0].Now().Sub(s.nodes[1].Now()) == at(900) && s.nodes[1].Monotonic() == s.nodes[0].Monotonic()
			},
			Fault{Kind: ClockFreeze, At: at(50), For: at(2000), Target: n2}},
		{Fault{Kind: ClockFreeze, At: at(100), For: at(200), Target: n2, Profile: "all"},
			func(s *system) bool {
				return s.nodes[0].Now().Equal(s.nodes[1].Now()) && s.nodes[0].Monotonic()-s.nodes[1].Monotonic() == at(200)
			},
			Fault{Kind: ClockFreeze, At: at(50), For: at(2000), Target: n2}},
		{Fault{Kind: ClockTick, At: at(105), For: at(2000), Target: n2, Amount: at(300)},
			func(s *system) bool {
				return s.nodes[1].Monotonic() == at(900) && s.nodes[1].Now().Nanosecond() == 900_000_000
			},
			Fault{Kind: ClockTick, At: at(50), For: at(2000), Target: n2, Amount: at(300)}},
		{Fault{Kind: TimerError, At: at(100), For: at(500), Target: n2, Amount: at(30), Profile: "late"},
			func(s *system) bool { return s.kinds("n2")["timer"] < 75 }, down},
	}
}
