package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// quota follows the sizes that raft limits.
type quota struct {
	uncommitted uint64 // at least so many bytes of data are in the leader's log and not applied
	released    uint64 // bytes of data applied since the last Ready
	outstanding uint64 // encoded bytes handed out to apply
	syncSize    uint64 // the part of it that Advance acknowledges
	syncData    uint64 // bytes of data that Advance acknowledges
	stable      uint64 // so much of its log raft was told is durable, in the term that it is in
	more        bool   // more could have been handed out last time, and nothing was acknowledged since
}

// append is P21 on what a leader appends. Raft's own count may be lower than
// the true one, but not lower than what is computed here.
func (q *quota) append(n *Node, entries []*raftpb.Entry) error {
	backlog := q.uncommitted > q.released
	for _, e := range entries {
		size := uint64(len(e.GetData()))
		if low := q.uncommitted - q.released; backlog && size > 0 && low+size > n.cfg.uncommitted {
			if err := n.fail(Limits, "is leader and appends entry %d with %d bytes to %d uncommitted ones; the limit is %d", e.GetIndex(), size, low, n.cfg.uncommitted); err != nil {
				return err
			}
		}
		q.uncommitted += size
	}
	q.uncommitted -= min(q.uncommitted, q.released)
	q.released = 0
	return nil
}

// handOut is P21 on committed entries.
func (q *quota) handOut(n *Node, entries []*raftpb.Entry) error {
	data, size := uint64(0), uint64(0)
	for _, e := range entries {
		data += uint64(len(e.GetData()))
	}
	if most := n.cfg.committed; most != noLimit {
		size = entriesSize(entries)
		over := size > most-min(most, q.outstanding)
		if q.outstanding >= most || over && (len(entries) > 1 || q.more) {
			if err := n.fail(Limits, "is handed out %d entries of %d bytes to apply, and %d bytes are outstanding; the limit is %d", len(entries), size, q.outstanding, most); err != nil {
				return err
			}
		}
	}
	q.outstanding += size
	q.more = n.cfg.async && entries[len(entries)-1].GetIndex() < min(n.last.Commit, q.stable)
	if !n.cfg.async {
		q.syncSize, q.syncData = size, data
	}
	return nil
}

// advance takes back what the Ready before had handed out.
func (q *quota) advance() {
	q.outstanding -= min(q.outstanding, q.syncSize)
	q.released += q.syncData
	q.syncSize, q.syncData = 0, 0
}

// saves takes in what the append worker has acknowledged. Raft ignores what is of
// another term, and entries that were replaced since: their log's term is another.
func (q *quota) saves(n *Node, m *raftpb.Message, s *Status) {
	if e, ok := n.log.get(m.GetIndex()); ok && e.term == m.GetLogTerm() && (m.GetTerm() == s.Term || m.GetTerm() == 0) {
		q.stable = max(q.stable, m.GetIndex())
	}
	if at := m.GetSnapshot().GetMetadata().GetIndex(); at > 0 {
		q.stable, q.more = max(q.stable, at), false
	}
}

// release takes back what the apply worker has acknowledged.
func (q *quota) release(n *Node, entries []*raftpb.Entry) {
	q.more = false
	for _, e := range entries {
		q.released += uint64(len(e.GetData()))
	}
	if n.cfg.committed != noLimit {
		q.outstanding -= min(q.outstanding, entriesSize(entries))
	}
}

// sendsEntries is P16 and P21 on a MsgApp.
func (n *Node) sendsEntries(m *raftpb.Message) error {
	entries := m.GetEntries()
	if len(entries) == 0 {
		return nil
	}
	if most := n.cfg.message; len(entries) > 1 && most != noLimit {
		if size := entriesSize(entries); size > most {
			if err := n.fail(Limits, "sends node %d %d entries of %d bytes; the limit is %d", m.GetTo(), len(entries), size, most); err != nil {
				return err
			}
		}
	}
	if m.GetTerm() != n.last.Term || n.last.Role != raft.StateLeader {
		return nil
	}
	f := n.flow(m.GetTo())
	if err := n.fits(f); err != nil {
		return err
	}
	if f.probes > 0 && !f.moved && !f.beat && !f.window.open {
		if p, ok := n.progress(f.id); ok && p.State == tracker.StateProbe {
			if err := n.fail(Progress, "probes node %d and has sent it %d messages with entries without an answer, and sends another one", f.id, f.probes); err != nil {
				return err
			}
		}
	}
	f.probes++
	f.window.add(entries)
	return nil
}

// settleFlows begins to count anew for followers that have answered: it is not
// known which of the messages of this Ready were sent before that.
func (n *Node) settleFlows() {
	for k := range n.flows {
		f := &n.flows[k]
		if f.moved || f.beat {
			f.probes = 0
		}
		if f.moved && n.last.Role == raft.StateLeader {
			n.openWindow(f)
		}
		f.moved, f.beat, f.known = false, false, min(f.match, n.last.Commit)
	}
}

func entriesSize(entries []*raftpb.Entry) uint64 {
	total := uint64(0)
	for _, e := range entries {
		total += entrySize(e)
	}
	return total
}

// entrySize returns the size of an encoded entry without encoding it: each
// field that is set takes a tag and its value.
func entrySize(e *raftpb.Entry) uint64 {
	size := uint64(0)
	if e.Type != nil {
		size += 1 + varintSize(uint64(e.GetType()))
	}
	if e.Term != nil {
		size += 1 + varintSize(e.GetTerm())
	}
	if e.Index != nil {
		size += 1 + varintSize(e.GetIndex())
	}
	if e.Data != nil {
		k := uint64(len(e.Data))
		size += 1 + varintSize(k) + k
	}
	return size
}

func varintSize(v uint64) uint64 {
	size := uint64(1)
	for ; v >= 0x80; v >>= 7 {
		size++
	}
	return size
}
