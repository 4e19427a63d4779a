package isolation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/history"
)

var big = flag.Int("transactions", 1_000_000, "transactions of BenchmarkList")

// serialLists makes a strictly serializable history of transactions on lists:
// ten processes, two to four accesses each, half of them reads, and a new key
// after 50 appends, as is usual for such workloads.
func serialLists(n int) *history.History {
	event := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(event), event })
	r := rand.New(rand.NewPCG(1, 1))
	type slot struct {
		name string
		list []int
	}
	keys := make([]slot, 10)
	made := 0
	fresh := func() slot { made++; return slot{name: fmt.Sprint("k", made)} }
	for i := range keys {
		keys[i] = fresh()
	}
	names := make([]string, 10)
	open := make([]*history.Op, 10)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	value := 0
	for h.Len() < n {
		event++
		c := r.IntN(10)
		op := open[c]
		if op == nil {
			open[c] = h.Invoke(names[c], "txn", nil)
			continue
		}
		for range 2 + r.IntN(3) {
			k := &keys[r.IntN(len(keys))]
			if r.IntN(2) == 0 {
				op.Read(k.name, k.list[:len(k.list):len(k.list)])
				continue
			}
			value++
			k.list = append(k.list, value)
			op.Append(k.name, value)
			if len(k.list) == 50 {
				*k = fresh()
			}
		}
		op.OK(nil)
		open[c] = nil
	}
	return h
}

// BenchmarkList checks a history of a million transactions on lists.
func BenchmarkList(b *testing.B) {
	h := serialLists(*big)
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	before := m.HeapAlloc
	var top atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				top.Store(max(top.Load(), m.HeapAlloc))
			}
		}
	}()
	for b.Loop() {
		r, err := Checker{}.Run(h.All())
		if err != nil || len(r.Found) > 0 || r.Transactions < *big-10 { // some are still running
			b.Fatalf("%v, %v", r, err)
		}
	}
	close(done)
	b.ReportMetric(float64(top.Load())/(1<<20), "peak-MB")
	b.ReportMetric(float64(before)/(1<<20), "history-MB")
}

// BenchmarkComponents compares gograph with the compact search.
func BenchmarkComponents(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		g := randomGraph(n, 4*n, 1)
		b.Run(fmt.Sprintf("gograph/nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.byGograph(data)
			}
		})
		b.Run(fmt.Sprintf("compact/nodes=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				g.compact(data)
			}
		})
	}
}

func randomGraph(nodes, edges int, seed uint64) *graph {
	r := rand.New(rand.NewPCG(seed, 2))
	arcs := make([]arc, edges)
	for i := range arcs {
		arcs[i] = arc{int32(r.IntN(nodes)), edge{to: int32(r.IntN(nodes)), kind: kind(1 << r.IntN(3))}}
	}
	return newGraph(nodes, arcs)
}

// TestComponents: gograph and the compact search find the same components.
func TestComponents(t *testing.T) {
	for seed := range uint64(200) {
		g := randomGraph(2+int(seed), 2*int(seed), seed)
		for _, kinds := range []kind{ww, ww | wr, data} {
			a, b := g.components(kinds), g.compact(kinds)
			big := &graph{head: append(append([]int32{}, g.head...), make([]int32, smallGraph)...), edges: g.edges}
			for i := len(g.head); i < len(big.head); i++ {
				big.head[i] = int32(len(g.edges))
			}
			if c := big.components(kinds); len(a) != len(b) || !reflect.DeepEqual(a, c) {
				t.Fatalf("seed %d: %v, %v, %v", seed, a, b, c)
			}
		}
	}
}
