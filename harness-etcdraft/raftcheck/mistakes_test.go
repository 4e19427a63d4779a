package raftcheck_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

// mistakes are those of applications, and the properties that must find each.
var mistakes = []struct {
	bug   string
	tune  func(*mode)
	wants raftcheck.Set
}{
	{"sent early", func(m *mode) { m.async = false }, raftcheck.SetOf(raftcheck.PersistBeforeSend)},
	{"advanced early", func(m *mode) { m.async = false }, raftcheck.SetOf(raftcheck.PersistBeforeSend)},
	{"sync skipped", func(m *mode) { m.async = false }, raftcheck.SetOf(raftcheck.Monotonic)},
	{"vote forgotten", nil, raftcheck.SetOf(raftcheck.Monotonic)},
	{"conf forgotten", withMembers, raftcheck.SetOf(raftcheck.Configuration)},
	{"conf at append", func(m *mode) { withMembers(m); m.async = false }, raftcheck.SetOf(raftcheck.Configuration, raftcheck.Snapshots)},
	{"entry skipped", nil, raftcheck.SetOf(raftcheck.ApplyOrder)},
	{"snapshot off by one", func(m *mode) { m.every = 3 }, raftcheck.SetOf(raftcheck.Snapshots)},
	{"installed early", func(m *mode) { m.every, m.async = 3, false }, raftcheck.SetOf(raftcheck.Snapshots)},
	{"compacted early", func(m *mode) { m.every = 3 }, raftcheck.SetOf(raftcheck.Contract)},
	{"read early", func(m *mode) { m.apply = 20 }, raftcheck.SetOf(raftcheck.ReadIndex)},
	{"lease trusted", func(m *mode) { m.lease, m.rolling = true, false }, raftcheck.SetOf(raftcheck.LeaseReads)},
	{"carried out again", func(m *mode) { m.dup = 20; m.noForward = false }, raftcheck.SetOf(raftcheck.ClientDurability)},
}

// Each mistake of an application is found, by the property that it breaks.
func TestMistakesAreFound(t *testing.T) {
	for _, c := range mistakes {
		t.Run(c.bug, func(t *testing.T) {
			const most = 100
			for seed := uint64(1); seed <= most; seed++ {
				s := newSim(seed, 0, func(m *mode) {
					m.bug, m.nodes, m.voters, m.members = c.bug, 3, 3, false
					if c.tune != nil {
						c.tune(m)
					}
				})
				err := s.run(ticks)
				var v *raftcheck.Violation
				if errors.As(err, &v) {
					if !c.wants.Has(v.Check) {
						t.Fatalf("seed %d: found by another property: %v", seed, err)
					}
					t.Logf("seed %d: %v", seed, err)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			t.Fatalf("not found in %d seeds", most)
		})
	}
}

func withMembers(m *mode) {
	m.members, m.nodes, m.voters, m.rolling, m.preVote, m.writeEvery = true, 5, 3, false, true, 30
}

// A check that is off finds nothing, and what follows from the mistake is found
// by others.
func TestChecksCanBeSwitchedOff(t *testing.T) {
	for _, off := range raftcheck.Checks() {
		s := newSim(3, raftcheck.SetOf(off), func(m *mode) {
			m.bug, m.async, m.members, m.nodes, m.voters = "sent early", false, false, 3, 3
		})
		var v *raftcheck.Violation
		if err := s.run(ticks); errors.As(err, &v) && v.Check == off {
			t.Errorf("%v is off and has found %v", off, err)
		}
	}
}

func TestNames(t *testing.T) {
	if got := fmt.Sprint(raftcheck.CommittedAgreement); got != "P8 committed entries agree" {
		t.Error(got)
	}
	for k, c := range raftcheck.Checks() {
		if int(c) != k+1 {
			t.Errorf("check %d has number %d", k+1, c)
		}
	}
	if !raftcheck.WhiteBox().Has(raftcheck.Progress) || raftcheck.WhiteBox().Has(raftcheck.ReadIndex) {
		t.Error("white box:", raftcheck.WhiteBox())
	}
}
