package simdisk_test

import (
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// wal is a write-ahead log of numbered segments with two records each, with
// the bugs that real ones had as switches.
type wal struct {
	v    *simdisk.Volume
	f    *simdisk.File
	bugs bugs
	recs []string // recovered and acknowledged
	seg  int
	used int
	dead bool // after an error
}

type bugs struct {
	forgetDirSync bool // goes on after the rename of a new segment without syncing the directory
	retrySync     bool // takes the success after a failed sync for an answer
	trustCache    bool // serves what it reads after a restart, having synced the file again
}

const scratch = "new.tmp"

func segment(n int) string { return fmt.Sprintf("log-%04d", n) }

func line(rec string) []byte {
	return fmt.Appendf(nil, "%s %08x\n", rec, crc32.ChecksumIEEE([]byte(rec)))
}

// parse returns the good records at the start of b and where they end.
func parse(b []byte) (recs []string, end int) {
	for text := range strings.Lines(string(b)) {
		rec, _, _ := strings.Cut(text, " ")
		if text != string(line(rec)) {
			break
		}
		recs = append(recs, rec)
		end += len(text)
	}
	return recs, end
}

func openWAL(v *simdisk.Volume, with bugs) (*wal, error) {
	w := &wal{v: v, bugs: with}
	list, err := v.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var last []byte
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), "log-") {
			continue
		}
		w.seg++
		if e.Name() != segment(w.seg) {
			return nil, fmt.Errorf("segment %d is missing", w.seg)
		}
		if last, err = v.ReadFile(e.Name()); err != nil {
			return nil, err
		}
		recs, end := parse(last)
		w.recs, w.used, last = append(w.recs, recs...), len(recs), last[:end]
	}
	if w.seg == 0 {
		return w, nil
	}
	if with.trustCache {
		w.f, err = v.OpenFile(segment(w.seg), os.O_RDWR, 0)
		return w, errors.Join(err, w.f.Truncate(int64(len(last))), w.f.Sync(), v.SyncDir("."))
	}
	return w, w.replace(segment(w.seg), last, true)
}

// replace writes a segment under another name, syncs it, and renames it.
func (w *wal) replace(name string, data []byte, dirSync bool) (err error) {
	if w.f, err = w.v.Create(scratch); err != nil {
		return err
	}
	if _, err = w.f.Append(data); err != nil {
		return err
	}
	if err = w.f.Sync(); err != nil {
		return err
	}
	if err = w.v.Rename(scratch, name); err != nil || !dirSync {
		return err
	}
	return w.v.SyncDir(".")
}

// add returns nil when rec is acknowledged.
func (w *wal) add(rec string) error {
	if w.dead {
		return errors.New("the log is closed")
	}
	err := w.try(rec)
	w.dead = err != nil
	return err
}

func (w *wal) try(rec string) error {
	if w.seg == 0 || w.used == 2 {
		if err := w.replace(segment(w.seg+1), nil, !w.bugs.forgetDirSync); err != nil {
			return err
		}
		w.seg, w.used = w.seg+1, 0
	}
	if _, err := w.f.Append(line(rec)); err != nil {
		return err
	}
	err := w.f.Sync()
	for i := 0; i < 10 && w.bugs.retrySync && errors.Is(err, syscall.EIO); i++ {
		err = w.f.Sync()
	}
	if err != nil {
		return err
	}
	w.recs, w.used = append(w.recs, rec), w.used+1
	return nil
}

// A segment's name that is not synced goes away with the records in it.
func TestWALForgetsDirSync(t *testing.T) {
	for _, with := range []bugs{{}, {forgetDirSync: true}} {
		b := plain(t)
		w, err := openWAL(b.v, with)
		b.ok(err)
		b.ok(w.add("r1"))
		b.ok(w.v.SyncDir(".")) // so that only the second segment is at stake
		b.ok(w.add("r2"))
		b.ok(w.add("r3"))
		b.lose(simdisk.LoseAll)
		w, err = openWAL(b.v, bugs{})
		b.ok(err)
		want := "[r1 r2 r3]"
		if with.forgetDirSync {
			want = "[r1 r2]"
		}
		if got := fmt.Sprint(w.recs); got != want {
			t.Errorf("%+v: recovered %s, want %s", with, got, want)
		}
	}
}

