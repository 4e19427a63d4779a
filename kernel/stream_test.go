package kernel

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// TestStreamVectors pins the mix: it is published, and every seed that anyone
// has pinned depends on it. The first three values are those of the published
// SplitMix64 for seed 1234567.
func TestStreamVectors(t *testing.T) {
	raw := Stream{1234567}
	for i, wanted := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		want(t, fmt.Sprint("splitmix ", i), raw.At(uint64(i)+1), wanted)
	}
	vectors := []struct {
		seed    uint64
		name    string
		n, want uint64
	}{
		{0x0, "", 0x0, 0x20caab38440262f1},
		{0x0, "", 0x8000000000000000, 0x6e567dc6bf95d04d},
		{0x0, "sched/n1", 0x0, 0x2a0440efd3c7ef07},
		{0x0, "sched/n1", 0x8000000000000000, 0x2a620c360611dbf4},
		{0x0, "net/n1>n2/latency", 0x0, 0x2455ce4ae577be87},
		{0x0, "net/n1>n2/latency", 0x8000000000000000, 0x51070008ef2b553},
		{0x1, "", 0x0, 0xa43feaaab0cc3b78},
		{0x1, "", 0x1, 0x1ea0987941e9ca61},
		{0x1, "", 0x8000000000000000, 0xb1b0366a1b9501b9},
		{0x1, "sched/n1", 0x0, 0xeee86a39b7e31f46},
		{0x1, "sched/n1", 0x1, 0x10e543edf1da58f3},
		{0x1, "sched/n1", 0x8000000000000000, 0x3a591bb85fb2be06},
		{0x1, "net/n1>n2/latency", 0x0, 0x1bcd2f58d71b77ad},
		{0x1, "net/n1>n2/latency", 0x1, 0x8aa0fff7f729d208},
		{0x1, "net/n1>n2/latency", 0x8000000000000000, 0x21c3cb435ef33f5a},
		{0xffffffffffffffff, "", 0x0, 0xb61f326965b1a48c},
		{0xffffffffffffffff, "", 0x8000000000000000, 0x98b7c0f8d49dc8ef},
		{0xffffffffffffffff, "sched/n1", 0x0, 0x83339be3a6511c5b},
		{0xffffffffffffffff, "sched/n1", 0x8000000000000000, 0x7576de1cf63839d},
		{0xffffffffffffffff, "net/n1>n2/latency", 0x0, 0xd9285b32290ae974},
		{0xffffffffffffffff, "net/n1>n2/latency", 0x8000000000000000, 0x60c18068850bbe83},
	}
	for _, v := range vectors {
		want(t, fmt.Sprintf("choice %d of %q for seed %d", v.n, v.name, v.seed), NewStream(v.seed, v.name).At(v.n), v.want)
	}
}

func TestStreamOfSim(t *testing.T) {
	s := New(Config{Seed: 42})
	want(t, "Sim.Stream", s.Stream("a"), NewStream(42, "a"))
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	s.RunFor(0)
	want(t, "Node.Stream", n.Stream("x/y"), NewStream(42, "proc/n/1/x/y"))
	want(t, "ChoicePoint.Stream", s.ChoicePoint("p").Stream(), NewStream(42, "p"))
	want(t, "Rand", n.Rand().Uint64(), n.Stream("rand").Rand().Uint64())
}

// TestStreamUniform counts: 16 bits of many choices fall evenly, over n, over
// seeds and over names, and neighbours do not go together.
func TestStreamUniform(t *testing.T) {
	sources := map[string]func(i uint64) uint64{
		"n":          func(i uint64) uint64 { return NewStream(1, "x").At(i) },
		"seed":       func(i uint64) uint64 { return NewStream(i, "x").At(0) },
		"name":       func(i uint64) uint64 { return NewStream(1, fmt.Sprint("node", i)).At(0) },
		"low bits":   func(i uint64) uint64 { return NewStream(1, "x").At(i) << 48 },
		"difference": func(i uint64) uint64 { return NewStream(1, "x").At(i) ^ NewStream(1, "x").At(i+1) },
		"derived":    func(i uint64) uint64 { return NewStream(1, "x").Derive("y").At(i) ^ NewStream(1, "x").At(i) },
	}
	const cells, total = 256, 100_000
	for name, draw := range sources {
		var count [cells]float64
		for i := range uint64(total) {
			count[draw(i)>>56]++
		}
		chi := 0.0
		for _, c := range count {
			d := c - total/cells
			chi += d * d / (total / cells)
		}
		// 255 degrees of freedom: deviation 22.6.
		if chi < 255-5*22.6 || chi > 255+5*22.6 {
			t.Errorf("%s: chi square is %.0f for 255 degrees of freedom", name, chi)
		}
	}
}

