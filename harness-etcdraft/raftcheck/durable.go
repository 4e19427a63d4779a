package raftcheck

import (
	"fmt"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

func sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// durable is what a node cannot lose.
type durable struct {
	term, vote, commit uint64
	snapshot           uint64
	log                shadow
}

// write is what one Ready has handed out to be made durable.
type write struct {
	sync               bool // raft waits for it
	hasState           bool
	term, vote, commit uint64
	hasSnapshot        bool
	snapshot           uint64
	at                 ident // identity of the log at the snapshot
	first              uint64
	entries            []ident
}

// vote is how a node has voted in a term.
type vote struct {
	candidate uint64
	sent      bool // the candidate was told
}

// preVote is a promise to vote for a candidate in a term.
type preVote struct{ term, candidate uint64 }

// push queues a write, reusing the memory of old ones.
func (n *Node) push() *write {
	if k := len(n.writes); k < cap(n.writes) {
		n.writes = n.writes[:k+1]
		w := &n.writes[k]
		*w = write{entries: w.entries[:0]}
		return w
	}
	n.writes = append(n.writes, write{})
	return &n.writes[len(n.writes)-1]
}

// Written tells that the oldest write that was handed out and is not written
// yet has been written, without being durable. In the sync mode each Ready with
// a hard state, entries or a snapshot is one write; with AsyncStorageWrites
// each MsgStorageAppend is one.
func (n *Node) Written() error {
	if n.written == len(n.writes) {
		return n.fail(Contract, "writes what raft has not handed out")
	}
	n.written++
	return nil
}

// Durable tells the same as [Node.Written], and that this write and all before
// it are durable.
func (n *Node) Durable() error {
	if err := n.Written(); err != nil || n.written == 0 {
		return err
	}
	for k := range n.written {
		if err := n.persist(&n.writes[k]); err != nil {
			return err
		}
	}
	rest := n.writes[n.written:]
	for k := range rest { // swap, so that the memory of entries is kept
		n.writes[k], rest[k] = rest[k], n.writes[k]
	}
	n.writes = n.writes[:len(rest)]
	n.written = 0
	return nil
}

// persist carries out a write on what is durable.
func (n *Node) persist(w *write) error {
	d := &n.dur
	if w.hasSnapshot {
		d.snapshot = max(d.snapshot, w.snapshot)
		d.log.begin(w.snapshot, w.at)
	}
	if w.hasState {
		switch {
		case w.term < d.term:
			return n.fail(Monotonic, "makes term %d durable after term %d", w.term, d.term)
		case w.commit < d.commit:
			return n.fail(Monotonic, "makes commit index %d durable after %d", w.commit, d.commit)
		}
		d.term, d.vote, d.commit = w.term, w.vote, w.commit
		if w.vote != raft.None {
			if err := n.castVote(w.term, w.vote, false); err != nil {
				return err
			}
		}
	}
	entries, first := w.entries, w.first
	if len(entries) > 0 && first <= d.log.base { // compacted meanwhile
		skip := min(d.log.base+1-first, uint64(len(entries)))
		entries, first = entries[skip:], d.log.base+1
	}
	if len(entries) == 0 {
		return nil
	}
	if first > d.log.last()+1 {
		if err := n.fail(Contract, "makes entry %d durable, and its durable log ends at %d", first, d.log.last()); err != nil {
			return err
		}
		d.log.begin(first-1, ident{})
	}
	d.log.cut(first)
	d.log.list = append(d.log.list, entries...)
	return nil
}

// castVote is P2: it notes a vote.
func (n *Node) castVote(term, candidate uint64, sent bool) error {
	v, had := n.votes[term]
	if had && v.candidate != candidate {
		return n.fail(OneVote, "votes for node %d in term %d; it has voted for node %d", candidate, term, v.candidate)
	}
	if !had || sent && !v.sent {
		n.votes[term] = vote{candidate, sent || v.sent}
		n.forgetVotes()
	}
	return nil
}

// forgetVotes bounds what is remembered of old elections.
func (n *Node) forgetVotes() {
	const most, recent = 256, 128
	if len(n.votes) > most {
		for t := range n.votes {
			if t+recent < n.last.Term {
				delete(n.votes, t)
			}
		}
	}
	if len(n.preVotes) > most {
		for p := range n.preVotes {
			if p.term+recent < n.last.Term {
				delete(n.preVotes, p)
			}
		}
	}
}

// Sent tells that a message leaves for another node. It is P4, and notes the
// votes of P2 and P3.
func (n *Node) Sent(m *raftpb.Message) error {
	kind, term := m.GetType(), m.GetTerm()
	switch kind {
	case raftpb.MsgPreVote:
		return nil
	case raftpb.MsgPreVoteResp:
		if !m.GetReject() {
			n.preVotes[preVote{term, m.GetTo()}] = struct{}{}
			n.forgetVotes()
		}
		return nil
	case raftpb.MsgVoteResp:
		if m.GetReject() {
			break
		}
		if n.dur.term < term || n.dur.term == term && n.dur.vote != m.GetTo() {
			if err := n.fail(PersistBeforeSend, "grants its vote in term %d to node %d; durable are term %d and vote %d", term, m.GetTo(), n.dur.term, n.dur.vote); err != nil {
				return err
			}
		}
		return n.castVote(term, m.GetTo(), true)
	case raftpb.MsgAppResp:
		if !m.GetReject() {
			return n.acknowledges(m, term)
		}
	}
	if !n.cfg.async && term > n.dur.term {
		return n.fail(PersistBeforeSend, "sends a %v of term %d; durable is term %d", kind, term, n.dur.term)
	}
	return nil
}

// acknowledges is P4 on an acknowledgement of entries.
func (n *Node) acknowledges(m *raftpb.Message, term uint64) error {
	d, i := &n.dur, m.GetIndex()
	switch {
	case d.term < term:
		return n.fail(PersistBeforeSend, "acknowledges entries up to %d in term %d; durable is term %d", i, term, d.term)
	case d.term == term && d.log.last() < i && d.snapshot < i:
		return n.fail(PersistBeforeSend, "acknowledges entries up to %d in term %d; its durable log ends at %d", i, term, d.log.last())
	case d.term == term && n.last.Term == term:
		was, durable := d.log.get(i)
		if is, ok := n.log.get(i); ok && durable && is != was {
			return n.fail(PersistBeforeSend, "acknowledges entry %d of term %d; durable is an entry of term %d there", i, is.term, was.term)
		}
	}
	return nil
}
