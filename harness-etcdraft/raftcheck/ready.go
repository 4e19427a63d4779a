package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Accepted tells of a call of Ready, before anything is done with it.
func (n *Node) Accepted(rd *raft.Ready, s Status) error {
	if err := n.observe(s, callOther); err != nil {
		return err
	}
	if err := n.handOut(rd); err != nil {
		return err
	}
	n.proposed = proposed{}
	if err := n.advanceCommit(); err != nil {
		return err
	}
	for _, m := range rd.Messages {
		if err := n.sends(m); err != nil {
			return err
		}
	}
	if err := n.transfer.ready(n, rd); err != nil {
		return err
	}
	if err := n.pays(rd); err != nil {
		return err
	}
	if err := n.leave.ready(n); err != nil {
		return err
	}
	n.elections.asked, n.elections.appended = n.elections.asked[:0], false
	n.elections.led = n.last.Role == raft.StateLeader
	n.readyTerm = n.last.Term
	n.settleFlows()
	if len(rd.CommittedEntries) > 0 {
		if err := n.handsOutCommitted(rd.CommittedEntries); err != nil {
			return err
		}
	}
	for k := range rd.ReadStates {
		if err := n.readReady(rd.ReadStates[k].RequestCtx, rd.ReadStates[k].Index); err != nil {
			return err
		}
	}
	err := n.confirms(rd)
	n.readyConf = n.conf
	return err
}

// handOut takes in what the Ready wants to be made durable.
func (n *Node) handOut(rd *raft.Ready) error {
	hasSnapshot := !raft.IsEmptySnap(rd.Snapshot)
	hasState := !raft.IsEmptyHardState(rd.HardState)
	if !hasSnapshot && !hasState && len(rd.Entries) == 0 {
		if n.cfg.async && isStored(rd) {
			n.push().sync = true // only responses wait for it
		}
		return nil
	}
	w := n.push()
	w.sync = rd.MustSync || hasSnapshot
	if hasState {
		w.hasState = true
		w.term, w.vote, w.commit = rd.HardState.GetTerm(), rd.HardState.GetVote(), rd.HardState.GetCommit()
	}
	if hasSnapshot {
		if err := n.takesSnapshot(rd.Snapshot); err != nil {
			return err
		}
		w.hasSnapshot, w.snapshot, w.at = true, n.log.base, n.log.at
	}
	if len(rd.Entries) == 0 {
		return nil
	}
	if err := n.takesEntries(rd.Entries); err != nil {
		return err
	}
	w.first = rd.Entries[0].GetIndex()
	if w.first > n.log.base && w.first <= n.log.last() {
		w.entries = append(w.entries, n.log.list[w.first-n.log.base-1:]...)
	}
	return nil
}

// isStored reports whether the Ready has a message to the append worker.
func isStored(rd *raft.Ready) bool {
	for _, m := range rd.Messages {
		if m.GetTo() == raft.LocalAppendThread {
			return true
		}
	}
	return false
}

// takesEntries is P5, and P6 and P7 on new entries.
func (n *Node) takesEntries(entries []*raftpb.Entry) error {
	first, end := entries[0].GetIndex(), n.log.last()
	leads := n.last.Role == raft.StateLeader
	switch {
	case first > end+1:
		if err := n.fail(WellFormedLog, "appends entry %d; its log ends at %d", first, end); err != nil {
			return err
		}
		n.log.begin(first-1, ident{})
	case first <= n.checked:
		if err := n.fail(WellFormedLog, "replaces entry %d; entries up to %d are committed", first, n.checked); err != nil {
			return err
		}
		first = max(first, n.log.base+1)
	case leads && first <= end:
		if err := n.fail(LeaderAppendOnly, "is leader and replaces entry %d; its log ends at %d", first, end); err != nil {
			return err
		}
	case first <= end && n.readyTerm == n.last.Term:
		if was, _ := n.log.get(first); was.term == entries[0].GetTerm() {
			if err := n.fail(WellFormedLog, "replaces entry %d of term %d by itself, and cuts off what was behind it up to %d", first, was.term, end); err != nil {
				return err
			}
		}
	}
	n.log.cut(max(first, n.log.base+1))
	n.quota.stable = min(n.quota.stable, first-1)
	for len(n.changes) > 0 && n.changes[len(n.changes)-1] >= first {
		n.changes = n.changes[:len(n.changes)-1]
	}
	if leads {
		if err := n.leaderAppends(entries); err != nil {
			return err
		}
	}
	for _, e := range entries {
		if err := n.appendTo(&n.log, e, n.last.Term); err != nil {
			return err
		}
	}
	return nil
}

