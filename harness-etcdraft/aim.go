package etcdraft

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hmdsefi/faultline/fault"
)

// aim is a sort of fault that waits for a disk operation of a store: what goes
// wrong there is decided within a moment that faults at random times hardly
// ever meet.
type aim struct {
	name     string
	percent  int           // of the seeds in which it is on
	every    time.Duration // mean time between two
	when     fault.Trigger
	most     int // matches of the trigger that go by at most before it fires
	kind     fault.Kind
	profiles []string
	lasts    fault.Span
}

// aims are those of [Cluster.AimFaults]. The files are those of package wal;
// with another store, those that it does not have are never met.
var aims = [...]aim{
	// One sync of the log fails, and the next one works again.
	{"failed-sync", 70, 2000 * time.Millisecond, fault.Trigger{Op: "sync", File: "wal/*"}, 40, fault.SyncFail, []string{"drop-dirty", "drop-dirty", "keep-dirty"},
		fault.Span{Min: 500 * time.Microsecond, Max: 2500 * time.Microsecond}},
	// The power fails when the log has just been written and is not synced.
	{"torn-append", 75, 800 * time.Millisecond, fault.Trigger{Op: "append", File: "wal/*", After: true}, 30, fault.PowerLoss, []string{"torn"},
		fault.Span{Min: 20 * time.Millisecond, Max: 200 * time.Millisecond}},
	// The power fails when a snapshot has got its name, which is not synced.
	{"torn-snapshot", 25, 2500 * time.Millisecond, fault.Trigger{Op: "rename", File: "snap/*", After: true}, 5, fault.PowerLoss, []string{"lose-all", "keep-subset", "torn"},
		fault.Span{Min: 20 * time.Millisecond, Max: 500 * time.Millisecond}},
	// The power fails when a segment is begun or deleted.
	{"torn-segment", 15, 2500 * time.Millisecond, fault.Trigger{Op: "open", File: "wal/*", After: true}, 5, fault.PowerLoss, []string{"lose-all", "keep-subset", "torn"},
		fault.Span{Min: 20 * time.Millisecond, Max: 500 * time.Millisecond}},
	{"torn-compaction", 15, 2500 * time.Millisecond, fault.Trigger{Op: "remove", File: "wal/*", After: true}, 5, fault.PowerLoss, []string{"keep-subset", "lose-all"},
		fault.Span{Min: 20 * time.Millisecond, Max: 500 * time.Millisecond}},
}

// AimFaults adds faults that wait for operations of the stores: a sync of the
// log that fails once, and losses of power right after the log was written,
// after a snapshot was named, after a segment was begun or deleted. Which, when
// and on which server is drawn from the seed. Like those of a script they are
// in the schedule, and outside of the budget of random faults. Call it in the
// setup; [Test] does when Config.Faults is nil.
func (c *Cluster) AimFaults() {
	quiet, ok := c.world.QuietAt()
	if !ok {
		return // nothing would bring the servers back in time to be judged
	}
	for _, a := range aims {
		c.world.Script(a.draw(c.world.Rand("raft-aim/"+a.name), quiet, c.names)...)
	}
}

// draw draws the faults of a sort for one run.
func (a aim) draw(r *rand.Rand, quiet time.Duration, names []string) []fault.Fault {
	if r.IntN(100) >= a.percent {
		return nil
	}
	var out []fault.Fault
	for at := time.Duration(0); ; {
		at += time.Duration(r.Int64N(int64(2 * a.every)))
		if at >= quiet {
			return out
		}
		when := a.when
		when.Node = pick(r, names...)
		when.Nth = 1 + r.IntN(a.most)
		out = append(out, fault.Fault{
			ID: fmt.Sprintf("aim-%s#%d", a.name, len(out)+1), Kind: a.kind, At: at, When: when,
			For: a.lasts.Min + time.Duration(r.Int64N(int64(a.lasts.Max-a.lasts.Min))), Profile: pick(r, a.profiles...),
		})
	}
}
