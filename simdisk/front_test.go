package simdisk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// program runs f as the node's proc.
func program(t *testing.T, cfg simdisk.Config, f func(b *bench, p *kernel.Proc)) *bench {
	b := newBench(t, kernel.Config{Level: kernel.LevelFull}, cfg)
	b.n.SetFactory(kernel.Main(func(p *kernel.Proc) { f(b, p) }))
	b.n.Start()
	return b
}

func (b *bench) trace(kinds string) string {
	var out []string
	for r := range b.sim.Records() {
		if strings.HasPrefix(r.Kind, kinds) {
			out = append(out, recordLine(r))
		}
	}
	return strings.Join(out, "\n")
}

func recordLine(r kernel.Record) string {
	s := fmt.Sprintf("%v %s/%d %s", r.Time, r.Node, r.Boot, r.Kind)
	for _, a := range r.Attrs {
		s += " " + a.Key + "=" + a.Value()
	}
	return s
}

func TestProcOperationsTakeTime(t *testing.T) {
	ms := time.Millisecond
	cfg := simdisk.Config{Latency: simdisk.Latency{
		Read: simdisk.Delay{Min: ms, Max: ms}, Write: simdisk.Delay{Min: 2 * ms, Max: 2 * ms},
		Sync: simdisk.Delay{Min: 30 * ms, Max: 30 * ms}, Meta: simdisk.Delay{Min: 100 * ms, Max: 100 * ms},
	}}
	var took []time.Duration
	b := program(t, cfg, func(b *bench, p *kernel.Proc) {
		v := b.v.In(p)
		last := p.Sim().Now()
		lap := func(err error) {
			b.ok(err)
			took = append(took, p.Sim().Now().Sub(last)/ms)
			last = p.Sim().Now()
		}
		f, err := v.Create("a")
		lap(err)
		_, err = f.Append([]byte("x"))
		lap(err)
		lap(f.Sync())
		_, err = f.ReadAt(make([]byte, 1), 0)
		lap(err)
		e, err := b.v.Slow(10)
		b.ok(err)
		lap(f.Sync())
		if e.Met() != 1 {
			t.Errorf("the slow disk met %d operations, want 1", e.Met())
		}
	})
	b.sim.Run()
	if f := b.sim.Failure(); f != nil {
		t.Fatal(f)
	}
	if got := fmt.Sprint(took); got != "[100ns 2ns 30ns 1ns 300ns]" {
		t.Errorf("operations took %s ms", got)
	}
}

// The callback of an operation in flight is never called after a crash, and
// the trace says so.
func TestCompletionAfterCrashIsInert(t *testing.T) {
	for _, power := range []bool{false, true} {
		b := plain(t)
		b.n.Start()
		b.sim.RunUntil(0)
		f := b.durableFile("a")
		b.put(f, "x")
		called := false
		f.SyncThen(func(error) { called = true })
		if power {
			b.lose(simdisk.LoseAll)
		} else {
			b.n.Kill()
		}
		b.n.Start()
		b.sim.Run()
		if called {
			t.Error("the callback of a crashed incarnation was called")
		}
		if !strings.Contains(b.trace("inert"), "what=disk/sync file=a") {
			t.Errorf("no inert record in\n%s", b.trace("inert"))
		}
		want := "x" // the device went on after the kill
		if power {
			want = ""
		}
		if got := dump(b.v.Durable()); got != "a="+want+" " {
			t.Errorf("power loss %v: durable is %q", power, got)
		}
	}
}

// A sync covers what was written before it was asked for, not what came while
// it ran.
func TestSyncCoversWhatCameBefore(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.durableFile("a")
	b.put(f, "x")
	f.SyncThen(b.ok)
	b.put(f, "y")
	b.sim.RunFor(time.Second)
	if got := dump(b.v.Durable()); got != "a=x " {
		t.Errorf("durable is %q, want only x", got)
	}
	b.ok(f.Sync())
	if got := dump(b.v.Durable()); got != "a=xy " {
		t.Errorf("durable is %q, want xy", got)
	}
}

// While a node is paused its disk works on, and the callback waits.
func TestPause(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.durableFile("a")
	b.put(f, "x")
	var at kernel.Time
	f.SyncThen(func(err error) { b.ok(err); at = b.sim.Now() })
	b.n.Pause()
	b.sim.RunFor(time.Second)
	if got := dump(b.v.Durable()); got != "a=x " || at != 0 {
		t.Errorf("durable %q, called at %v; want x and not called", got, at)
	}
	b.n.Resume()
	b.sim.RunFor(time.Second)
	if at != kernel.Time(time.Second) {
		t.Errorf("called at %v, want 1s", at)
	}
}

