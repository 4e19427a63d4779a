package kernel

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// oracle is the simplest queue that can be right: a sorted list.
type oracle struct {
	keys   []key
	before func(a, b key) bool
}

func (o *oracle) push(k key) {
	i, _ := slices.BinarySearchFunc(o.keys, k, func(a, b key) int {
		if o.before(a, b) {
			return -1
		}
		return 1
	})
	o.keys = slices.Insert(o.keys, i, k)
}

func (o *oracle) peek() (key, bool) {
	if len(o.keys) == 0 {
		return key{}, false
	}
	return o.keys[0], true
}

func (o *oracle) drop() { o.keys = o.keys[1:] }

type pushPopper interface {
	push(k key)
	peek() (key, bool)
	drop()
}

// shape draws the time of the next key, which is never before now.
type shape struct {
	name string
	draw func(r *rand.Rand, now Time) Time
}

var shapes = []shape{
	{"near", func(r *rand.Rand, now Time) Time { return now + Time(r.IntN(1000)) }},
	{"equal", func(r *rand.Rand, now Time) Time { return now + Time(r.IntN(2)*r.IntN(2)) }},
	{"exponents", func(r *rand.Rand, now Time) Time { return now.Add(1 << r.IntN(60)) }},
	{"huge", func(r *rand.Rand, now Time) Time { return MaxTime - Time(r.IntN(3)) }},
	{"grid", func(r *rand.Rand, now Time) Time { return (now/1e6 + Time(r.IntN(50))) * 1e6 }},
	{"mixed", func(r *rand.Rand, now Time) Time {
		switch r.IntN(10) {
		case 0:
			return now.Add(1e18)
		case 1:
			return now
		case 2, 3:
			return now + Time(r.IntN(1e9))
		}
		return now + Time(r.IntN(200))
	}},
}

// compareQueues does n random operations on both and reports the first
// difference. Keys earlier than one that was looked at, but not before the last
// one dropped, are pushed too, as a caller between events does.
func compareQueues(a, b pushPopper, sh shape, seed uint64, n, bulk int) error {
	r := rand.New(rand.NewPCG(seed, 1))
	var now Time
	var pending, serial int
	push := func() {
		k := key{max(sh.draw(r, now), now), uint64(r.Uint32N(1<<uint(r.IntN(32))))<<32 | uint64(serial)}
		serial++
		pending++
		a.push(k)
		b.push(k)
	}
	for range bulk {
		push()
	}
	for i := range n {
		grow := r.IntN(2*max(bulk, 50)) > pending
		switch {
		case r.IntN(200) == 0: // a burst
			for range r.IntN(300) {
				push()
			}
		case r.IntN(3) == 0: // only a look
			ka, oka := a.peek()
			if kb, okb := b.peek(); ka != kb || oka != okb {
				return fmt.Errorf("operation %d: peek is %v %v, want %v %v", i, ka, oka, kb, okb)
			}
		case grow:
			push()
		default:
			ka, oka := a.peek()
			kb, okb := b.peek()
			if ka != kb || oka != okb {
				return fmt.Errorf("operation %d: the first key is %v %v, want %v %v", i, ka, oka, kb, okb)
			}
			if oka {
				a.drop()
				b.drop()
				now = kb.time
				pending--
			}
		}
	}
	for pending > 0 {
		ka, _ := a.peek()
		if kb, _ := b.peek(); ka != kb {
			return fmt.Errorf("at the end: the first key is %v, want %v", ka, kb)
		}
		a.drop()
		b.drop()
		pending--
	}
	if _, ok := a.peek(); ok {
		return fmt.Errorf("a key is left at the end")
	}
	return nil
}

func TestQueueAgainstOracle(t *testing.T) {
	rounds := 15
	if testing.Short() {
		rounds = 5
	}
	for _, sh := range shapes {
		for _, bulk := range []int{0, 10, 100, 2000} {
			for seed := range rounds {
				q := &queue{}
				if err := compareQueues(q, &oracle{before: key.before}, sh, uint64(seed), 2000, bulk); err != nil {
					t.Fatalf("%s, bulk %d, seed %d: %v", sh.name, bulk, seed, err)
				}
				if q.size != 0 || q.used != 0 {
					t.Fatalf("%s: an empty queue has size %d, buckets %b", sh.name, q.size, q.used)
				}
			}
		}
	}
}

