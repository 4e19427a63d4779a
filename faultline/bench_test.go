package faultline

import (
	"runtime"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func benchRecipe(b *testing.B, d time.Duration, level kernel.Level) recipe {
	opt, err := Options{Duration: d}.complete(false)
	if err != nil {
		b.Fatal(err)
	}
	return recipe{opt: opt, level: level, seed: 7, setup: func(w *World) { cluster(w, nil) }}
}

func runOnce(b *testing.B, r recipe) *execution {
	x := r.execute(time.Time{})
	if x.failure != nil || x.setup != nil || x.hung != "" {
		b.Fatal(x.failure, x.setup, x.hung)
	}
	return x
}

// The check for determinism runs every seed twice.
func BenchmarkPair(b *testing.B) {
	b.Run("double-run", func(b *testing.B) {
		r := benchRecipe(b, 10*time.Second, kernel.LevelHash)
		defer relaxGC()() // as Run does
		for range 300 {   // the heap grows to its size before either is measured
			runOnce(b, r)
		}
		b.Run("ours", func(b *testing.B) {
			for b.Loop() {
				if runOnce(b, r).result.Hash != runOnce(b, r).result.Hash {
					b.Fatal("two runs differ")
				}
			}
		})
		b.Run("base", func(b *testing.B) {
			for b.Loop() {
				runOnce(b, r)
			}
		})
	})
	// The memory of a passing seed does not grow with its length: ours has ten
	// times the events of base.
	b.Run("memory-growth", func(b *testing.B) {
		b.Run("ours", func(b *testing.B) { liveBytes(b, 1_000_000) })
		b.Run("base", func(b *testing.B) { liveBytes(b, 100_000) })
	})
}

// liveBytes reports the heap that a passing run of that many events holds on
// to at its end.
func liveBytes(b *testing.B, events uint64) {
	for b.Loop() {
		r := benchRecipe(b, time.Hour, kernel.LevelHash)
		r.limit = events
		r.setup = func(w *World) {
			peers := []string{"n1", "n2", "n3"}
			w.Servers(3, func(n *Node) kernel.Handler { return &echo{n: n, peers: peers} })
		}
		x := runOnce(b, r)
		if x.events != events {
			b.Fatalf("%d events, want %d", x.events, events)
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc), "live-B")
		runtime.KeepAlive(x)
	}
}