func TestStaleHandle(t *testing.T) {
	b := plain(t)
	b.n.Start()
	b.sim.RunUntil(0)
	f := b.create("a")
	b.n.Kill()
	b.n.Start()
	b.sim.RunUntil(0)
	_, err := f.Append([]byte("x"))
	if !errors.Is(err, simdisk.ErrStale) || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("got %v, want ErrStale", err)
	}
	if _, err := f.Stat(); !errors.Is(err, simdisk.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
	b.has("a", "")
	if !strings.Contains(b.trace("inert"), "what=disk/append file=a") {
		t.Errorf("no inert record in\n%s", b.trace("inert"))
	}
}

// A hook that crashes the node before an operation prevents it; one after it
// lets it happen, and in neither case does the caller hear of success.
func TestHooksCrashAroundOperations(t *testing.T) {
	for _, front := range []string{"instant", "proc", "callback"} {
		for _, when := range []simdisk.When{simdisk.Before, simdisk.After} {
			acked := false
			b := plain(t)
			var run func(v *simdisk.Volume, f *simdisk.File)
			run = func(v *simdisk.Volume, f *simdisk.File) {
				if _, err := f.Append([]byte("x")); err != nil {
					return
				}
				acked = f.Sync() == nil
			}
			b.n.SetFactory(func(n *kernel.Node) kernel.Handler {
				if n.Boot() > 1 {
					return kernel.Idle{}
				}
				switch front {
				case "proc":
					return kernel.Main(func(p *kernel.Proc) {
						v := b.v.In(p)
						f, err := v.Create("a")
						b.ok(err)
						b.ok(v.SyncDir("."))
						run(v, f)
					})(n)
				case "callback":
					f := b.durableFile("a")
					f.AppendThen([]byte("x"), func(_ int, err error) {
						if err == nil {
							f.SyncThen(func(err error) { acked = err == nil })
						}
					})
				default:
					run(b.v, b.durableFile("a"))
				}
				return kernel.Idle{}
			})
			b.ok(b.v.SetCrashProfile(simdisk.LoseAll))
			crashed := false
			b.v.OnOp(func(op simdisk.Op, w simdisk.When) {
				if op.Kind == simdisk.Sync && op.Path == "a" && w == when && !crashed {
					crashed = true
					b.n.PowerLoss()
				}
			})
			b.n.Start()
			b.sim.Run()
			if f := b.sim.Failure(); f != nil && front == "proc" {
				t.Fatal(f)
			}
			want := map[simdisk.When]string{simdisk.Before: "a= ", simdisk.After: "a=x "}[when]
			if got := dump(b.v.FS()); got != want || acked || !crashed {
				t.Errorf("%s, %v: left %q, acked %v, crashed %v; want %q", front, when, got, acked, crashed, want)
			}
		}
	}
}

// A hook before an operation on a name prevents it too.
func TestHooksCrashBeforeNames(t *testing.T) {
	for kind, do := range map[simdisk.Kind]func(v *simdisk.Volume) error{
		simdisk.Open:    func(v *simdisk.Volume) error { _, err := v.Create("new"); return err },
		simdisk.Mkdir:   func(v *simdisk.Volume) error { return v.Mkdir("new", 0) },
		simdisk.Rename:  func(v *simdisk.Volume) error { return v.Rename("a", "new") },
		simdisk.Remove:  func(v *simdisk.Volume) error { return v.Remove("a") },
		simdisk.SyncDir: func(v *simdisk.Volume) error { return v.SyncDir(".") },
	} {
		b := plain(t)
		b.n.Start()
		b.sim.RunUntil(0)
		b.ok(b.durableFile("a").Close())
		b.create("b")
		b.v.OnOp(func(op simdisk.Op, w simdisk.When) {
			if op.Kind == kind && b.n.Alive() {
				b.n.Kill()
			}
		})
		if err := do(b.v); !errors.Is(err, simdisk.ErrStale) {
			t.Errorf("%v: %v, want ErrStale", kind, err)
		}
		if now, safe := dump(b.v.FS()), dump(b.v.Durable()); now != "a= b= " || safe != "a= " {
			t.Errorf("%v took place: %q, durable %q", kind, now, safe)
		}
	}
}

// A program that crashes itself asks for nothing more.
func TestZombieIsInert(t *testing.T) {
	b := plain(t)
	var err error
	b.n.SetFactory(func(n *kernel.Node) kernel.Handler {
		if n.Boot() == 1 {
			n.AfterFunc(0, func() {
				n.Kill()
				_, err = b.v.Create("a")
			})
		}
		return kernel.Idle{}
	})
	b.n.Start()
	b.sim.Run()
	b.has("a", "-")
	if !errors.Is(err, simdisk.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
}

// The deferred calls of a proc whose run has ended find the disk inert.
func TestDeferredCloseAtTheEnd(t *testing.T) {
	ran := false
	b := program(t, simdisk.Config{}, func(b *bench, p *kernel.Proc) {
		f, err := b.v.In(p).Create("a")
		b.ok(err)
		defer func() {
			f.Close()
			ran = true
		}()
		p.Recv()
	})
	b.sim.Run()
	if !ran {
		t.Error("the deferred call did not run to its end")
	}
}