// byTime is the bug that the oracle exists for: ties are forgotten.
func byTime(a, b key) bool { return a.time < b.time }

// TestOracleFindsBug checks that the comparison above can fail.
func TestOracleFindsBug(t *testing.T) {
	for _, sh := range shapes {
		found := 0
		for seed := range 10 {
			if compareQueues(&oracle{before: byTime}, &oracle{before: key.before}, sh, uint64(seed), 2000, 100) != nil {
				found++
			}
		}
		if found == 0 && sh.name != "exponents" {
			t.Errorf("%s: a queue that ignores ties was not found out", sh.name)
		}
	}
}

// blindQueue is a radix heap without the bottom's rule: a key earlier than
// base goes where later ones go.
type blindQueue struct{ queue }

func (q *blindQueue) push(k key) {
	if k.time < q.base {
		k.time = q.base
	}
	q.queue.push(k)
}

func TestOracleFindsEarlierPush(t *testing.T) {
	if compareQueues(&blindQueue{}, &oracle{before: key.before}, shapes[5], 1, 2000, 100) == nil {
		t.Error("a queue that loses earlier keys was not found out")
	}
}

// TestQueueLarge sorts 100,000 keys of each shape, all pushed first.
func TestQueueLarge(t *testing.T) {
	for _, sh := range shapes {
		r := rand.New(rand.NewPCG(3, 4))
		var q queue
		keys := make([]key, 100_000)
		for i := range keys {
			if i == 10 {
				q.peek() // base is now far ahead for some shapes
			}
			keys[i] = key{sh.draw(r, 0), uint64(r.Uint32())<<32 | uint64(i)}
			q.push(keys[i])
		}
		slices.SortFunc(keys, func(a, b key) int {
			if a.before(b) {
				return -1
			}
			return 1
		})
		for i, k := range keys {
			got, ok := q.peek()
			if !ok || got != k {
				t.Fatalf("%s: key %d is %v, want %v", sh.name, i, got, k)
			}
			q.drop()
		}
	}
}

// TestQueueSplit covers a bottom that is split: one far key is looked at, then
// many earlier ones come.
func TestQueueSplit(t *testing.T) {
	var q queue
	q.push(key{time: 1 << 50})
	q.peek()
	for i := range 500 {
		q.push(key{time: Time(i * 1000), low: uint64(i)})
	}
	if len(q.bottom) > bottomSplit {
		t.Errorf("the bottom has %d keys; it was not split", len(q.bottom))
	}
	if len(q.crowd) > 0 {
		t.Errorf("%d keys of different instants are in the crowd", len(q.crowd))
	}
	for i := range 500 {
		if k, _ := q.peek(); k.time != Time(i*1000) {
			t.Fatalf("key %d is %v", i, k)
		}
		q.drop()
	}
	if k, _ := q.peek(); k.time != 1<<50 {
		t.Fatalf("the far key is %v", k)
	}
}

// TestQueueCrowd covers the case in which the bottom cannot be split, with
// keys of later instants between.
func TestQueueCrowd(t *testing.T) {
	var q queue
	q.push(key{time: 1000})
	q.peek()
	for i := range 5000 {
		q.push(key{time: 5, low: uint64(5000-i) << 32})
		if i%100 == 0 {
			q.push(key{time: 700, low: uint64(i)})
		}
	}
	if len(q.crowd) == 0 {
		t.Fatal("the crowd was not used")
	}
	last := key{}
	for range 5051 {
		k, ok := q.peek()
		if !ok || k.before(last) {
			t.Fatalf("%v comes after %v", k, last)
		}
		last = k
		q.drop()
	}
	want(t, "size", q.size, 0)
}

// ptrHeap is the queue that people write first, the base of the benchmark.
type ptrHeap []*key

func (h ptrHeap) Len() int           { return len(h) }
func (h ptrHeap) Less(i, j int) bool { return h[i].before(*h[j]) }
func (h ptrHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ptrHeap) Push(x any)        { *h = append(*h, x.(*key)) }
func (h *ptrHeap) Pop() any {
	old := *h
	k := old[len(old)-1]
	*h = old[:len(old)-1]
	return k
}

var _ heap.Interface = (*ptrHeap)(nil)
