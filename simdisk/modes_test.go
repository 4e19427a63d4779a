package simdisk_test

import (
	"errors"
	"os"
	"reflect"
	"syscall"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// What each way to fail tells whom, and what is on the disk then.
func TestFailModes(t *testing.T) {
	eio, enospc, erofs := error(syscall.EIO), error(syscall.ENOSPC), error(syscall.EROFS)
	for _, c := range []struct {
		mode    simdisk.FailMode
		first   error  // of the sync that is hit
		again   error  // of the next one on the same handle
		other   error  // of the first one on another handle that was open, after both
		after   error  // of the next one on that handle
		doubt   bool   // the range is indeterminate after the first
		durable string // after all of them
	}{
		{simdisk.DropDirty, eio, nil, eio, nil, true, ""},
		{simdisk.KeepDirty, eio, nil, eio, nil, true, "B"},
		{simdisk.NextHandle, nil, nil, eio, nil, true, ""},
		{simdisk.LateError, nil, eio, nil, nil, true, ""},
		{simdisk.Lie, nil, nil, nil, nil, true, "B"},
		{simdisk.NoSpace, enospc, nil, eio, nil, true, "B"},
		{simdisk.GoReadOnly, eio, erofs, erofs, erofs, true, ""},
	} {
		b := plain(t)
		f := b.durableFile("wal")
		g, err := b.v.OpenFile("wal", os.O_RDWR, 0)
		b.ok(err)
		e := b.failSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: c.mode})
		b.put(f, "B")
		is := func(what string, got, want error) {
			if (want == nil) != (got == nil) || want != nil && !errors.Is(got, want) {
				t.Errorf("%v: %s says %v, want %v", c.mode, what, got, want)
			}
		}
		is("the sync", f.Sync(), c.first)
		doubt := b.v.Indeterminate()
		if want := []simdisk.Range{{Path: "wal", Len: 1}}; reflect.DeepEqual(doubt, want) != c.doubt {
			t.Errorf("%v: indeterminate %v", c.mode, doubt)
		}
		is("the next one", f.Sync(), c.again)
		is("another handle", g.Sync(), c.other)
		is("another handle again", g.Sync(), c.after)
		b.has("wal", "B")
		if got := dump(b.v.Durable()); got != "wal="+c.durable+" " {
			t.Errorf("%v: durable is %q, want %q", c.mode, got, c.durable)
		}
		if c.durable == "B" && len(b.v.Indeterminate()) > 0 {
			t.Errorf("%v: still in doubt after a good sync", c.mode)
		}
		if e.Met() == 0 {
			t.Errorf("%v: met nothing", c.mode)
		}
		if m, err := simdisk.ParseFailMode(c.mode.String()); m != c.mode || err != nil {
			t.Errorf("%v reads back as %v, %v", c.mode, m, err)
		}
	}
}

// The same for directories, whose names are never dropped.
func TestFailModesOfDirectories(t *testing.T) {
	for _, c := range []struct {
		mode         simdisk.FailMode
		first, again error
		durable      string // after the first
	}{
		{simdisk.NextHandle, nil, syscall.EIO, ""},
		{simdisk.LateError, nil, syscall.EIO, ""},
		{simdisk.Lie, nil, nil, ""},
		{simdisk.NoSpace, syscall.ENOSPC, nil, ""},
		{simdisk.GoReadOnly, syscall.EIO, syscall.EROFS, ""},
	} {
		b := plain(t)
		b.create("a")
		e := b.failSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: c.mode})
		if err := b.v.SyncDir("."); !errors.Is(err, c.first) {
			t.Errorf("%v: %v, want %v", c.mode, err, c.first)
		}
		if got := dump(b.v.Durable()); got != c.durable {
			t.Errorf("%v: durable is %q", c.mode, got)
		}
		if err := b.v.SyncDir("."); !errors.Is(err, c.again) {
			t.Errorf("%v: then %v, want %v", c.mode, err, c.again)
		}
		e.Undo()
		b.ok(b.v.SyncDir("."))
		b.lose(simdisk.LoseAll)
		b.has("a", "")
	}
}

// What a lying device has is lost with the power, and is there when an honest
// sync comes first.
func TestLieIsLostWithThePower(t *testing.T) {
	for _, honest := range []bool{false, true} {
		b := plain(t)
		f := b.durableFile("wal")
		e := b.failSync(simdisk.FailSync{Mode: simdisk.Lie})
		b.put(f, "A")
		b.ok(f.Sync())
		want := ""
		if honest {
			e.Undo()
			b.ok(f.Sync())
			want = "A"
		}
		b.lose(simdisk.LoseAll)
		b.has("wal", want)
	}
}

