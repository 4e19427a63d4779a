package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Boot is how an incarnation of a node begins.
type Boot struct {
	Number  uint64            // of the incarnation, from 1
	Config  *raft.Config      // what raft was made with
	Raft    Raft              // the RawNode
	Status  Status            // of it
	Conf    *raftpb.ConfState // as of Applied, given to raft
	Applied uint64            // given to raft

	// State is the hard state that was recovered. What is recovered is durable.
	State *raftpb.HardState
	// Snapshot is the newest snapshot that was recovered; nil without one.
	Snapshot *raftpb.Snapshot
	// Entries are the entries that were recovered, without gaps. They may begin
	// at or before the snapshot's index.
	Entries []*raftpb.Entry
}

// Boot tells that an incarnation has recovered and has made its RawNode.
// Everything that was durable must be there.
func (n *Node) Boot(b *Boot) error {
	n.boot, n.up, n.raft, n.cfg = b.Number, true, b.Raft, newLimits(b.Config)
	n.last = b.Status
	n.elections, n.flows, n.quota = elections{}, n.flows[:0], quota{}
	n.elections.quiet, n.transfer, n.leave, n.owed = -1, transfer{}, leave{}, n.owed[:0]
	clear(n.reads.open)
	n.reads.told, n.reads.takes = false, false
	log, err := n.recoverLog(b)
	if err != nil {
		return err
	}
	if err := n.survived(b, &log); err != nil {
		return err
	}
	meta := b.Snapshot.GetMetadata()
	n.writes, n.written = n.writes[:0], 0
	n.log, n.dur.log = log, shadow{base: log.base, at: log.at, list: append([]ident(nil), log.list...)}
	n.dur.term, n.dur.vote, n.dur.commit = b.State.GetTerm(), b.State.GetVote(), b.State.GetCommit()
	n.dur.snapshot = max(n.dur.snapshot, meta.GetIndex())
	n.readyTerm, n.fresh, n.quota.stable = n.last.Term, false, log.last()
	n.applied, n.handed, n.snapshotAt = b.Applied, b.Applied, meta.GetIndex()
	n.checked = max(log.base, min(meta.GetIndex(), log.last()))
	n.c.maxCommit = max(n.c.maxCommit, n.last.Commit)
	if err := n.bootState(b); err != nil {
		return err
	}
	return n.advanceCommit()
}

// recoverLog chains the recovered log. Entries of which nothing is known any
// more are left out.
func (n *Node) recoverLog(b *Boot) (shadow, error) {
	meta, entries := b.Snapshot.GetMetadata(), b.Entries
	base, term := meta.GetIndex(), meta.GetTerm()
	if len(entries) > 0 && entries[0].GetIndex() <= base {
		skip := uint64(0)
		if first := entries[0].GetIndex(); first < n.c.canon.base {
			skip = min(n.c.canon.base-first, uint64(len(entries)-1))
		}
		base, term, entries = entries[skip].GetIndex(), entries[skip].GetTerm(), entries[skip+1:]
	}
	n.bind(b, base, term)
	at, ok := n.c.canon.get(base)
	if base == 0 {
		at = ident{}
	} else if !ok || at.term != term {
		if err := n.fail(CommittedAgreement, "has recovered a log behind entry %d of term %d; %s", base, term, n.c.committed(base)); err != nil {
			return shadow{}, err
		}
		at = beginning(base, term)
	}
	log := shadow{base: base, at: at}
	n.changes = n.changes[:0]
	for _, e := range entries {
		if err := n.appendTo(&log, e, b.State.GetTerm()); err != nil {
			return log, err
		}
	}
	return log, nil
}

// bind takes the first log that is seen as the beginning of all.
func (n *Node) bind(b *Boot, base, term uint64) {
	c := n.c
	if !c.unbound || base == 0 {
		return
	}
	c.unbound = false
	c.canon = canon{base: base, at: beginning(base, term)}
	c.known.base = base
	c.confs = append(c.confs, placed{base, newConf(b.Conf)})
}

// survived checks that what was durable has been recovered. Writes that were
// not durable yet may have happened, in order, or not.
func (n *Node) survived(b *Boot, log *shadow) error {
	d, s := &n.dur, b.State
	switch {
	case s.GetTerm() < d.term:
		return n.fail(Monotonic, "has recovered term %d; term %d was durable", s.GetTerm(), d.term)
	case s.GetTerm() == d.term && s.GetVote() != d.vote && !n.pendingVote(s.GetVote()):
		return n.fail(Monotonic, "has recovered the vote %d in term %d; the vote %d was durable", s.GetVote(), d.term, d.vote)
	case s.GetCommit() < d.commit:
		return n.fail(Monotonic, "has recovered commit index %d; %d was durable", s.GetCommit(), d.commit)
	case b.Snapshot.GetMetadata().GetIndex() < d.snapshot:
		return n.fail(Monotonic, "has recovered a snapshot at %d; one at %d was durable", b.Snapshot.GetMetadata().GetIndex(), d.snapshot)
	}
	end := d.log.last()
	for k := range n.writes {
		w := &n.writes[k]
		if w.hasSnapshot { // replaces the log
			end = min(end, w.snapshot)
		}
		if len(w.entries) > 0 {
			end = min(end, w.first-1)
		}
	}
	if log.base >= end {
		return nil
	}
	was, known := d.log.get(end)
	is, ok := log.get(end)
	switch {
	case !ok:
		return n.fail(Monotonic, "has recovered a log up to %d; entry %d of term %d was durable", log.last(), end, was.term)
	case known && is != was:
		return n.fail(Monotonic, "has recovered entry %d with term %d and digest %x; term %d and digest %x was durable", end, is.term, is.hash, was.term, was.hash)
	}
	return nil
}

// pendingVote reports whether a vote was being written.
func (n *Node) pendingVote(vote uint64) bool {
	for k := range n.writes {
		if w := &n.writes[k]; w.hasState && w.term == n.dur.term && w.vote == vote {
			return true
		}
	}
	return false
}

// bootState checks the rest of what the incarnation begins with.
func (n *Node) bootState(b *Boot) error {
	meta, st := b.Snapshot.GetMetadata(), &n.last
	switch {
	case st.Term != b.State.GetTerm() || st.Vote != b.State.GetVote():
		return n.fail(Contract, "was given term %d and vote %d, and starts with term %d and vote %d", b.State.GetTerm(), b.State.GetVote(), st.Term, st.Vote)
	case st.Commit < b.State.GetCommit():
		return n.fail(Monotonic, "starts with commit index %d; it was given %d", st.Commit, b.State.GetCommit())
	case b.Applied < meta.GetIndex():
		return n.fail(Monotonic, "starts at applied index %d, before its snapshot at %d", b.Applied, meta.GetIndex())
	case b.Applied > st.Commit:
		return n.fail(ApplyOrder, "starts at applied index %d, behind its commit index %d", b.Applied, st.Commit)
	}
	if s := b.Snapshot; !raft.IsEmptySnap(s) {
		if err := n.content(s, true); err != nil {
			return err
		}
	}
	want, got := n.c.confAsOf(b.Applied), newConf(b.Conf)
	if !got.equal(want) {
		if err := n.fail(Configuration, "starts at index %d with (%v); the configuration there is (%v)", b.Applied, got, want); err != nil {
			return err
		}
	}
	n.conf, n.readyConf = want, want
	return n.sameConf("starting")
}
