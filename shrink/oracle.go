package shrink

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// key returns the key of a list in the memory.
func (s *search[T]) key(items []T) string {
	h := sha256.New()
	for _, it := range items {
		h.Write([]byte(s.p.Key(it)))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// may asks whether there may be another test. Once stopped there is none.
func (s *search[T]) may() bool {
	s.stopped = s.stopped || s.p.Continue != nil && !s.p.Continue()
	return !s.stopped
}

// learn remembers a verdict.
func (s *search[T]) learn(key string, items []T, v Verdict) {
	s.tests++
	s.memory[key] = v
	if v == Other && len(s.others) < maxOthers {
		s.others = append(s.others, slices.Clone(items))
	}
	if s.p.Learn != nil {
		s.p.Learn(key, v)
	}
}

// try tests a list, or answers from memory. Once stopped everything that is
// not known is Gone.
func (s *search[T]) try(items []T) Verdict {
	key := s.key(items)
	if v, ok := s.memory[key]; ok {
		s.known++
		return v
	}
	if !s.may() {
		return Gone
	}
	v := s.p.Test(items)
	s.learn(key, items, v)
	return v
}

// accept makes items the best list if it fails in the same way.
func (s *search[T]) accept(items []T) bool {
	if len(items) == len(s.best) && s.key(items) == s.key(s.best) || s.try(items) != Same {
		return false
	}
	s.best = slices.Clone(items)
	if s.p.Progress != nil {
		s.p.Progress(s.best, s.tests)
	}
	return true
}

// first accepts the first of n candidates that fails in the same way, and
// returns its number, or -1 if none does.
func (s *search[T]) first(n int, candidate func(n int) []T) int {
	for i := range n {
		if s.stopped {
			return -1
		}
		if s.p.TestAll != nil && s.p.Width > 1 && i%s.p.Width == 0 {
			s.ahead(i, min(i+s.p.Width, n), candidate)
		}
		if s.accept(candidate(i)) {
			return i
		}
	}
	return -1
}

// ahead tests candidates that are not known, several at once.
func (s *search[T]) ahead(from, to int, candidate func(n int) []T) {
	var keys []string
	var lists [][]T
	for i := from; i < to; i++ {
		list := candidate(i)
		key := s.key(list)
		if _, known := s.memory[key]; !known && !slices.Contains(keys, key) {
			keys, lists = append(keys, key), append(lists, list)
		}
	}
	if len(lists) < 2 || !s.may() {
		return
	}
	for i, v := range s.p.TestAll(lists) {
		s.learn(keys[i], lists[i], v)
	}
}

// changedItsMind tests the result once more, past the memory.
func (s *search[T]) changedItsMind() bool {
	if s.stopped {
		return false
	}
	s.tests++
	return s.p.Test(s.best) != Same
}
