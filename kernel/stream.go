package kernel

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"time"
)

// Stream is a named source of choices. A choice is a pure function of the
// run's seed, the stream's name and the number of the choice; nothing is
// shared between streams and nothing is consumed, so a choice that is no
// longer made leaves every other choice as it was.
//
// The generator is SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014) used as a counter-based
// function: choice n is the finaliser of key + n*golden ratio. It is for
// simulation, not for secrets. The zero value is a valid stream of seed 0
// without a name.
type Stream struct{ key uint64 }

const golden = 0x9E3779B97F4A7C15

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

func fnv64(name string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 0x100000001B3
	}
	return h
}

// NewStream returns the stream of that name for a seed.
func NewStream(seed uint64, name string) Stream {
	return Stream{mix64(seed + golden)}.Derive(name)
}

// Derive returns the stream called name below s. Equal names give equal
// streams.
func (s Stream) Derive(name string) Stream {
	return Stream{mix64(s.key ^ mix64(fnv64(name)+golden))}
}

// At returns choice n: 64 uniformly distributed bits.
func (s Stream) At(n uint64) uint64 { return mix64(s.key + n*golden) }

// Below returns choice n as a number in [0, bound), or 0 when bound is 0. It
// scales by multiplication, so the bias is below bound/2^64.
func (s Stream) Below(n, bound uint64) uint64 {
	hi, _ := bits.Mul64(s.At(n), bound)
	return hi
}

// Between returns choice n as a number in [lo, hi], or lo when hi is below lo.
func (s Stream) Between(n uint64, lo, hi int64) int64 {
	if hi <= lo {
		return lo
	}
	width := uint64(hi) - uint64(lo) + 1
	if width == 0 { // all 64 bits
		return int64(s.At(n))
	}
	return lo + int64(s.Below(n, width))
}

// PPM returns choice n as a yes or no: yes in ppm of 1,000,000 cases. 0 is
// never, 1,000,000 and more is always.
func (s Stream) PPM(n uint64, ppm uint32) bool {
	return s.Below(n, 1_000_000) < uint64(ppm)
}

// Rand returns a generator for user code, seeded from the stream. Every call
// returns one that starts at the same point.
func (s Stream) Rand() *rand.Rand {
	return rand.New(rand.NewPCG(s.At(0), s.At(1)))
}

// Seq reads the choices of a stream in order, for a caller that has no better
// number for them. The zero value reads the zero [Stream].
type Seq struct {
	Stream Stream // where the choices come from
	N      uint64 // number of choices read so far
}

// Next returns the next choice.
func (q *Seq) Next() uint64 { q.N++; return q.Stream.At(q.N - 1) }

// Below returns the next choice as a number in [0, bound), see [Stream.Below].
func (q *Seq) Below(bound uint64) uint64 { q.N++; return q.Stream.Below(q.N-1, bound) }

// Between returns the next choice as a number in [lo, hi], see
// [Stream.Between].
func (q *Seq) Between(lo, hi int64) int64 { q.N++; return q.Stream.Between(q.N-1, lo, hi) }

// PPM returns the next choice as a yes or no, see [Stream.PPM].
func (q *Seq) PPM(ppm uint32) bool { q.N++; return q.Stream.PPM(q.N-1, ppm) }

// Exponential returns choice n as an exponentially distributed duration of that
// mean, in integer arithmetic so that every machine agrees. It is at most 45
// times the mean; a mean below 1 gives 0.
func (s Stream) Exponential(n uint64, mean time.Duration) time.Duration {
	return exponential(s.At(n), mean)
}

// Exponential returns the next choice as a duration, see [Stream.Exponential].
func (q *Seq) Exponential(mean time.Duration) time.Duration {
	q.N++
	return q.Stream.Exponential(q.N-1, mean)
}

func exponential(u uint64, mean time.Duration) time.Duration {
	if mean <= 0 {
		return 0
	}
	const ln2 = 2977044472 // ln 2 * 2^32, rounded
	hi, lo := bits.Mul64(negLog2(u), ln2)
	ln := hi<<32 | lo>>32 // -ln(u/2^64) * 2^32, below 45 * 2^32
	hi, lo = bits.Mul64(ln, uint64(mean))
	if hi >= 1<<31 {
		return math.MaxInt64
	}
	return time.Duration(hi<<32 | lo>>32)
}

// negLog2 returns -log2((u+1)/2^64) * 2^32, computed one bit at a time by
// repeated squaring.
func negLog2(u uint64) uint64 {
	if u == 1<<64-1 {
		return 0
	}
	u++
	n := bits.LeadingZeros64(u)
	x := u << n // x/2^63 is in [1, 2)
	var frac uint64
	for range 32 {
		hi, _ := bits.Mul64(x, x) // (x/2^63)^2 is hi/2^62, in [1, 4)
		frac <<= 1
		if hi>>63 == 1 {
			frac |= 1
			x = hi
		} else {
			x = hi << 1
		}
	}
	return uint64(n+1)<<32 - frac
}
