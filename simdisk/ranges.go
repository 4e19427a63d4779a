package simdisk

import "slices"

// span is a range of a file.
type span struct{ off, n int64 }

func (s span) end() int64 { return s.off + s.n }

// union adds a span to a sorted list of spans that do not touch.
func union(list []span, s span) []span {
	out := make([]span, 0, len(list)+1)
	for _, o := range list {
		if o.end() < s.off || s.end() < o.off {
			out = append(out, o)
			continue
		}
		off := min(o.off, s.off)
		s = span{off, max(o.end(), s.end()) - off}
	}
	out = append(out, s)
	slices.SortFunc(out, func(a, b span) int {
		if a.off < b.off {
			return -1
		}
		return 1
	})
	return out
}

// without takes a span out of a list.
func without(list []span, s span) []span {
	var out []span
	for _, o := range list {
		if left := min(o.end(), s.off); left > o.off {
			out = append(out, span{o.off, left - o.off})
		}
		if right := max(o.off, s.end()); right < o.end() {
			out = append(out, span{right, o.end() - right})
		}
	}
	return out
}
