package simdisk_test

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

func TestLink(t *testing.T) {
	b := plain(t)
	b.ok(b.v.Mkdir("d", 0))
	f := b.create("a")
	b.put(f, "x")
	b.ok(b.v.Link("a", "d/b"))
	b.put(f, "y")
	b.has("d/b", "xy")
	for what, c := range map[string]struct{ err, want error }{
		"missing":   {b.v.Link("z", "c"), fs.ErrNotExist},
		"existing":  {b.v.Link("a", "d/b"), fs.ErrExist},
		"directory": {b.v.Link("d", "e"), syscall.EPERM},
		"root":      {b.v.Link("a", "."), fs.ErrExist},
	} {
		var le *os.LinkError
		if !errors.Is(c.err, c.want) || !errors.As(c.err, &le) {
			t.Errorf("%s: %v, want %v", what, c.err, c.want)
		}
	}
	b.ok(b.v.Rename("a", "c"))
	b.ok(b.v.Remove("c"))
	if b.v.Used() != 2 {
		t.Errorf("%d bytes used, want 2: the file has another name", b.v.Used())
	}
	b.has("d/b", "xy")
	b.ok(f.Sync())
	b.ok(b.v.SyncDir("."))
	b.ok(b.v.SyncDir("d"))
	b.lose(simdisk.LoseAll)
	if got := dump(b.v.FS()); got != "d/ d/b=xy " {
		t.Errorf("%q is left", got)
	}
	b.ok(b.v.Remove("d/b"))
	if b.v.Used() != 0 {
		t.Errorf("%d bytes used, want none", b.v.Used())
	}
}

// The two names of a file are kept or lost apart, its content is one.
func TestLinkInACrash(t *testing.T) {
	want := map[string]bool{"": true, "a= ": true, "b= ": false, "a=x ": true, "b=x ": false, "a= b= ": true, "a=x b=x ": true}
	b := plain(t)
	f := b.create("a")
	b.put(f, "x")
	b.ok(b.v.Link("a", "b"))
	states, all, err := b.v.CrashStates(simdisk.KeepSubset, 0)
	b.ok(err)
	got := map[string]bool{}
	for _, s := range states {
		got[dump(s.FS())] = true
	}
	want["b= "], want["b=x "] = true, true // a link does not rely on the other name
	for s := range want {
		if !got[s] {
			t.Errorf("%q is not listed", s)
		}
	}
	if !all || len(got) != len(want) {
		t.Errorf("%v are listed, all %v", got, all)
	}
	b.lose(simdisk.KeepAll)
	b.ok(b.v.WriteFile("b", []byte("z"), 0))
	b.has("a", "z")
	if b.v.Used() != 1 {
		t.Errorf("%d bytes used, want 1", b.v.Used())
	}
}

func TestLocks(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f, g := b.create("LOCK"), (*simdisk.File)(nil)
	g, err := b.v.OpenFile("LOCK", os.O_RDWR, 0)
	b.ok(err)
	blocked := func(err error) {
		t.Helper()
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			t.Errorf("got %v, want EWOULDBLOCK", err)
		}
	}
	b.ok(f.TryLock(false))
	b.ok(f.TryLock(false))
	blocked(g.TryLock(true))
	b.ok(f.TryLock(true))
	b.ok(g.TryLock(true))
	blocked(g.TryLock(false))
	b.ok(f.Unlock())
	b.ok(g.TryLock(false))
	b.ok(g.Close())
	b.ok(f.TryLock(false))
	b.n.Kill()
	h, err := b.v.OpenFile("LOCK", os.O_RDWR, 0)
	b.ok(err)
	b.ok(h.TryLock(false))
}

