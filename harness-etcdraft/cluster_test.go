package etcdraft

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
)

func options() faultline.Options {
	return faultline.Options{Duration: 10 * time.Second}
}

// TestThree runs three nodes.
func TestThree(t *testing.T) { Test(t, Config{}, options()) }

// TestFive runs five.
func TestFive(t *testing.T) { Test(t, Config{Nodes: 5}, options()) }

// TestMembership changes the configuration all the time.
func TestMembership(t *testing.T) { Test(t, Config{Membership: true}, options()) }

// TestOne runs a single node.
func TestOne(t *testing.T) { Test(t, Config{Nodes: 1, Clients: 2}, options()) }

// TestModes fixes what is rare in the draw, together.
func TestModes(t *testing.T) {
	for name, tune := range map[string]func(*Mode){
		"async slow": func(m *Mode) {
			m.Async, m.AppendDelay, m.ApplyDelay, m.MaxCommittedSizePerReady = true, 30*time.Millisecond, 30*time.Millisecond, unlimited
		},
		"rolling": func(m *Mode) { m.Rolling = true },
		// One entry per Ready: with a longer delay a follower applies more slowly than the clients write.
		"tiny limits": func(m *Mode) {
			m.MaxCommittedSizePerReady, m.MaxUncommittedEntriesSize, m.MaxSizePerMsg = 1, 64, 0
			m.ApplyDelay = min(m.ApplyDelay, 5*time.Millisecond)
		},
		"snapshots":   func(m *Mode) { m.SnapshotEvery, m.Retain, m.PieceSize, m.SegmentSize = 1, 0, 16, 1<<10 },
		"checkpoints": func(m *Mode) { m.CheckpointEvery, m.SnapshotEvery = 1, 30 },
	} {
		t.Run(name, func(t *testing.T) {
			opt := options()
			opt.Seeds = 5
			Test(t, Config{Tune: tune}, opt)
		})
	}
}

// A wrong configuration is an error that names the field.
func TestConfigErrors(t *testing.T) {
	for want, cfg := range map[string]Config{
		"Config.Nodes is -1":  {Nodes: -1},
		"Config.Nodes is 65":  {Nodes: 65},
		"Config.Spares is -1": {Spares: -1},
		"Config.Liveness is":  {Liveness: -1},
		"Workload is not":     {Machine: func() StateMachine { return NewKV() }},
	} {
		if _, err := cfg.complete(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error %v, want one with %q", cfg, err, want)
		}
	}
}

// TestDamage corrupts what one of three disks holds durably, and fills that
// disk. A corrupted log is found and its node refuses to start, or what was hit
// did not matter; the other two go on, and nothing that was acknowledged is lost.
func TestDamage(t *testing.T) {
	one := fault.Target{Nodes: []string{"n1"}}
	rules := append(Faults(),
		fault.Rule{Kind: fault.Corrupt, Every: 3 * time.Second, Rate: fault.Range{Min: 1, Max: 20}, Target: one},
		fault.Rule{Kind: fault.FullDisk, Weight: 50, Every: 4 * time.Second, For: fault.Span{Min: 50 * time.Millisecond, Max: 2 * time.Second}, Target: one},
		fault.Rule{Name: "restart", Kind: fault.Kill, Every: 2 * time.Second, For: fault.Span{Min: 20 * time.Millisecond, Max: 200 * time.Millisecond}, Target: one},
	)
	opt := options()
	sum := run(t, Config{Faults: rules, Tune: func(m *Mode) { m.Missing = 0 }}.must(t), opt, false)
	if sum.runs >= 20 && sum.seeds[refusedToStart] == 0 {
		t.Error("no corruption was ever found")
	}
}

// TestLeases reads by lease. Stale reads are counted while there are faults;
// none may come when they are over.
func TestLeases(t *testing.T) {
	sum := run(t, Config{LeaseReads: true, Tune: func(m *Mode) { m.LeaseReads, m.CheckQuorum = true, true }}.must(t), options(), true)
	if sum.runs > 0 && sum.seeds[leaseRead] == 0 {
		t.Error("no read was answered by lease")
	}
}

// must returns the configuration with its defaults.
func (c Config) must(t *testing.T) Config {
	t.Helper()
	full, err := c.complete()
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// TestApplyOne applies one message after the other: raft hears that the first
// is applied while it has handed out others.
func TestApplyOne(t *testing.T) {
	cfg := Config{Tune: func(m *Mode) {
		m.Async, m.ApplyOne, m.ApplyDelay, m.MaxCommittedSizePerReady = true, true, 30*time.Millisecond, unlimited
	}}
	opt := options()
	opt.Seeds = 5
	sum := run(t, cfg.must(t), opt, true)
	if sum.runs > 0 && sum.seeds[applyBehind] == 0 {
		t.Error("nothing was handed out while something was being applied")
	}
}

// TestReadyDelay takes several messages into one Ready.
func TestReadyDelay(t *testing.T) {
	opt := options()
	opt.Seeds = 5
	sum := run(t, Config{Tune: func(m *Mode) { m.ReadyDelay = 8 * time.Millisecond }}.must(t), opt, true)
	if sum.runs > 0 && sum.seeds[readyOfSeveral] == 0 {
		t.Error("no Ready was taken after several messages")
	}
}
