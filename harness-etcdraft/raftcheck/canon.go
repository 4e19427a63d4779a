package raftcheck

import "sort"

// commit is a committed entry: its identity, and the term of the node on which
// it was seen to be committed first.
type commit struct {
	ident
	term uint64
}

// canon is the log on which all nodes must agree: the committed entries behind
// base, by index.
type canon struct {
	base uint64
	at   ident
	list []commit
}

func (c *canon) last() uint64 { return c.base + uint64(len(c.list)) }

// get returns what is committed at an index, if that is known.
func (c *canon) get(i uint64) (ident, bool) {
	switch {
	case i > c.base && i <= c.last():
		return c.list[i-c.base-1].ident, true
	case i == c.base:
		return c.at, true
	}
	return ident{}, false
}

// before returns the last index that was committed in a term before the given
// one.
func (c *canon) before(term uint64) uint64 {
	n := sort.Search(len(c.list), func(k int) bool { return c.list[k].term >= term })
	return c.base + uint64(n)
}

// trim forgets the entries up to an index.
func (c *canon) trim(i uint64) {
	if i <= c.base || i > c.last() {
		return
	}
	n := i - c.base
	c.base, c.at = i, c.list[n-1].ident
	c.list = append([]commit(nil), c.list[n:]...)
}

// identities are all entries that any log has ever held, by index: usually one
// per index.
type identities struct {
	base uint64
	list []slot
}

type slot struct {
	first ident
	more  []ident
}

// note records an entry. It returns what has the same index and term already;
// that is another one if the logs do not match.
func (s *identities) note(index uint64, d ident) ident {
	if index <= s.base {
		return d
	}
	for uint64(len(s.list)) < index-s.base {
		s.list = append(s.list, slot{})
	}
	at := &s.list[index-s.base-1]
	if at.first.term == 0 {
		at.first = d
	}
	if at.first.term == d.term {
		return at.first
	}
	for _, x := range at.more {
		if x.term == d.term {
			return x
		}
	}
	at.more = append(at.more, d)
	return d
}

// trim forgets the entries up to an index.
func (s *identities) trim(i uint64) {
	if i <= s.base {
		return
	}
	n := min(i-s.base, uint64(len(s.list)))
	s.base, s.list = i, append([]slot(nil), s.list[n:]...)
}
