package etcdraft

import (
	"fmt"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// memory is the raft.Storage of a node: what is durable, kept in memory.
type memory struct {
	state   *raftpb.HardState
	conf    *raftpb.ConfState
	entries []*raftpb.Entry // the first is a stand-in: index and term before the log
	snap    func() (*raftpb.Snapshot, error)
}

// newMemory returns a storage that begins behind an index.
func newMemory(index, term uint64) *memory {
	return &memory{conf: &raftpb.ConfState{}, entries: []*raftpb.Entry{standIn(index, term)}}
}

func standIn(index, term uint64) *raftpb.Entry {
	return &raftpb.Entry{Index: new(index), Term: new(term)}
}

func (m *memory) before() uint64 { return m.entries[0].GetIndex() }
func (m *memory) last() uint64   { return m.before() + uint64(len(m.entries)) - 1 }

// InitialState returns what raft starts with.
func (m *memory) InitialState() (*raftpb.HardState, *raftpb.ConfState, error) {
	return m.state, m.conf, nil
}

// FirstIndex returns the index of the first entry.
func (m *memory) FirstIndex() (uint64, error) { return m.before() + 1, nil }

// LastIndex returns the index of the last entry.
func (m *memory) LastIndex() (uint64, error) { return m.last(), nil }

// Term returns the term of an entry, or of the place before the first one.
func (m *memory) Term(i uint64) (uint64, error) {
	switch {
	case i < m.before():
		return 0, raft.ErrCompacted
	case i > m.last():
		return 0, raft.ErrUnavailable
	}
	return m.entries[i-m.before()].GetTerm(), nil
}

// Entries returns the entries from lo up to hi, as many as fit into most
// bytes, but at least one.
func (m *memory) Entries(lo, hi, most uint64) ([]*raftpb.Entry, error) {
	switch {
	case lo <= m.before():
		return nil, raft.ErrCompacted
	case hi > m.last()+1:
		return nil, raft.ErrUnavailable
	}
	list := m.entries[lo-m.before() : hi-m.before()]
	total := uint64(0)
	for i, e := range list {
		total += entrySize(e)
		if total > most && i > 0 {
			list = list[:i]
			break
		}
	}
	return list[:len(list):len(list)], nil
}

// Snapshot returns a snapshot of the state machine as it is now.
func (m *memory) Snapshot() (*raftpb.Snapshot, error) { return m.snap() }

// append adds entries that are durable. They replace what is there from the
// first one's index on.
func (m *memory) append(list []*raftpb.Entry) error {
	if len(list) == 0 {
		return nil
	}
	first := list[0].GetIndex()
	if first <= m.before() { // compacted meanwhile
		skip := m.before() + 1 - first
		if skip >= uint64(len(list)) {
			return nil
		}
		list, first = list[skip:], m.before()+1
	}
	if first > m.last()+1 {
		return fmt.Errorf("raft has handed out entries from %d on, and the log ends at %d", first, m.last())
	}
	if keep := first - m.before(); keep < uint64(len(m.entries)) {
		m.entries = m.entries[:keep:keep] // what is replaced may still be looked at
	}
	m.entries = append(m.entries, list...)
	return nil
}

// reset begins the log anew behind an installed snapshot.
func (m *memory) reset(s *raftpb.Snapshot) {
	m.entries = []*raftpb.Entry{standIn(s.GetMetadata().GetIndex(), s.GetMetadata().GetTerm())}
}

// compact forgets the entries up to an index. It reports whether there were
// any.
func (m *memory) compact(index uint64) bool {
	if index <= m.before() || index > m.last() {
		return false
	}
	n := index - m.before()
	kept := make([]*raftpb.Entry, 0, uint64(len(m.entries))-n)
	kept = append(kept, standIn(index, m.entries[n].GetTerm()))
	m.entries = append(kept, m.entries[n+1:]...)
	return true
}

// entrySize returns the encoded size of an entry, as raft counts it, without
// encoding it: each number that is set takes a tag and a varint, and so do the
// length of the data and the data.
func entrySize(e *raftpb.Entry) uint64 {
	n := uint64(0)
	if e.Type != nil {
		n += 1 + varintSize(uint64(e.GetType()))
	}
	if e.Term != nil {
		n += 1 + varintSize(e.GetTerm())
	}
	if e.Index != nil {
		n += 1 + varintSize(e.GetIndex())
	}
	if e.Data != nil {
		n += 1 + varintSize(uint64(len(e.GetData()))) + uint64(len(e.GetData()))
	}
	return n
}

func varintSize(v uint64) uint64 {
	n := uint64(1)
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
