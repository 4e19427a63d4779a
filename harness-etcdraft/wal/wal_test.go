package wal

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"go.etcd.io/raft/v3/raftpb"
)

// rig is a node that writes batches for as long as it runs, on a disk that
// fails and loses power. It knows what was promised.
type rig struct {
	t    *testing.T
	sim  *kernel.Sim
	vol  *simdisk.Volume
	opt  Options
	rand kernel.Seq

	w        *WAL
	boots    int
	next     uint64            // index of the next entry
	term     uint64            // current term
	durable  map[uint64]uint64 // terms of the entries that were called durable
	last     uint64            // highest of them
	safeTerm uint64            // newest durable term
	snapshot uint64            // newest durable snapshot
	flying   int               // batches that are not done
	refused  error
	torn     int // starts that found a torn tail
}

func newRig(t *testing.T, seed uint64, opt Options) *rig {
	g := &rig{t: t, opt: opt, next: 2, term: 1, safeTerm: 1, snapshot: 1, last: 1, durable: map[uint64]uint64{}}
	g.sim = kernel.New(kernel.Config{Seed: seed})
	g.rand = kernel.Seq{Stream: g.sim.Stream("rig")}
	disks, err := simdisk.New(g.sim, simdisk.Config{SectorSize: 64})
	if err != nil {
		t.Fatal(err)
	}
	n := g.sim.AddNode("n1", func(n *kernel.Node) kernel.Handler {
		n.Go("open", g.open)
		return kernel.Idle{}
	})
	if g.vol, err = disks.Attach(n); err != nil {
		t.Fatal(err)
	}
	if err := Format(g.vol, snap(1, 1, "first")); err != nil {
		t.Fatal(err)
	}
	return g
}

func snap(index, term uint64, data string) *raftpb.Snapshot {
	return &raftpb.Snapshot{Data: []byte(data), Metadata: &raftpb.SnapshotMetadata{
		ConfState: &raftpb.ConfState{Voters: []uint64{1, 2, 3}}, Index: new(index), Term: new(term)}}
}

func (g *rig) fail(format string, args ...any) {
	g.t.Helper()
	g.t.Errorf("seed %d, boot %d, %v: "+format, append([]any{g.sim.Seed(), g.boots, g.sim.Now()}, args...)...)
	g.sim.Stop()
}

// open recovers, compares with what was promised, and writes on.
func (g *rig) open(p *kernel.Proc) {
	g.boots++
	w, rec, err := Open(p, g.vol, g.opt)
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		g.refused = err
		g.sim.Stop()
		return
	}
	if err != nil {
		g.crash(p.Node())
		return
	}
	if rec.Torn > 0 {
		g.torn++
	}
	g.flying = 0
	g.check(rec)
	g.w = w
	at := max(g.snapshot, rec.Snapshot.GetMetadata().GetIndex())
	if n := len(rec.Entries); n > 0 {
		at = max(at, rec.Entries[n-1].GetIndex())
	}
	g.next, g.term = at+1, rec.State.GetTerm()
	for {
		p.Sleep(time.Duration(g.rand.Between(0, int64(3*time.Millisecond))))
		g.step(p.Node())
	}
}

// check compares what was recovered with what was promised.
func (g *rig) check(rec *Recovered) {
	index := rec.Snapshot.GetMetadata().GetIndex()
	if index < g.snapshot {
		g.fail("the snapshot at %d is lost, there is one at %d", g.snapshot, index)
	}
	if rec.State.GetTerm() < g.safeTerm {
		g.fail("term %d is lost, there is %d", g.safeTerm, rec.State.GetTerm())
	}
	have := map[uint64]*raftpb.Entry{}
	for _, e := range rec.Entries {
		have[e.GetIndex()] = e
		if want := fmt.Sprintf("%d/%d ", e.GetTerm(), e.GetIndex()); !strings.HasPrefix(string(e.GetData()), want) {
			g.fail("entry %d holds %q, want %q", e.GetIndex(), e.GetData(), want)
		}
	}
	newest := uint64(0)
	if n := len(rec.Entries); n > 0 {
		newest = rec.Entries[n-1].GetTerm()
	}
	for i := index + 1; i <= g.last; i++ {
		if e := have[i]; e == nil && newest > g.durable[i] {
			break // the end of the log was being replaced, and a part of that is there
		} else if e == nil || e.GetTerm() < g.durable[i] {
			g.fail("entry %d of term %d is lost; there is %v", i, g.durable[i], e)
			return
		}
	}
	if c := rec.State.GetCommit(); c < index || len(rec.Entries) > 0 && c > max(index, rec.Entries[len(rec.Entries)-1].GetIndex()) {
		g.fail("commit %d does not fit the snapshot at %d and %d entries", c, index, len(rec.Entries))
	}
}

