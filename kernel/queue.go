package kernel

import (
	"math/bits"
	"slices"
)

// key orders the events: by time, then by a seeded tie, then by slot number.
type key struct {
	time Time
	low  uint64 // tie in the upper half, slot number in the lower
}

func makeKey(t Time, tie, slot uint32) key { return key{t, uint64(tie)<<32 | uint64(slot)} }

func (k key) slot() uint32 { return uint32(k.low) }

func (k key) before(o key) bool {
	return k.time < o.time || k.time == o.time && k.low < o.low
}

// Sizes at which the bottom is taken whole, and at which it is split again.
const (
	bottomTake  = 32
	bottomSplit = 96
)

// queue is a monotone radix heap with a sorted bottom. Keys later than base
// are in the bucket of the highest bit in which their time differs from base;
// all others are in the bottom, so a key earlier than one that was already
// looked at is still found. When the bottom is long and cannot be split,
// because most of it is of one instant, further keys join the crowd.
//
// Here and in a few other inner functions that every event passes, go:norace
// saves a fifth of the time of a run under the race detector. The functions
// that users call stay checked, so a call from another goroutine is still
// found.
type queue struct {
	bottom  []key // latest first
	crowd   crowd
	base    Time
	buckets [63][]key
	used    uint64 // bit b is set when buckets[b] is not empty
	size    int
}

//go:norace
func (q *queue) push(k key) {
	q.size++
	if k.time <= q.base && len(q.bottom) >= bottomSplit && !q.split() {
		q.crowd.push(k)
		return
	}
	if k.time > q.base { // split may have lowered base
		q.file(k)
		return
	}
	q.insert(k)
}

// file puts a key later than base into its bucket.
func (q *queue) file(k key) {
	b := bits.Len64(uint64(k.time^q.base)) - 1
	q.buckets[b] = append(q.buckets[b], k)
	q.used |= 1 << b
}

// insert puts k in its place in the bottom.
//
//go:norace
func (q *queue) insert(k key) {
	lo, hi := 0, len(q.bottom)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if k.before(q.bottom[mid]) {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	q.bottom = append(q.bottom, key{})
	copy(q.bottom[lo+1:], q.bottom[lo:])
	q.bottom[lo] = k
}

// split moves the later half of the bottom, or more, into the buckets. It
// reports false when the earlier half is of one instant.
func (q *queue) split() bool {
	first, median := q.bottom[len(q.bottom)-1].time, q.bottom[len(q.bottom)/2].time
	if first == median {
		return false
	}
	bit := bits.Len64(uint64(first^median)) - 1
	q.lower(first | (1<<bit - 1))
	keep := 0
	for q.bottom[keep].time > q.base {
		q.file(q.bottom[keep])
		keep++
	}
	q.bottom = append(q.bottom[:0], q.bottom[keep:]...)
	return true
}

// lower moves base back. Keys in buckets below the highest bit that changes
// now differ from base in that bit first; higher buckets stay right.
func (q *queue) lower(base Time) {
	top := bits.Len64(uint64(q.base^base)) - 1
	for below := q.used & (1<<top - 1); below != 0; below &= below - 1 {
		b := bits.TrailingZeros64(below)
		q.buckets[top] = append(q.buckets[top], q.buckets[b]...)
		q.buckets[b] = q.buckets[b][:0]
		q.used = q.used&^(1<<b) | 1<<top
	}
	q.base = base
}

// peek returns the first key.
//
//go:norace
func (q *queue) peek() (key, bool) {
	n := len(q.bottom)
	if n == 0 {
		if q.size == 0 {
			return key{}, false
		}
		q.refill()
		n = len(q.bottom)
	}
	if len(q.crowd) > 0 && q.crowdFirst() {
		return q.crowd[0], true
	}
	return q.bottom[n-1], true
}

// crowdFirst reports whether the first key is in the crowd, which is not
// empty.
func (q *queue) crowdFirst() bool {
	n := len(q.bottom)
	return n == 0 || q.crowd[0].before(q.bottom[n-1])
}

// drop removes the key that peek returned.
//
//go:norace
func (q *queue) drop() {
	q.size--
	if len(q.crowd) > 0 && q.crowdFirst() {
		q.crowd.pop()
		return
	}
	q.bottom = q.bottom[:len(q.bottom)-1]
}

// refill fills an empty bottom from the lowest bucket, if there is one: whole
// when it is small, else with the keys of its earliest time.
//
//go:norace
func (q *queue) refill() {
	if q.used == 0 {
		return
	}
	b := bits.TrailingZeros64(q.used)
	bucket := q.buckets[b]
	q.used &^= 1 << b
	if len(bucket) <= bottomTake {
		q.bottom = append(q.bottom, bucket...)
		q.base |= 1<<(b+1) - 1
	} else {
		q.base = bucket[0].time
		for _, k := range bucket[1:] {
			q.base = min(q.base, k.time)
		}
		for _, k := range bucket {
			if k.time == q.base {
				q.bottom = append(q.bottom, k)
			} else {
				q.file(k)
			}
		}
	}
	q.buckets[b] = bucket[:0]
	sortLatestFirst(q.bottom)
}

//go:norace
func sortLatestFirst(keys []key) {
	if len(keys) > bottomTake {
		slices.SortFunc(keys, func(a, b key) int {
			if b.before(a) {
				return -1
			}
			return 1
		})
		return
	}
	for i := 1; i < len(keys); i++ {
		k, j := keys[i], i
		for j > 0 && keys[j-1].before(k) {
			keys[j] = keys[j-1]
			j--
		}
		keys[j] = k
	}
}

// crowd is a binary heap of keys.
type crowd []key

func (c *crowd) push(k key) {
	h := append(*c, k)
	i := len(h) - 1
	for i > 0 && k.before(h[(i-1)/2]) {
		h[i] = h[(i-1)/2]
		i = (i - 1) / 2
	}
	h[i] = k
	*c = h
}

func (c *crowd) pop() {
	h := *c
	n := len(h) - 1
	k := h[n]
	h = h[:n]
	*c = h
	if n == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && h[child+1].before(h[child]) {
			child++
		}
		if k.before(h[child]) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = k
}
