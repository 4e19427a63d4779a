package kernel

import (
	"math"
	"strconv"
	"time"
)

// Time is a point in virtual time: nanoseconds since the epoch of every run,
// 2000-01-01 00:00:00 UTC. The zero value is the start of a run. The time of a
// run is never negative and never beyond [MaxTime].
type Time int64

// MaxTime is the last point in virtual time that a run can reach: 100 years
// of 365 days after its start. Anything scheduled there or later never runs.
const MaxTime = Time(100 * 365 * 24 * time.Hour)

// Add returns t+d, kept within 0 and [MaxTime].
func (t Time) Add(d time.Duration) Time {
	u := t + Time(d)
	switch {
	case d > 0 && (u < t || u > MaxTime):
		return MaxTime
	case u < 0:
		return 0
	}
	return u
}

// addDur returns d+e for an e that is not negative, kept within the range of
// time.Duration.
func addDur(d, e time.Duration) time.Duration {
	if sum := d + e; sum >= d {
		return sum
	}
	return math.MaxInt64
}

// Sub returns the duration t-u.
func (t Time) Sub(u Time) time.Duration { return time.Duration(t - u) }

// UTC returns t as a calendar time.
func (t Time) UTC() time.Time { return epoch().Add(time.Duration(t)) }

// String returns t in seconds with up to nine decimals, such as "1.5s".
func (t Time) String() string {
	var b []byte
	ns := uint64(t)
	if t < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendUint(b, ns/1e9, 10)
	if frac := ns % 1e9; frac != 0 {
		digits := strconv.AppendUint(nil, 1e9+frac, 10)[1:]
		for digits[len(digits)-1] == '0' {
			digits = digits[:len(digits)-1]
		}
		b = append(append(b, '.'), digits...)
	}
	return string(append(b, 's'))
}

func epoch() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }
