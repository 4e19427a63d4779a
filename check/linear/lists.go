package linear

import (
	"cmp"
	"slices"
)

// list is a doubly linked list of small numbers, from which any can be taken
// and put back in the reverse order. The last element of next and prev is its
// head.
type list struct{ next, prev []int32 }

func newList(n int, at func(i int) int32) list {
	l := list{make([]int32, n+1), make([]int32, n+1)}
	last := int32(n)
	for i := range n {
		c := at(i)
		l.next[last], l.prev[c] = c, last
		last = c
	}
	l.next[last], l.prev[n] = int32(n), last
	return l
}

// sortedList is a list of all numbers below n, by their weight.
func sortedList(n int, weight func(i int32) int32) list {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(weight(a), weight(b)) })
	return newList(n, func(i int) int32 { return order[i] })
}

func (l *list) head() int32 { return int32(len(l.next) - 1) }

func (l *list) empty() bool { return l.next[l.head()] == l.head() }

// first returns the first number, or -1.
func (l *list) first() int32 { return l.after(l.head()) }

// after returns the number after another one, or -1.
func (l *list) after(c int32) int32 {
	if n := l.next[c]; n != l.head() {
		return n
	}
	return -1
}

func (l *list) lift(c int32) {
	l.next[l.prev[c]], l.prev[l.next[c]] = l.next[c], l.prev[c]
}

func (l *list) unlift(c int32) {
	l.next[l.prev[c]], l.prev[l.next[c]] = c, c
}

// states numbers the states that come up.
type states struct {
	m      *Model
	plain  map[any]int32
	hashed map[uint64][]int32
	list   []any
	n      int32
	cost   int
}

func (s *states) init(m *Model) {
	*s = states{m: m}
	if m.Hash != nil {
		s.hashed = map[uint64][]int32{}
	} else {
		s.plain = map[any]int32{}
	}
}

func (s *states) id(state any) int32 {
	if s.plain != nil {
		if id, ok := s.plain[state]; ok {
			return id
		}
		s.plain[state] = s.n
		return s.added()
	}
	h := s.m.Hash(state)
	for _, id := range s.hashed[h] {
		if s.m.Equal(s.list[id], state) {
			return id
		}
	}
	s.hashed[h] = append(s.hashed[h], s.n)
	s.list = append(s.list, state)
	return s.added()
}

func (s *states) added() int32 {
	s.n++
	s.cost += entryCost
	return s.n - 1
}

// marks is a set of small numbers that is emptied at once.
type marks struct {
	at  []int32
	now int32
}

func newMarks(n int) marks { return marks{at: make([]int32, n), now: 1} }

func (m *marks) clear() { m.now++ }

func (m *marks) add(i int32) { m.at[i] = m.now }

func (m *marks) has(i int32) bool { return m.at[i] == m.now }
