package etcdraft

import (
	"strings"
	"testing"
	"time"

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
