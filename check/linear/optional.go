package linear

import "reflect"

// used is a set of optional operations that are placed.
type used struct {
	before *used
	item   int32
	n      int32
}

// pair finds the optional items with the same call.
func (s *searcher) pair() {
	s.twin = make([]int32, len(s.items))
	last := map[any]int32{}
	for _, i := range s.may {
		s.twin[i] = -1
		c, ok := alike(s.items[i].call)
		if !ok {
			continue
		}
		if j, found := last[c]; found {
			s.twin[i] = j
		}
		last[c] = i
	}
}

// effect is what a call does.
type effect struct {
	kind       kind
	value, old any
}

// alike returns what is the same for optional calls that do the same; false if
// that is not known.
func alike(call any) (any, bool) {
	if c, ok := call.(*Call); ok { // its result does not matter
		return effect{c.kind, c.value, c.old}, true
	}
	return call, reflect.ValueOf(call).Comparable()
}

// compared is how many comparisons of sets of optional operations count as one
// step of the model.
const compared = 32

// covers reports whether one of some sets of optional operations is within
// another one. There can be very many, so that this takes steps too.
func (s *searcher) covers(sets []*used, of *used) bool {
	s.limits.steps += (len(sets) + int(of.size())) / compared
	s.marks.clear()
	for u := of; u != nil; u = u.before {
		s.marks.add(u.item)
	}
	for _, u := range sets {
		if u.size() <= of.size() && s.within(u) {
			return true
		}
	}
	return false
}

// within reports whether all of a set is marked.
func (s *searcher) within(u *used) bool {
	for ; u != nil; u = u.before {
		if !s.marks.has(u.item) {
			return false
		}
	}
	return true
}

func (u *used) size() int32 {
	if u == nil {
		return 0
	}
	return u.n
}
