package simdisk_test

import (
	"testing"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

func BenchmarkAppendSyncInstant(b *testing.B) {
	x := newBench(b, kernel.Config{}, simdisk.Config{})
	f := x.create("wal")
	p := make([]byte, 64)
	b.ReportAllocs()
	for b.Loop() {
		if f.Truncate(0) != nil {
			b.Fatal("truncate")
		}
		for range 10 {
			f.Append(p)
			f.Sync()
		}
	}
}

func BenchmarkAppendSyncCallback(b *testing.B) {
	x := newBench(b, kernel.Config{MaxEvents: 1 << 60}, simdisk.Config{})
	x.n.Start()
	x.sim.RunUntil(0)
	f := x.create("wal")
	p := make([]byte, 64)
	op := simdisk.Op{Kind: simdisk.Write, File: f, Data: p}
	ack := func(simdisk.Result) {}
	b.ReportAllocs()
	for b.Loop() {
		x.v.Submit(op, ack)
		x.v.Submit(simdisk.Op{Kind: simdisk.Sync, File: f}, ack)
		for x.sim.Step() {
		}
	}
}

func BenchmarkAppendSyncProc(b *testing.B) {
	x := newBench(b, kernel.Config{MaxEvents: 1 << 60}, simdisk.Config{})
	x.n.SetFactory(kernel.Main(func(p *kernel.Proc) {
		f, _ := x.v.In(p).Create("wal")
		data := make([]byte, 64)
		for {
			f.WriteAt(data, 0)
			f.Sync()
		}
	}))
	x.n.Start()
	b.ReportAllocs()
	for b.Loop() {
		for range 4 { // two completions, two resumptions
			x.sim.Step()
		}
	}
	x.sim.Close()
}

func BenchmarkPowerLoss(b *testing.B) {
	x := newBench(b, kernel.Config{}, simdisk.Config{})
	data := make([]byte, 1000)
	b.ReportAllocs()
	for b.Loop() {
		for _, name := range []string{"a", "b", "c", "d"} {
			f := x.create(name)
			f.Append(data)
			f.Sync()
			f.Append(data)
		}
		x.v.SyncDir(".")
		x.lose(simdisk.Torn)
	}
}

// Appends and syncs of small records allocate nothing in the steady state,
// apart from the growth of the file.
func TestSteadyStateAllocations(t *testing.T) {
	b := newBench(t, kernel.Config{}, simdisk.Config{})
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.create("wal")
	b.ok(f.Allocate(1 << 20))
	p := make([]byte, 64)
	off := int64(0)
	for name, work := range map[string]func(){
		"instant": func() {
			f.WriteAt(p, off)
			f.Sync()
		},
		"callback": func() {
			b.v.Submit(simdisk.Op{Kind: simdisk.Write, File: f, Off: off, Data: p}, ignore)
			b.v.Submit(simdisk.Op{Kind: simdisk.Sync, File: f}, ignore)
			for b.sim.Step() {
			}
		},
	} {
		for range 200 {
			work()
		}
		if n := testing.AllocsPerRun(500, func() { work(); off += 64 }); n != 0 {
			t.Errorf("%s: %v allocations for a write and a sync, want none", name, n)
		}
	}
}

func ignore(simdisk.Result) {}