// Records acknowledged after the retry of a failed sync are lost.
func TestWALRetriesSync(t *testing.T) {
	for _, with := range []bugs{{}, {retrySync: true}} {
		b := plain(t)
		w, err := openWAL(b.v, with)
		b.ok(err)
		b.ok(w.add("A"))
		b.ok(w.add("A2")) // the first segment is full
		b.ok(w.replace(segment(2), nil, true))
		w.seg, w.used = 2, 0
		b.failSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: simdisk.DropDirty})
		errB, errC := w.add("B"), w.add("C")
		if acked := errB == nil; acked != with.retrySync || (errC == nil) != with.retrySync {
			t.Errorf("%+v: B %v, C %v", with, errB, errC)
		}
		b.lose(simdisk.LoseAll)
		w, err = openWAL(b.v, bugs{})
		b.ok(err)
		if got := fmt.Sprint(w.recs); got != "[A A2]" {
			t.Errorf("%+v: recovered %s, want [A A2]", with, got)
		}
	}
}

// A record is served from the cache of a failed sync and lost afterwards.
func TestWALTrustsCache(t *testing.T) {
	for _, with := range []bugs{{}, {trustCache: true}} {
		b := plain(t)
		b.n.Start()
		b.sim.RunUntil(0)
		w, err := openWAL(b.v, with)
		b.ok(err)
		b.ok(w.add("A"))
		b.failSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: simdisk.DropDirty})
		wantIO(t, w.add("B"))
		b.n.Kill()
		w, err = openWAL(b.v, with)
		b.ok(err)
		served := fmt.Sprint(w.recs)
		b.lose(simdisk.LoseAll)
		w, err = openWAL(b.v, with)
		b.ok(err)
		if after := fmt.Sprint(w.recs); served != "[A B]" || (after == served) == with.trustCache {
			t.Errorf("%+v: served %s, then %s", with, served, after)
		}
	}
}

// torture crashes a log at random operations, with failing syncs, and returns
// the first violation: what was acknowledged or served must be there after
// every recovery, in its order.
func torture(b *bench, seed uint64, with bugs, failing bool) error {
	r := rand.New(rand.NewPCG(seed, 0))
	if failing {
		b.failSync(simdisk.FailSync{Fail: simdisk.Fail{PPM: 60_000}, Mode: simdisk.DropDirty})
	}
	var fuse int
	b.v.OnOp(func(_ simdisk.Op, when simdisk.When) {
		if fuse--; fuse == 0 {
			if r.IntN(3) == 0 {
				b.n.Kill()
			} else {
				b.n.PowerLoss()
			}
		}
	})
	var must []string
	for life := range 8 {
		fuse = 0
		if b.n.State() == kernel.Down {
			b.n.Start()
			b.sim.RunUntil(b.sim.Now())
		}
		w, err := openWAL(b.v, with)
		for i := 0; err != nil && i < 20; i++ {
			w, err = openWAL(b.v, with)
		}
		if err != nil {
			return err
		}
		if len(w.recs) < len(must) || !slices.Equal(w.recs[:len(must)], must) {
			return fmt.Errorf("life %d: had promised %v, recovered %v", life, must, w.recs)
		}
		fuse = 1 + r.IntN(60)
		for i := 0; i < 6 && !w.dead; i++ {
			w.add(fmt.Sprintf("%d.%d", life, i))
		}
		must = slices.Clone(w.recs)
	}
	return nil
}

// Random crashes find each planted bug, and find nothing in the log without.
func TestWALTorture(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for _, c := range []struct {
		with    bugs
		failing bool
		share   uint64 // of seeds that must find it, in percent
	}{
		{bugs{}, false, 0},
		{bugs{}, true, 0},
		{bugs{forgetDirSync: true}, false, 25},
		{bugs{retrySync: true}, true, 15},
		{bugs{trustCache: true}, true, 2},
	} {
		found := uint64(0)
		for seed := range seeds {
			b := newBench(t, kernel.Config{Seed: seed}, simdisk.Config{})
			err := torture(b, seed, c.with, c.failing)
			if err != nil {
				found++
				if c.share == 0 {
					t.Fatalf("%+v, failing syncs %v, seed %d: %v", c.with, c.failing, seed, err)
				}
			}
		}
		t.Logf("%+v: %d of %d seeds", c.with, found, seeds)
		if found*100 < seeds*c.share {
			t.Errorf("%+v: found by %d of %d seeds, want %d%%", c.with, found, seeds, c.share)
		}
	}
}
