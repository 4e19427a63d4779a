package shrink

import (
	"slices"
)

const (
	maxOthers = 16
	fewItems  = 16 // a list that is short enough to try pairs
)

// Minimize searches for a small list that still fails in the same way. The
// whole list is tested first: if it does not fail, the result is that list,
// with Flaky set.
func Minimize[T any](p Problem[T]) Result[T] {
	s := &search[T]{p: p, best: slices.Clone(p.Items), memory: p.Memory}
	if s.memory == nil {
		s.memory = Memory{}
	}
	if s.try(s.best) != Same {
		return s.result(s.stopped, !s.stopped)
	}
	s.weaken(s.fixed)
	s.groups()
	for gained := true; gained && !s.stopped; {
		size := len(s.best)
		s.halve()
		gained = s.single() || s.pairs() || s.follow() || s.join() || s.weaken(func(T) bool { return true }) || len(s.best) < size
	}
	return s.result(s.stopped, s.changedItsMind())
}

// search is the state of one Minimize.
type search[T any] struct {
	p       Problem[T]
	best    []T
	memory  Memory
	tests   int
	known   int
	others  [][]T
	stopped bool
}

func (s *search[T]) result(stopped, flaky bool) Result[T] {
	return Result[T]{Items: s.best, Tests: s.tests, Remembered: s.known, Complete: !stopped,
		Flaky: flaky, Others: s.others, Memory: s.memory}
}

func (s *search[T]) fixed(item T) bool { return s.p.Fixed != nil && s.p.Fixed(item) }

// without returns the best list without the items that gone says.
func (s *search[T]) without(gone func(i int, item T) bool) []T {
	out := make([]T, 0, len(s.best))
	for i, it := range s.best {
		if s.fixed(it) || !gone(i, it) {
			out = append(out, it)
		}
	}
	return out
}

// groups tries the list without anything, and then to do without whole groups,
// in the order in which they first appear.
func (s *search[T]) groups() {
	if nothing := s.without(func(int, T) bool { return true }); len(nothing) == len(s.best) || s.accept(nothing) {
		return
	}
	for _, group := range s.p.Groups {
		var names []string
		for _, it := range s.best {
			if g := group(it); g != "" && !s.fixed(it) && !slices.Contains(names, g) {
				names = append(names, g)
			}
		}
		for len(names) > 0 {
			taken := s.first(len(names), func(n int) []T {
				return s.without(func(_ int, it T) bool { return group(it) == names[n] })
			})
			if taken < 0 {
				break
			}
			names = names[taken+1:]
		}
	}
}

// halve takes away runs of items, from halves of the list down to pairs.
func (s *search[T]) halve() {
	for size := len(s.best) / 2; size >= 2; size /= 2 {
		s.runs(size)
	}
}

// single takes items away one by one until none can go alone.
func (s *search[T]) single() bool {
	gained := false
	for s.runs(1) {
		gained = true
	}
	return gained
}

// follow takes items away, many at once and then one by one, and lets others
// follow them.
func (s *search[T]) follow() bool {
	if s.p.Follow == nil {
		return false
	}
	gained := false
	for size := len(s.best) / 2; size >= 1; size /= 2 {
		for end := len(s.best); end > 0; end -= size {
			var gone []T
			rest := s.without(func(i int, it T) bool {
				if i < end-size || i >= end {
					return false
				}
				gone = append(gone, it)
				return true
			})
			lists := s.p.Follow(gone, rest)
			gained = s.first(len(lists), func(n int) []T { return lists[n] }) >= 0 || gained
		}
	}
	return gained
}

// pairs takes two items away at once from a short list: what undoes another
// can often go with it only.
func (s *search[T]) pairs() bool {
	gained := false
	for again := true; again && len(s.best) <= fewItems && !s.stopped; gained = gained || again {
		list := s.twos()
		again = s.first(len(list), func(n int) []T {
			return s.without(func(i int, _ T) bool { return i == list[n][0] || i == list[n][1] })
		}) >= 0
	}
	return gained
}

// twos are the places of every two items that can be taken away.
func (s *search[T]) twos() [][2]int {
	var list [][2]int
	for j := range s.best {
		for i := range j {
			if !s.fixed(s.best[i]) && !s.fixed(s.best[j]) {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}

// join puts one item in the place of two, in a short list.
func (s *search[T]) join() bool {
	if s.p.Join == nil {
		return false
	}
	gained := false
	for again := true; again && len(s.best) <= fewItems && !s.stopped; gained = gained || again {
		type one struct {
			of   [2]int
			item T
		}
		var list []one
		for _, two := range s.twos() {
			for _, item := range s.p.Join(s.best[two[0]], s.best[two[1]]) {
				list = append(list, one{two, item})
			}
		}
		again = s.first(len(list), func(n int) []T {
			of := list[n].of
			rest := s.without(func(i int, _ T) bool { return i == of[1] })
			rest[of[0]] = list[n].item
			return rest
		}) >= 0
	}
	return gained
}

// runs takes away runs of that many items where it can. Later items go first:
// what comes late is less often a cause.
func (s *search[T]) runs(size int) bool {
	gained := false
	for end := len(s.best); end > 0; {
		from := end
		taken := s.first((from+size-1)/size, func(n int) []T {
			return s.without(func(i int, _ T) bool { return i >= from-(n+1)*size && i < from-n*size })
		})
		if taken < 0 {
			break
		}
		gained = true
		end = min(max(from-(taken+1)*size, 0), len(s.best))
	}
	return gained
}

// weaken replaces each item that counts by the weakest variant that still
// fails.
func (s *search[T]) weaken(counts func(item T) bool) bool {
	if s.p.Weaker == nil {
		return false
	}
	gained := false
	for i := range s.best {
		for counts(s.best[i]) && !s.stopped {
			variants := s.p.Weaker(s.best[i])
			if s.first(len(variants), func(n int) []T {
				list := slices.Clone(s.best)
				list[i] = variants[n]
				return list
			}) < 0 {
				break
			}
			gained = true
		}
	}
	return gained
}
