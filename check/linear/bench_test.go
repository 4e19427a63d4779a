package linear_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// request is an operation of the large histories.
type request struct {
	key   string
	write bool
	value int // written or seen
	place int64
}

func (r request) call(swaps bool) linear.Call {
	was := func(v int) any {
		if v == 0 {
			return nil
		}
		return v
	}
	if r.write && swaps { // the search is needed
		return linear.CompareAndSwap(r.key, was(r.value-1), r.value, true)
	}
	if r.write {
		return linear.Write(r.key, r.value)
	}
	return linear.Read(r.key, was(r.value))
}

// large makes a linearizable history: ten processes that work all the time,
// half reads, and one operation of a hundred with an unknown outcome.
func large(n, keys int) *history.History {
	event := uint64(1)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(event), event })
	rng := uint64(1)
	next := func(n int) int {
		rng = rng*6364136223846793005 + 1442695040888963407
		return int(rng>>33) % n
	}
	state := make([]int, keys)
	names := make([]string, 10)
	open := make([]*history.Op, 10)
	in := make([]*request, 10)
	done := make([]bool, 10)
	for i := range names {
		names[i] = fmt.Sprint("c", i)
	}
	place := int64(0)
	for h.Len() < n {
		event++
		i := next(10)
		r := in[i]
		switch {
		case open[i] == nil:
			r = &request{key: fmt.Sprint("k", next(keys)), write: next(2) == 0, place: -1}
			in[i], open[i], done[i] = r, h.Invoke(names[i], "do", r), false
		case !done[i]: // it takes effect
			var k int
			fmt.Sscanf(r.key, "k%d", &k)
			if r.write {
				place++
				state[k]++
				r.value, r.place = state[k], place
			} else {
				r.value = state[k]
			}
			done[i] = true
			if next(100) == 0 {
				open[i].Unknown("timeout")
				open[i] = nil
				names[i] = names[i] + "'"
			}
		default:
			open[i].OK(nil)
			open[i] = nil
		}
	}
	for i := range in { // what has not taken effect yet has no value
		if r := in[i]; open[i] != nil && !done[i] && r.write {
			r.value = n + i
		}
	}
	return h
}

// BenchmarkLarge checks 100,000 operations of which 1 % are unknown: with the
// order that they took effect in, by zones, by search, and by porcupine alone
// (which gets ten seconds).
func BenchmarkLarge(b *testing.B) {
	for _, keys := range []int{1, 100} {
		h := large(100_000, keys)
		model := func(swaps bool) linear.Model {
			return linear.Register(func(op *history.Operation) linear.Call { return op.Input.(*request).call(swaps) })
		}
		order := func(op *history.Operation) (int64, bool) { p := op.Input.(*request).place; return p, p > 0 }
		run := func(name string, c func() linear.Checker) {
			b.Run(fmt.Sprintf("%s/keys=%d", name, keys), func(b *testing.B) {
				measure(b, func() string {
					r, err := c().Run(h.All())
					if err != nil {
						b.Fatal(err)
					}
					if name == "order" && r.Order != "" {
						b.Fatal(r.Order)
					}
					return string(r.Verdict)
				})
			})
		}
		run("order", func() linear.Checker { return linear.Checker{Model: model(true), Order: order} })
		run("zones", func() linear.Checker { return linear.Checker{Model: model(false)} })
		run("search", func() linear.Checker { return linear.Checker{Model: model(true)} })
		b.Run(fmt.Sprintf("porcupine/keys=%d", keys), func(b *testing.B) {
			measure(b, func() string { return string(porcupineAlone(model(true), h, 10*time.Second)) })
		})
	}
}

// measure reports the verdict and the largest heap.
func measure(b *testing.B, check func() string) {
	b.Helper()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	verdict := ""
	for b.Loop() {
		verdict = check()
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/(1<<20), "MB-allocated")
	b.Logf("%s: %s", b.Name(), verdict)
}

// porcupineAlone gives a history to porcupine as its users do: a partition for
// each key, unknown operations that return at the end.
func porcupineAlone(m linear.Model, h *history.History, limit time.Duration) porcupine.CheckResult {
	model := m.Porcupine(nil)
	model.Partition = func(ops []porcupine.Operation) [][]porcupine.Operation {
		index := map[string]int{}
		var out [][]porcupine.Operation
		for _, op := range ops {
			k := op.Metadata.(string)
			i, ok := index[k]
			if !ok {
				i = len(out)
				index[k], out = i, append(out, nil)
			}
			out[i] = append(out[i], op)
		}
		return out
	}
	var ops []porcupine.Operation
	for op := range h.All() {
		key, c := m.Call(op)
		ret := int64(op.Return.Event)
		if op.Status != history.OK {
			ret = 1 << 40
		}
		ops = append(ops, porcupine.Operation{Input: c, Call: int64(op.Invoke.Event), Return: ret, Metadata: key})
	}
	return porcupine.CheckOperationsTimeout(model, ops, limit)
}
