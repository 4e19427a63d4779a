package linear_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
)

// TestMemory: a search that would remember very much stays near its limit.
func TestMemory(t *testing.T) {
	const limit = 32 << 20
	h := hard(40)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, top, asked := heap(), uint64(0), 0
	r, err := linear.Checker{
		Model: linear.Counter(words), Memory: limit, Steps: 800_000,
		Stop: func() bool { // called every 1024 steps
			if asked++; asked%128 == 0 {
				top = max(top, heap())
			}
			return false
		},
	}.Run(h.All())
	if err != nil || r.Verdict != linear.Unknown {
		t.Fatalf("%v, %v", r, err)
	}
	used := int64(top) - int64(before)
	if used > limit*3/2 {
		t.Errorf("it used %d MiB with a limit of %d", used>>20, limit>>20)
	}
	if used < limit/4 {
		t.Errorf("it used only %d MiB of %d: this test shows nothing", used>>20, limit>>20)
	}
	t.Logf("%d MiB of %d", used>>20, limit>>20)
}

// TestUnknownsAreCheap is a shape on which a search without rules of its own takes time
// exponential in the number of unknown writes: each of them may have been
// overwritten at once, and only one was read.
func TestUnknownsAreCheap(t *testing.T) {
	event := uint64(0)
	b := newBuilder(func() (time.Duration, uint64) { return time.Duration(event), event }, &event)
	for i := range 60 {
		b.unknown("u", "cas", "x", "a", value(i)) // compare-and-swap, so that zones do not apply
		b.ok("w", "write", "x", "a")
	}
	b.ok("r", "read", "x", "v7")
	r, err := linear.Checker{Model: linear.Register(words), Steps: 2_000_000}.Run(b.h.All())
	if err != nil || r.Verdict != linear.OK {
		t.Errorf("%v, %v", r, err)
	}
	b.ok("r", "read", "x", "nobody's")
	r, err = linear.Checker{Model: linear.Register(words), Steps: 2_000_000}.Run(b.h.All())
	if err != nil || r.Verdict != linear.Violated {
		t.Errorf("%v, %v", r, err)
	}
}

// TestManyUnknowns: what the search compares takes steps too. Without that, and
// without the rule for operations that do the same, both histories take hours:
// every set of the additions leads to one of a few sums.
func TestManyUnknowns(t *testing.T) {
	for _, c := range []struct {
		name  string
		delta func(i int) int
		want  linear.Verdict
	}{
		{"the same", func(int) int { return 1 }, linear.Violated},
		{"different", func(i int) int { return i + 1 }, linear.Unknown},
	} {
		event := uint64(0)
		b := newBuilder(func() (time.Duration, uint64) { return time.Duration(event), event }, &event)
		for i := range 40 {
			b.unknown("u", "add", "n", fmt.Sprint(c.delta(i)))
		}
		b.ok("r", "count", "n", "-1")
		const steps = 100_000
		r, err := linear.Checker{Model: linear.Counter(words), Steps: steps}.Run(b.h.All())
		if err != nil || r.Verdict != c.want || r.Steps > steps*11/10 || r.Op == nil || r.Op.Process != "r" {
			t.Errorf("%s: %v, %v, %d steps", c.name, r, err, r.Steps)
		}
	}
}
