package raftcheck

// shadow is what the checker knows of a log: the identities of the entries
// behind base.
type shadow struct {
	base uint64 // index of the last entry that is not in list
	at   ident  // its identity
	list []ident
}

func (l *shadow) last() uint64 { return l.base + uint64(len(l.list)) }

// get returns the identity at an index. It fails before base and after the end.
func (l *shadow) get(i uint64) (ident, bool) {
	switch {
	case i > l.base && i <= l.last():
		return l.list[i-l.base-1], true
	case i == l.base:
		return l.at, true
	}
	return ident{}, false
}

// end returns the identity of the last entry.
func (l *shadow) end() ident {
	if n := len(l.list); n > 0 {
		return l.list[n-1]
	}
	return l.at
}

// cut forgets the entries from an index on, which is behind base.
func (l *shadow) cut(first uint64) {
	if first <= l.last() {
		l.list = l.list[:first-l.base-1]
	}
}

// begin begins anew behind an index.
func (l *shadow) begin(base uint64, at ident) {
	l.base, l.at, l.list = base, at, l.list[:0]
}

// compact forgets the entries up to an index.
func (l *shadow) compact(i uint64) {
	if i <= l.base || i > l.last() {
		return
	}
	n := i - l.base
	l.base, l.at = i, l.list[n-1]
	l.list = l.list[:copy(l.list, l.list[n:])]
}