// step saves something: entries, some of them again in a newer term, or a
// snapshot.
func (g *rig) step(n *kernel.Node) {
	if g.flying == 0 && g.last > g.snapshot && g.rand.PPM(100_000) { // of what nothing replaces any more
		index, w := g.last, g.w
		s := snap(index, g.durable[index], fmt.Sprint("state at ", index))
		w.SaveSnapshot(s, func(err error) {
			if err != nil {
				g.crash(n)
				return
			}
			g.snapshot = max(g.snapshot, index)
			w.Compact(index)
		})
		return
	}
	if g.rand.PPM(50_000) { // a new term replaces the end of the log
		g.term++
		g.next = min(g.next, max(g.next-min(g.rand.Below(4), g.next), g.last+1, g.snapshot+1))
	}
	b := Batch{Sync: true, State: &raftpb.HardState{Term: new(g.term), Vote: new(uint64(1)), Commit: new(g.snapshot)}}
	for range 1 + g.rand.Below(5) {
		data := fmt.Sprintf("%d/%d ", g.term, g.next) + strings.Repeat("x", int(g.rand.Below(100)))
		b.Entries = append(b.Entries, &raftpb.Entry{Term: new(g.term), Index: new(g.next), Data: []byte(data)})
		g.next++
	}
	term := g.term
	g.flying++
	g.w.Save(b, func(err error) {
		g.flying--
		if err != nil {
			g.crash(n)
			return
		}
		g.safeTerm = max(g.safeTerm, term)
		for _, e := range b.Entries {
			g.durable[e.GetIndex()] = e.GetTerm()
			g.last = e.GetIndex()
		}
	})
}

// crash ends the node after an error, and starts it again.
func (g *rig) crash(n *kernel.Node) {
	if !n.Alive() {
		return
	}
	n.Kill()
	g.sim.After(10*time.Millisecond, n.Start)
}

// storm makes crashes, power losses and failed syncs.
func (g *rig) storm(p *kernel.Proc) {
	n := g.sim.Node("n1")
	for {
		p.Sleep(time.Duration(g.rand.Between(int64(time.Millisecond), int64(60*time.Millisecond))))
		switch g.rand.Below(6) {
		case 0, 1, 2:
			n.PowerLoss()
		case 3:
			n.Kill()
		default:
			mode := simdisk.DropDirty
			if g.rand.PPM(500_000) {
				mode = simdisk.KeepDirty
			}
			_, err := g.vol.FailSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: mode})
			if err != nil {
				g.t.Error(err)
			}
			continue
		}
		p.Sleep(time.Millisecond)
		if n.State() == kernel.Down {
			n.Start()
		}
	}
}

// run runs for a while and reports whether something was lost or refused.
func (g *rig) run(d time.Duration) {
	g.sim.Go("storm", g.storm)
	g.sim.RunFor(d)
	g.sim.Close()
}

// TestNothingIsLost runs logs through every sort of crash.
func TestNothingIsLost(t *testing.T) {
	seeds := 60
	if testing.Short() {
		seeds = 10
	}
	torn := 0
	for seed := range seeds {
		g := newRig(t, uint64(seed), Options{SegmentSize: 1 << 10})
		g.run(3 * time.Second)
		if g.refused != nil {
			t.Fatalf("seed %d: %v", seed, g.refused)
		}
		if f := g.sim.Failure(); f != nil {
			t.Fatalf("seed %d: %v", seed, f)
		}
		if g.boots < 10 || t.Failed() {
			t.Fatalf("seed %d: only %d starts", seed, g.boots)
		}
		torn += g.torn
	}
	if torn < seeds/4 {
		t.Errorf("only %d starts in %d seeds have found a torn tail", torn, seeds)
	}
}

// TestFlaws plants every mistake that loses something or keeps what is broken.
func TestFlaws(t *testing.T) {
	for _, f := range []struct {
		name  string
		flaws Flaws
	}{
		{"SkipSync", Flaws{SkipSync: true}},
		{"SkipDirSync", Flaws{SkipDirSync: true}},
		{"RetryFailedSync", Flaws{RetryFailedSync: true}},
		{"KeepTornTail", Flaws{KeepTornTail: true}},
		{"ForgetVote", Flaws{ForgetVote: true}},
		{"MarkBeforeSync", Flaws{MarkBeforeSync: true}},
	} {
		t.Run(f.name, func(t *testing.T) {
			for seed := range 100 {
				probe := &testing.T{}
				g := newRig(probe, uint64(seed), Options{SegmentSize: 1 << 10, Flaws: f.flaws})
				g.run(3 * time.Second)
				if probe.Failed() || g.refused != nil {
					return
				}
			}
			t.Error("100 seeds do not notice it")
		})
	}
}

// TestCorruption flips a bit in what is durable. The log must not start with
// it, wherever it is, but in what a torn tail may be.
func TestCorruption(t *testing.T) {
	refused, harmless := 0, 0
	for seed := range 150 {
		g := newRig(t, uint64(seed), Options{SegmentSize: 1 << 10})
		g.sim.RunFor(300 * time.Millisecond)
		n := g.sim.Node("n1")
		n.Kill()
		g.sim.RunFor(50 * time.Millisecond) // what was in flight is done
		name := g.w.segs[int(g.rand.Below(uint64(len(g.w.segs))))].name()
		if _, err := g.vol.Corrupt(name, 0, 0, 1); err != nil {
			t.Fatal(err)
		}
		n.Start()
		g.sim.RunFor(50 * time.Millisecond)
		g.sim.Close()
		if t.Failed() {
			t.Fatalf("seed %d: the log has started with a damaged record", seed)
		}
		if g.refused != nil {
			refused++
		} else {
			harmless++
		}
	}
	if refused < 130 {
		t.Errorf("only %d of 150 corruptions were refused", refused)
	}
	t.Logf("%d refused, %d without effect on what was recovered", refused, harmless)
}