// appendTo chains an entry to a log; P6 and P7.
func (n *Node) appendTo(l *shadow, e *raftpb.Entry, term uint64) error {
	prev, index := l.end(), l.last()+1
	d := prev.next(e)
	switch {
	case e.GetIndex() != index:
		if err := n.fail(WellFormedLog, "has entry %d where entry %d should be", e.GetIndex(), index); err != nil {
			return err
		}
	case d.term < prev.term:
		if err := n.fail(WellFormedLog, "has entry %d of term %d after one of term %d", index, d.term, prev.term); err != nil {
			return err
		}
	case d.term > term:
		if err := n.fail(WellFormedLog, "has entry %d of term %d, and its term is %d", index, d.term, term); err != nil {
			return err
		}
	}
	if was := n.c.known.note(index, d); was != d {
		if err := n.fail(LogMatching, "has entry %d of term %d with digest %x; another log has it with digest %x, so they differ there or before", index, d.term, d.hash, was.hash); err != nil {
			return err
		}
	}
	l.list = append(l.list, d)
	if isChange(e) {
		n.changes = append(n.changes, index)
	}
	return nil
}

// leaderAppends is P5, P15 and P21 on what a leader appends.
func (n *Node) leaderAppends(entries []*raftpb.Entry) error {
	if n.fresh {
		n.fresh, n.leave.from = false, entries[0].GetIndex()
		if e := entries[0]; isChange(e) || len(e.GetData()) > 0 {
			if err := n.fail(LeaderAppendOnly, "begins its leadership with entry %d, which is not empty", e.GetIndex()); err != nil {
				return err
			}
		}
	}
	change := n.lastChange()
	for _, e := range entries {
		if e.GetTerm() != n.last.Term {
			if err := n.fail(LeaderAppendOnly, "is leader and appends entry %d of term %d", e.GetIndex(), e.GetTerm()); err != nil {
				return err
			}
		}
		if !isChange(e) {
			continue
		}
		if change > n.last.Applied && !n.cfg.unguarded {
			if err := n.fail(ConfChangeGuard, "is leader and appends the configuration change %d; the one at %d is not applied yet, the applied index is %d", e.GetIndex(), change, n.last.Applied); err != nil {
				return err
			}
		}
		if err := n.askedEarly(e); err != nil {
			return err
		}
		change = e.GetIndex()
	}
	return n.quota.append(n, entries)
}

// handsOutCommitted is P12 and P21 on entries that raft wants to be applied.
func (n *Node) handsOutCommitted(entries []*raftpb.Entry) error {
	first, last := entries[0].GetIndex(), entries[len(entries)-1].GetIndex()
	switch {
	case first != n.handed+1:
		if err := n.fail(ApplyOrder, "is handed out entry %d to apply after entry %d", first, n.handed); err != nil {
			return err
		}
	case last > n.last.Commit:
		if err := n.fail(ApplyOrder, "is handed out entries up to %d to apply; its commit index is %d", last, n.last.Commit); err != nil {
			return err
		}
	}
	if n.cfg.async && last > n.quota.stable {
		if err := n.fail(ApplyOrder, "is handed out entries up to %d to apply; in its term it was told that its log is durable up to %d", last, n.quota.stable); err != nil {
			return err
		}
	}
	n.handed = last
	return n.quota.handOut(n, entries)
}

// sends checks a message that a Ready hands out.
func (n *Node) sends(m *raftpb.Message) error {
	switch m.GetType() {
	case raftpb.MsgApp:
		return n.sendsEntries(m)
	case raftpb.MsgSnap:
		n.flow(m.GetTo()).window.shut()
	case raftpb.MsgHeartbeat:
		if f := n.flow(m.GetTo()); m.GetTerm() == n.last.Term && m.GetCommit() < f.known {
			return n.fail(Liveness, "sends node %d a heartbeat with commit index %d; %d is committed and acknowledged", f.id, m.GetCommit(), f.known)
		}
	case raftpb.MsgVote:
		if m.GetTerm() == n.elections.forced && !forced(m) {
			return n.fail(Liveness, "was told to stand for election and asks node %d for its vote as if it were not", m.GetTo())
		}
	case raftpb.MsgProp:
		if n.cfg.noForwarding {
			return n.fail(Limits, "forwards a proposal to node %d, and DisableProposalForwarding is set", m.GetTo())
		}
	case raftpb.MsgVoteResp, raftpb.MsgPreVoteResp:
		return n.grants(m)
	case raftpb.MsgStorageAppend:
		for _, r := range m.GetResponses() {
			if err := n.grants(r); err != nil {
				return err
			}
		}
	}
	return nil
}