func TestReadOnly(t *testing.T) {
	b := plain(t)
	f := b.durableFile("a")
	b.put(f, "x")
	e := b.v.ReadOnly()
	for what, err := range map[string]error{
		"append":    second(f.Append([]byte("y"))),
		"truncate":  f.Truncate(0),
		"sync":      f.Sync(),
		"create":    second(b.v.Create("b")),
		"open":      second(b.v.OpenFile("a", os.O_RDWR, 0)),
		"mkdir":     b.v.Mkdir("d", 0),
		"remove":    b.v.Remove("a"),
		"rename":    b.v.Rename("a", "b"),
		"link":      b.v.Link("a", "b"),
		"write":     second(f.WriteAt([]byte("y"), 0)),
		"allocated": f.Allocate(10),
	} {
		if !errors.Is(err, syscall.EROFS) {
			t.Errorf("%s: %v, want EROFS", what, err)
		}
	}
	b.has("a", "x")
	if e.Met() != 11 {
		t.Errorf("met %d operations, want 11", e.Met())
	}
	e.Undo()
	b.ok(f.Sync())
	b.lose(simdisk.LoseAll)
	b.has("a", "x")
}

func second[T any](_ T, err error) error { return err }

// A volume that went read-only for an error is writable after a reboot.
func TestGoReadOnlyEndsWithThePower(t *testing.T) {
	b := plain(t)
	f := b.durableFile("a")
	b.failSync(simdisk.FailSync{Fail: simdisk.Fail{Times: 1}, Mode: simdisk.GoReadOnly})
	b.put(f, "x")
	wantIO(t, f.Sync())
	if _, err := f.Append([]byte("y")); !errors.Is(err, syscall.EROFS) {
		t.Errorf("append: %v, want EROFS", err)
	}
	b.lose(simdisk.LoseAll)
	b.ok(b.v.WriteFile("a", []byte("z"), 0))
}

func TestShortWrite(t *testing.T) {
	lengths := map[int]bool{}
	for seed := range uint64(20) {
		b := newBench(t, kernel.Config{Seed: seed}, simdisk.Config{})
		f := b.create("a")
		_, err := b.v.FailWritesAs(simdisk.ShortWrite, simdisk.Fail{Times: 1})
		b.ok(err)
		n, err := f.Append([]byte("0123456789"))
		wantIO(t, err)
		b.has("a", "0123456789"[:n])
		lengths[n] = true
		b.ok(f.Truncate(0))
		b.put(f, "x")
	}
	if len(lengths) < 4 || lengths[10] {
		t.Errorf("wrote %v bytes of ten", lengths)
	}
}

// A phantom write is there until the power is lost, or a clean page is read; the
// bytes are listed as injected, and writing them again mends it.
func TestPhantomWrite(t *testing.T) {
	b := plain(t)
	f := b.durableFile("a")
	b.put(f, "old")
	b.ok(f.Sync())
	e, err := b.v.FailWritesAs(simdisk.PhantomWrite, simdisk.Fail{Times: 1})
	b.ok(err)
	_, err = f.WriteAt([]byte("NEW!"), 0)
	b.ok(err)
	b.has("a", "NEW!")
	b.ok(f.Sync())
	b.has("a", "old\x00")
	if got := len(b.v.Injected()); got != 4 || e.Met() != 1 {
		t.Errorf("%d injected bytes, met %d; want 4 and 1", got, e.Met())
	}
	b.lose(simdisk.LoseAll)
	b.has("a", "old\x00")
	f, err = b.v.OpenFile("a", os.O_RDWR, 0)
	b.ok(err)
	_, err = f.WriteAt([]byte("NEW!"), 0)
	b.ok(err)
	b.ok(f.Sync())
	b.has("a", "NEW!")
	if got := b.v.Injected(); len(got) > 0 {
		t.Errorf("%v is injected still", got)
	}
}

// A phantom write that was never synced does not come with a power loss.
func TestPhantomWriteIsNotKept(t *testing.T) {
	b := plain(t)
	f := b.durableFile("a")
	_, err := b.v.FailWritesAs(simdisk.PhantomWrite, simdisk.Fail{})
	b.ok(err)
	b.put(f, "NEW!")
	b.lose(simdisk.KeepAll)
	b.has("a", "\x00\x00\x00\x00")
}

func TestMisdirectedWrite(t *testing.T) {
	b := newBench(t, kernel.Config{}, simdisk.Config{SectorSize: 16})
	f := b.durableFile("a")
	b.put(f, "................----------------________________")
	b.ok(f.Sync())
	_, err := b.v.FailWritesAs(simdisk.MisdirectedWrite, simdisk.Fail{Times: 1})
	b.ok(err)
	_, err = f.WriteAt([]byte("XXXX"), 16)
	b.ok(err)
	b.ok(f.Sync())
	got, err := b.v.ReadFile("a")
	b.ok(err)
	if s := string(got); s != "XXXX............----------------________________" && s != "................----------------XXXX____________" {
		t.Errorf("the file holds %q", s)
	}
	if len(b.v.Injected()) != 8 {
		t.Errorf("injected %v, want 4 bytes in each place", b.v.Injected())
	}
}