func TestWipeAndSwap(t *testing.T) {
	s := kernel.New(kernel.Config{})
	ds, err := simdisk.New(s, simdisk.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var vols []*simdisk.Volume
	for _, name := range []string{"n1", "n2"} {
		v, err := ds.Attach(s.AddMachine(name, func(*kernel.Node) kernel.Handler { return kernel.Idle{} }))
		if err != nil {
			t.Fatal(err)
		}
		if err := v.WriteFile("of", []byte(name), 0); err != nil {
			t.Fatal(err)
		}
		vols = append(vols, v)
	}
	if err := ds.Swap(vols[0], vols[1]); err == nil || !strings.Contains(err.Error(), `node "n1" still has power; swap disks after Node.PowerLoss`) {
		t.Error(err)
	}
	for _, v := range vols {
		if err := v.SetNextCrash(simdisk.KeepAll); err != nil {
			t.Fatal(err)
		}
		v.Node().PowerLoss()
	}
	if err := ds.Swap(vols[0], vols[1]); err != nil {
		t.Fatal(err)
	}
	if a, b := dump(vols[0].FS()), dump(vols[1].Durable()); a != "of=n2 " || b != "of=n1 " || vols[0].Used() != 2 {
		t.Errorf("after the swap %q and %q", a, b)
	}
	if err := vols[0].WriteFile("of", []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
	vols[0].Node().PowerLoss()
	vols[1].Wipe()
	if got := dump(vols[1].FS()) + dump(vols[1].Durable()); got != "" || vols[1].Used() != 0 {
		t.Errorf("%q is left after a wipe", got)
	}
	if err := ds.Swap(vols[0], nil); err == nil {
		t.Error("a swap with nothing was taken")
	}
}

// Nothing completes while the disk is stalled, and everything does afterwards.
func TestStall(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.durableFile("a")
	e := b.v.Stall()
	done := 0
	for range 3 {
		f.AppendThen([]byte("x"), func(int, error) { done++ })
	}
	f.SyncThen(func(error) { done++ })
	b.sim.RunFor(time.Second)
	if done != 0 || dump(b.v.Durable()) != "a= " {
		t.Fatalf("%d operations completed on a stalled disk, durable %q", done, dump(b.v.Durable()))
	}
	e.Undo()
	b.sim.RunFor(time.Millisecond)
	if done != 4 || dump(b.v.Durable()) != "a=xxx " || e.Met() != 4 {
		t.Errorf("%d operations completed, durable %q, met %d", done, dump(b.v.Durable()), e.Met())
	}
	b.v.Stall()
	f.SyncThen(func(error) { done++ })
	b.sim.RunFor(time.Second)
	b.lose(simdisk.LoseAll)
	b.sim.RunFor(time.Second)
	if done != 4 {
		t.Error("a stalled operation completed after a power loss")
	}
}

// With jitter, operations that are under way at once complete out of order.
func TestJitter(t *testing.T) {
	order := func(most time.Duration) string {
		b := newBench(t, kernel.Config{Seed: 2}, simdisk.Config{Latency: simdisk.Latency{Write: simdisk.Delay{Min: 1, Max: 1}}})
		b.n.Start()
		b.sim.RunUntil(0)
		f := b.durableFile("a")
		if _, err := b.v.Jitter(most); err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range 6 {
			b.sim.RunUntil(b.sim.Now().Add(10))
			f.AppendThen([]byte{byte('0' + i)}, func(int, error) { got += string(rune('0' + i)) })
		}
		b.sim.Run()
		b.has("a", "012345")
		return got
	}
	if got := order(0); got != "012345" {
		t.Errorf("without jitter the order is %s", got)
	}
	if got := order(time.Millisecond); got == "012345" || len(got) != 6 {
		t.Errorf("with jitter the order is %s", got)
	}
}

func TestSlowOneKind(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.durableFile("a")
	e, err := b.v.Slow(1000, simdisk.Sync)
	b.ok(err)
	var wrote, synced kernel.Time
	f.AppendThen([]byte("x"), func(int, error) { wrote = b.sim.Now() })
	f.SyncThen(func(error) { synced = b.sim.Now() })
	b.sim.Run()
	if wrote > kernel.Time(time.Millisecond) || synced < kernel.Time(time.Second) || e.Met() != 1 {
		t.Errorf("wrote at %v, synced at %v, met %d", wrote, synced, e.Met())
	}
}
