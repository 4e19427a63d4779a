package kernel

import "time"

// Namer gives what happens a name to draw by, made of what kind of thing it is, of
// about when it happens, and of how many of the kind came shortly before. A name
// lasts when something else changes: one message more on a link leaves the names of
// those as they were that are sent in later spans of [Soon], where a count would move
// them all; and a moment's delay seldom changes it, where the exact time would be another.
//
// The counts share a table of a fixed size. Two kinds that meet in it count each
// other for a moment; their names still differ. The zero value is ready for use, by
// one run.
type Namer struct{ recent [1 << 9]recent }

// recent counts what came in one span of time.
type recent struct{ span, count uint64 }

// Soon is the span of time, about 8.4 ms, in which a [Namer] counts. Spans follow
// each other from time 0 on.
const Soon time.Duration = 1 << soonBits

const soonBits = 23

// KeyOf returns a number for a name, the same in every run and on every machine, to
// make the kinds of a [Namer] of; those of several names can be put together by ^.
// The empty name has one too.
func KeyOf(name string) uint64 { return NewStream(0, name).At(0) }

// Next names the next occurrence of a kind at a time, which is never before that of
// an earlier call. Kinds are any numbers, see [KeyOf].
// No two names of a Namer are equal, but by a chance of one in 2^64, and none is 0.
func (n *Namer) Next(kind uint64, now Time) uint64 {
	kind = mix64(kind + golden)
	r := &n.recent[kind%uint64(len(n.recent))]
	if span := uint64(now) >> soonBits; r.span != span {
		*r = recent{span: span}
	}
	r.count++
	return max(mix64(kind^mix64(r.span<<24^r.count)), 1)
}