func TestDamage(t *testing.T) {
	fresh := func() (*bench, *simdisk.File) {
		b := newBench(t, kernel.Config{Seed: 3}, simdisk.Config{SectorSize: 16})
		f := b.durableFile("a")
		b.put(f, "0123456789abcdefxxxxxxxxxxxxxxxxyyyy")
		b.ok(f.Sync())
		return b, f
	}
	b, f := fresh()
	e, err := b.v.Damage(simdisk.Damage{Kind: simdisk.ZeroSector, File: "a", Off: 16, Len: 16})
	b.ok(err)
	b.has("a", "0123456789abcdef\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00yyyy")
	e.Undo()
	b.has("a", "0123456789abcdefxxxxxxxxxxxxxxxxyyyy")

	e, err = b.v.Damage(simdisk.Damage{Kind: simdisk.DeadSector, File: "a", Off: 16, Len: 1})
	b.ok(err)
	p := make([]byte, 16)
	_, err = f.ReadAt(p, 0)
	b.ok(err)
	_, err = f.ReadAt(p, 10)
	wantIO(t, err)
	_, err = f.WriteAt([]byte("zzzzzzzzzzzzzzzz"), 16)
	b.ok(err)
	_, err = f.ReadAt(p, 10)
	b.ok(err)
	b.ok(f.Sync())
	b.has("a", "0123456789abcdefzzzzzzzzzzzzzzzzyyyy")
	if e.Met() != 1 {
		t.Errorf("the dead sector met %d reads, want 1", e.Met())
	}

	b, f = fresh()
	_, err = b.v.Damage(simdisk.Damage{Kind: simdisk.CutTail, File: "a", Off: 16})
	b.ok(err)
	got, err := b.v.ReadFile("a")
	b.ok(err)
	if n := len(got); n < 16 || n > 35 || string(got) != "0123456789abcdefxxxxxxxxxxxxxxxxyyyy"[:n] || b.v.Used() != int64(n) {
		t.Errorf("%q is left, %d bytes used", got, b.v.Used())
	}
	if in := b.v.Injected(); len(in) != 1 || in[0].Off != int64(len(got)) || in[0].Len != int64(36-len(got)) {
		t.Errorf("injected %v", in)
	}

	b, f = fresh()
	_, err = b.v.Damage(simdisk.Damage{Kind: simdisk.FlipBits, File: "a", Len: 1, Bits: 1, Sticky: true})
	b.ok(err)
	_, err = f.WriteAt([]byte("0"), 0)
	b.ok(err)
	b.ok(f.Sync())
	if got, _ := b.v.ReadFile("a"); got[0] == '0' || string(got[1:]) != "123456789abcdefxxxxxxxxxxxxxxxxyyyy" {
		t.Errorf("sticky damage was mended: %q", got)
	}
	if _, err := b.v.Damage(simdisk.Damage{File: "a"}); err == nil || err.Error() != "simdisk: Damage.Kind is 0; use FlipBits, ZeroSector, DeadSector, CutTail or StaleSector" {
		t.Error(err)
	}
}

func TestInodes(t *testing.T) {
	b := newBench(t, kernel.Config{}, simdisk.Config{Inodes: 3})
	b.ok(b.v.Mkdir("d", 0))
	b.ok(b.create("d/a").Close())
	e, err := b.v.FullInodes(0)
	b.ok(err)
	if _, err := b.v.Create("b"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("create: %v, want ENOSPC", err)
	}
	if err := b.v.Mkdir("e", 0); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("mkdir: %v, want ENOSPC", err)
	}
	b.create("d/a") // is there
	e.Undo()
	b.create("b")
	if _, err := b.v.Create("c"); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("beyond Config.Inodes: %v, want ENOSPC", err)
	}
	b.ok(b.v.Remove("b"))
	b.create("c")
	if e.Met() != 2 {
		t.Errorf("met %d, want 2", e.Met())
	}
}

// A stale sector is as it was before it was last written, and mended by writing
// it again. Sectors that were written once are never stale.
func TestStaleSector(t *testing.T) {
	const first, old = "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaabbbbbbbbbbbbbbbb"
	b := newBench(t, kernel.Config{Seed: 3}, simdisk.Config{SectorSize: 16})
	b.v.KeepOld()
	f := b.durableFile("a")
	b.put(f, old+"cc")
	b.ok(f.Sync())
	stale := simdisk.Damage{Kind: simdisk.StaleSector, File: "a"}
	_, err := b.v.Damage(stale)
	b.ok(err)
	b.has("a", old+"cc")

	_, err = f.WriteAt([]byte("BBBBBBBBBBBBBBBB"), 16)
	b.ok(err)
	b.ok(f.Sync())
	e, err := b.v.Damage(stale)
	b.ok(err)
	b.has("a", old+"cc")
	if in := b.v.Injected(); len(in) != 16 || in[0].Off != 16 || e.Met() != 1 {
		t.Errorf("injected %v, met %d", in, e.Met())
	}
	_, err = f.WriteAt([]byte("DDDDDDDDDDDDDDDD"), 16)
	b.ok(err)
	b.ok(f.Sync())
	b.has("a", first+"DDDDDDDDDDDDDDDDcc")

	_, err = f.WriteAt([]byte("ccCC"), 32) // the rest of the sector was not there
	b.ok(err)
	b.ok(f.Sync())
	_, err = b.v.Damage(simdisk.Damage{Kind: simdisk.StaleSector, File: "a", Off: 32})
	b.ok(err)
	b.has("a", first+"DDDDDDDDDDDDDDDDcc\x00\x00")
}