func TestStreamRanges(t *testing.T) {
	s := NewStream(9, "ranges")
	seen := map[int64]int{}
	for n := range uint64(10_000) {
		seen[s.Between(n, -3, 3)]++
		if v := s.Below(n, 7); v > 6 {
			t.Fatalf("Below 7 is %d", v)
		}
		if v := s.Between(n, math.MaxInt64-1, math.MaxInt64); v < math.MaxInt64-1 {
			t.Fatalf("Between is %d", v)
		}
		if v := s.Between(n, math.MinInt64, math.MinInt64+1); v > math.MinInt64+1 {
			t.Fatalf("Between is %d", v)
		}
	}
	want(t, "values of Between -3 and 3", len(seen), 7)
	for v, c := range seen {
		if v < -3 || v > 3 || c < 1200 || c > 1660 {
			t.Errorf("%d came %d times of 10,000", v, c)
		}
	}
	want(t, "Below 0", s.Below(1, 0), 0)
	want(t, "Below 1", s.Below(1, 1), 0)
	want(t, "Between equal bounds", s.Between(1, 5, 5), 5)
	want(t, "Between crossed bounds", s.Between(1, 5, 4), 5)
	negative := 0
	for n := range uint64(1000) {
		if s.Between(n, math.MinInt64, math.MaxInt64) < 0 {
			negative++
		}
	}
	if negative < 400 || negative > 600 {
		t.Errorf("over the full range %d of 1,000 are negative", negative)
	}
}

func TestStreamPPM(t *testing.T) {
	s := NewStream(9, "ppm")
	for _, ppm := range []uint32{0, 1000, 500_000, 1_000_000, math.MaxUint32} {
		yes := 0.0
		for n := range uint64(100_000) {
			if s.PPM(n, ppm) {
				yes++
			}
		}
		p := min(float64(ppm)/1e6, 1)
		if d := math.Abs(yes - p*1e5); d > 5*math.Sqrt(p*(1-p)*1e5) {
			t.Errorf("%d ppm is yes in %v of 100,000", ppm, yes)
		}
	}
}

func TestSeq(t *testing.T) {
	st := NewStream(2, "seq")
	q := Seq{Stream: st}
	want(t, "Next", q.Next(), st.At(0))
	want(t, "Below", q.Below(100), st.Below(1, 100))
	want(t, "Between", q.Between(-5, 5), st.Between(2, -5, 5))
	want(t, "PPM", q.PPM(500_000), st.PPM(3, 500_000))
	want(t, "N", q.N, 4)
	var zero Seq
	want(t, "zero Seq", zero.Next(), Stream{}.At(0))
}

func TestExponential(t *testing.T) {
	const n = 200_000
	from := NewStream(1, "exponential")
	var sum, beyond float64
	for i := range uint64(n) {
		d := exponential(from.At(i), time.Second)
		if d < 0 {
			t.Fatalf("negative duration %v", d)
		}
		sum += d.Seconds()
		if d > 2*time.Second {
			beyond++
		}
	}
	if mean := sum / n; math.Abs(mean-1) > 0.01 {
		t.Errorf("mean %v, want 1", mean)
	}
	if share := beyond / n; math.Abs(share-math.Exp(-2)) > 0.005 {
		t.Errorf("%v beyond twice the mean, want %v", share, math.Exp(-2))
	}
	for _, u := range []uint64{0, 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64} {
		want := -math.Log((float64(u) + 1) / math.Exp2(64))
		got := exponential(u, 1e9)
		if math.Abs(float64(got)/1e9-want) > 1e-6*max(want, 1) {
			t.Errorf("exponential(%d) = %v, want %v s", u, got, want)
		}
	}
}
