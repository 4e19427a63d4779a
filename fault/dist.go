package fault

import (
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
