package fault

import (
	"math/bits"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Span is a range of durations, both ends included. A random rule draws from
// it uniformly. The zero value is no time at all.
type Span struct {
	Min time.Duration // the shortest
	Max time.Duration // the longest
}

func (s Span) draw(q *kernel.Seq) time.Duration {
	return time.Duration(q.Between(int64(s.Min), int64(s.Max)))
}

// Range is a range of numbers, both ends included, see [Span].
type Range struct {
	Min int64 // the smallest
	Max int64 // the largest
}

func (r Range) draw(q *kernel.Seq) int64 { return q.Between(r.Min, r.Max) }

// exponential turns 64 uniform bits into an exponentially distributed duration
// of the given mean, in integer arithmetic so that every machine agrees.
func exponential(u uint64, mean time.Duration) time.Duration {
	const ln2 = 2977044472 // ln 2 * 2^32, rounded
	hi, lo := bits.Mul64(negLog2(u), ln2)
	ln := hi<<32 | lo>>32 // -ln(u/2^64) * 2^32, below 45 * 2^32
	hi, lo = bits.Mul64(ln, uint64(mean))
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
