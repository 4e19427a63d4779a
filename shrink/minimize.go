package shrink

import (
	"slices"
	"strings"
)

const maxOthers = 16

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
	s.groups()
	for gained := true; gained && !s.stopped; {
		size := len(s.best)
		s.halve()
		gained = s.single() || s.weaken() || len(s.best) < size
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

func (s *search[T]) key(items []T) string {
	keys := make([]string, len(items))
	for i, it := range items {
		keys[i] = s.p.Key(it)
	}
	return strings.Join(keys, "\x00")
}

// try tests a list, or answers from memory. Once stopped everything is Gone.
func (s *search[T]) try(items []T) Verdict {
	key := s.key(items)
	if v, ok := s.memory[key]; ok {
		s.known++
		return v
	}
	if s.stopped || s.p.Continue != nil && !s.p.Continue() {
		s.stopped = true
		return Gone
	}
	s.tests++
	v := s.p.Test(items)
	s.memory[key] = v
	if v == Other && len(s.others) < maxOthers {
		s.others = append(s.others, slices.Clone(items))
	}
	return v
}

// accept makes items the best list if it fails in the same way.
func (s *search[T]) accept(items []T) bool {
	if s.try(items) != Same {
		return false
	}
	s.best = slices.Clone(items)
	if s.p.Progress != nil {
		s.p.Progress(s.best, s.tests)
	}
	return true
}

// groups tries the empty list, and then to do without whole groups, in the
// order in which they first appear.
func (s *search[T]) groups() {
	if len(s.best) == 0 || s.accept(nil) || s.p.Group == nil {
		return
	}
	var names []string
	for _, it := range s.best {
		if g := s.p.Group(it); !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	for _, g := range names {
		rest := slices.DeleteFunc(slices.Clone(s.best), func(it T) bool { return s.p.Group(it) == g })
		s.accept(rest)
	}
}

// halve takes away runs of items, from halves of the list down to pairs. Later
// items go first: what comes late is less often a cause.
func (s *search[T]) halve() {
	for size := len(s.best) / 2; size >= 2; size /= 2 {
		for end := len(s.best); end > 0 && !s.stopped; {
			start := max(end-size, 0)
			if s.accept(slices.Delete(slices.Clone(s.best), start, end)) {
				end = min(start, len(s.best))
			} else {
				end = start
			}
		}
	}
}

// single takes items away one by one until none can go alone.
func (s *search[T]) single() bool {
	gained := false
	for again := true; again && !s.stopped; {
		again = false
		for i := len(s.best) - 1; i >= 0; i-- {
			if s.accept(slices.Delete(slices.Clone(s.best), i, i+1)) {
				again, gained = true, true
			}
		}
	}
	return gained
}

// weaken replaces each item by the weakest variant that still fails.
func (s *search[T]) weaken() bool {
	if s.p.Weaker == nil {
		return false
	}
	gained := false
	for i := range s.best {
		for weaker := true; weaker && !s.stopped; {
			weaker = false
			for _, variant := range s.p.Weaker(s.best[i]) {
				list := slices.Clone(s.best)
				list[i] = variant
				if s.accept(list) {
					weaker, gained = true, true
					break
				}
			}
		}
	}
	return gained
}

// changedItsMind tests the result once more, past the memory.
func (s *search[T]) changedItsMind() bool {
	if s.stopped {
		return false
	}
	s.tests++
	return s.p.Test(s.best) != Same
}
