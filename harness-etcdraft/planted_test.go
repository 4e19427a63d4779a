package etcdraft

import (
	"os"
	"testing"
	"testing/cryptotest"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// plant is a bug, and the checks that it may break first.
type plant struct {
	name   string
	bugs   Bugs
	checks []string
	within int // seeds
	cfg    Config
}

func plants() []plant {
	members := Config{Membership: true}
	return []plant{
		{"SkipSync", Bugs{SkipSync: true}, []string{checkDurable}, 5, Config{}},
		{"SkipDirSync", Bugs{SkipDirSync: true}, []string{checkDurable}, 5, Config{}},
		{"RetryFailedSync", Bugs{RetryFailedSync: true}, []string{checkDurable}, 20, Config{}},
		{"AcceptTornTail", Bugs{AcceptTornTail: true}, []string{checkDurable, checkRestart}, 200, Config{}},
		{"ForgetHardState", Bugs{ForgetHardState: true}, []string{checkDurable}, 5, Config{}},
		{"SnapshotOffByOne", Bugs{SnapshotOffByOne: true}, []string{"P13 snapshots are prefixes"}, 5, Config{}},
		{"SnapshotBeforeSync", Bugs{SnapshotBeforeSync: true}, []string{checkDurable}, 5, Config{}},
		{"CompactEarly", Bugs{CompactEarly: true}, []string{checkCompact}, 5, Config{}},
		{"ForgetConfState", Bugs{ForgetConfState: true}, []string{"P13 snapshots are prefixes"}, 5, members},
		{"ApplyConfAtAppend", Bugs{ApplyConfAtAppend: true}, []string{"P13 snapshots are prefixes", "P14 configurations agree"}, 5, members},
		{"NoSessions", Bugs{NoSessions: true}, []string{checkOnce}, 5, Config{}},
		{"ForgetSessions", Bugs{ForgetSessions: true}, []string{checkOnce, checkAlike}, 20, Config{}},
		{"SendBeforePersist", Bugs{SendBeforePersist: true}, []string{"P4 durable before it is sent"}, 5, Config{}},
		{"ApplyBeforeDurable", Bugs{ApplyBeforeDurable: true}, []string{"P12 committed entries are applied in order"}, 5, Config{}},
		{"StaleReads", Bugs{StaleReads: true}, []string{"P17 reads are not stale"}, 5, Config{}},
		{"ReadBeforeApplied", Bugs{ReadBeforeApplied: true}, []string{"P17 reads are not stale"}, 5, Config{}},
	}
}

// hunt runs seeds until one fails. It returns how many that took, and the
// failure; nil if none did.
func hunt(t *testing.T, cfg Config, most int) (int, *kernel.Failure) {
	t.Helper()
	opt := faultline.Options{Duration: 10 * time.Second, Unrestricted: true, Disk: simdisk.Config{SectorSize: 32}}
	seeds := kernel.NewStream(1, "hunt")
	for n := range most {
		seed := seeds.At(uint64(n))
		cryptotest.SetGlobalRandom(t, seed)
		out, err := faultline.Once(opt, seed, func(w *faultline.World) {
			Setup(w, cfg)
			w.Faults(Faults())
		})
		if err != nil {
			t.Fatal(err)
		}
		if out.Failure != nil {
			return n + 1, out.Failure
		}
	}
	return most, nil
}

// TestPlantedBugsAreFound demands that each planted bug is found in time, by a
// check that it breaks.
func TestPlantedBugsAreFound(t *testing.T) {
	for _, p := range plants() {
		t.Run(p.name, func(t *testing.T) {
			if p.within == 0 || testing.Short() && p.within > 20 {
				t.Skip("takes too many seeds")
			}
			cfg := p.cfg
			cfg.Bugs = p.bugs
			n, f := hunt(t, cfg, p.within)
			if f == nil {
				t.Fatalf("%d seeds have not found it", n)
			}
			t.Logf("found by %q in seed %d, at %v: %.160s", f.Check, n, f.Time, f.Message)
			for _, c := range p.checks {
				if f.Check == c {
					return
				}
			}
			if p.checks != nil {
				t.Errorf("it was found by %q, want one of %q: %s", f.Check, p.checks, f.Message)
			}
		})
	}
}

// TestPlanted runs a cluster with a planted bug as a user would see it fail.
func TestPlanted(t *testing.T) {
	name := os.Getenv("RAFT_PLANTED")
	if name == "" {
		t.Skip("fails by intention; RAFT_PLANTED=SkipSync runs it, or another bug")
	}
	for _, p := range plants() {
		if p.name == name {
			cfg := p.cfg
			cfg.Bugs = p.bugs
			Test(t, cfg, options())
		}
	}
}
