package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"
)

// bigRead is what a clock shows, without any limit on the numbers.
func bigRead(value time.Duration, elapsed Time, ppm int64) int64 {
	d := new(big.Int).Mul(big.NewInt(int64(elapsed)), big.NewInt(million+ppm))
	d.Quo(d, big.NewInt(million))
	return d.Add(d, big.NewInt(int64(value))).Int64()
}

const tenYears = Time(10 * 365 * 24 * time.Hour)

func TestClockExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 20_000 {
		ppm := r.Int64N(MaxDrift-MinDrift+1) + MinDrift
		if i < 4 {
			ppm = []int64{MinDrift, MaxDrift, 0, 1}[i]
		}
		c := clock{base: Time(r.Int64N(int64(tenYears))), value: time.Duration(r.Int64N(int64(tenYears))), ppm: ppm}
		at := c.base + Time(r.Int64N(int64(tenYears)))
		if i%3 == 0 {
			at = c.base + Time(r.Int64N(5000))
		}
		got, wanted := c.read(at), bigRead(c.value, at-c.base, ppm)
		if int64(got) != wanted {
			t.Fatalf("%+v reads %d at %d, want %d", c, got, at, wanted)
		}
		// when is the inverse: the first instant that shows at least v.
		v := c.value + time.Duration(r.Int64N(int64(tenYears)))
		w := c.when(v, c.base)
		if c.read(w) < v || w > c.base && c.read(w-1) >= v {
			t.Fatalf("%+v shows %d first at %d, where it reads %d (and %d before)", c, v, w, c.read(w), c.read(w-1))
		}
	}
}

func TestClockExtremes(t *testing.T) {
	for _, ppm := range []int64{MinDrift, 0, MaxDrift} {
		c := clock{ppm: ppm}
		want(t, "when never", c.when(math.MaxInt64, 5), MaxTime)
		want(t, "when long ago", c.when(-5, 7), Time(7))
		if c.read(MaxTime) < 0 {
			t.Errorf("drift %d: the clock wrapped around", ppm)
		}
		c = clock{value: math.MaxInt64 - 5, ppm: ppm}
		want(t, "a clock at its end", c.read(100), time.Duration(math.MaxInt64))
	}
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	for range 5 {
		n.StepClock(math.MaxInt64)
	}
	want(t, "far future", n.wall.value, time.Duration(math.MaxInt64))
	for range 5 {
		n.StepClock(math.MinInt64)
	}
	want(t, "far past", n.wall.value, time.Duration(math.MinInt64))
}

func TestClockSteps(t *testing.T) {
	s := New(Config{})
	n := s.AddMachine("n", func(*Node) Handler { return Idle{} })
	want(t, "wall at the start", n.Now(), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
	s.RunFor(10 * sec)
	n.StepClock(time.Hour)
	n.StepClock(-2 * time.Hour)
	want(t, "wall", n.Now(), time.Date(1999, 12, 31, 23, 0, 10, 0, time.UTC))
	want(t, "monotonic", n.Monotonic(), 10*sec)
	if err := n.SetDrift(100_000); err != nil {
		t.Fatal(err)
	}
	s.RunFor(10 * sec)
	want(t, "wall with drift", n.Now(), time.Date(1999, 12, 31, 23, 0, 21, 0, time.UTC))
	want(t, "monotonic with drift", n.Monotonic(), 21*sec)
	want(t, "drift", n.Drift(), 100_000)
	late := s.AddMachine("late", func(*Node) Handler { return Idle{} })
	want(t, "wall of a machine added late", late.Now(), s.Now().UTC())
	want(t, "monotonic of a machine added late", late.Monotonic(), 0)
}

func TestDriftBounds(t *testing.T) {
	s := New(Config{})
	n := s.AddMachine("n", func(*Node) Handler { return Idle{} })
	for _, ppm := range []int64{MinDrift - 1, MaxDrift + 1, math.MinInt64, math.MaxInt64} {
		err := n.SetDrift(ppm)
		if err == nil {
			t.Fatalf("a drift of %d was taken", ppm)
		}
		mustContain(t, err.Error(), "node n", "within [-500000, 1000000]")
		want(t, "drift", n.Drift(), 0)
	}
	for _, ppm := range []int64{MinDrift, MaxDrift} {
		if err := n.SetDrift(ppm); err != nil {
			t.Error(err)
		}
	}
}

// TestMonotonicNeverBack changes the rate at random, also within an instant,
// and restarts the node. The sum of the pieces is the reading, less at most one
// nanosecond for each change.
func TestMonotonicNeverBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	s := New(Config{})
	n := s.AddNode("n", func(*Node) Handler { return Idle{} })
	last := n.Monotonic()
	exact := new(big.Rat)
	const changes = 5000
	for range changes {
		if err := n.SetDrift(r.Int64N(MaxDrift-MinDrift+1) + MinDrift); err != nil {
			t.Fatal(err)
		}
		if r.IntN(10) == 0 {
			n.StepClock(-time.Hour)
			n.Kill()
			n.Start()
		}
		d := time.Duration(r.Int64N(1e10) * r.Int64N(2))
		s.RunFor(d)
		exact.Add(exact, new(big.Rat).SetFrac(
			new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(million+n.Drift())), big.NewInt(million)))
		now := n.Monotonic()
		if now < last {
			t.Fatalf("the clock went from %v to %v", last, now)
		}
		last = now
	}
	exact.Sub(exact, new(big.Rat).SetInt64(int64(last)))
	if lost, _ := exact.Float64(); lost < 0 || lost > changes {
		t.Errorf("after %d changes the clock is off by %v ns", changes, lost)
	}
}

func TestTime(t *testing.T) {
	for d, wanted := range map[Time]string{
		0: "0s", 1: "0.000000001s", 1_500_000_000: "1.5s", -1: "-0.000000001s",
		-1_500_000_000: "-1.5s", MaxTime: "3153600000s", math.MinInt64: "-9223372036.854775808s",
	} {
		want(t, "text", d.String(), wanted)
	}
	want(t, "sum", Time(5).Add(3), Time(8))
	want(t, "sum below 0", Time(5).Add(-8), Time(0))
	want(t, "lowest sum", Time(0).Add(math.MinInt64), Time(0))
	want(t, "sum beyond the end", MaxTime.Add(1), MaxTime)
	want(t, "overflow", Time(5).Add(math.MaxInt64), MaxTime)
	want(t, "difference", Time(5).Sub(8), -3)
	want(t, "calendar", Time(sec).UTC().Format(time.RFC3339), "2000-01-01T00:00:01Z")
}
