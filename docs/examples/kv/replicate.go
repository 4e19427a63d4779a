package kv

import (
	"maps"
	"slices"
)

// onRequest takes in a client's request.
func (s *Server) onRequest(from string, m request) {
	switch {
	case s.role != leader:
		s.node.Send(from, reply{Seq: m.Seq, NotLeader: true, Leader: s.leads})
	case s.bugs.StaleReads && m.Op.Kind == "get":
		s.node.Send(from, reply{Seq: m.Seq, Value: s.store.values[m.Op.Key]})
	default:
		e := Entry{Client: from, Seq: m.Seq, Op: m.Op}
		if s.bugs.ClockOrder {
			e.Time = s.node.Now().UnixNano()
		}
		s.propose(e)
	}
}

// propose appends an entry to the log of the leader and sends it to all.
func (s *Server) propose(e Entry) {
	e.Term = s.log.Term
	last, _ := s.log.Last()
	s.log.Merge(last, []Entry{e})
	s.replicate()
	s.persist(func() {
		if s.role == leader {
			s.hasOnDisk(s.node.Name(), last+1)
		}
	})
}

// heartbeat sends again what was not acknowledged, and keeps followers quiet.
func (s *Server) heartbeat() {
	s.replicate()
	s.beat.Reset(heartbeatEvery)
}

func (s *Server) replicate() {
	for _, peer := range s.peers {
		s.sendEntries(peer)
	}
}

func (s *Server) sendEntries(peer string) {
	prev := s.next[peer] - 1
	s.node.Send(peer, appendRequest{
		Term: s.log.Term, Prev: prev, PrevTerm: s.log.TermAt(prev),
		Entries: s.log.Slice(prev, maxBatch), Commit: s.commit,
	})
}

// onAppend takes in what the leader of the term sends.
func (s *Server) onAppend(from string, m appendRequest) {
	if m.Term < s.log.Term { // from a leader that was deposed
		s.node.Send(from, appendReply{Term: s.log.Term})
		return
	}
	s.follow(from)
	last, _ := s.log.Last()
	if m.Prev > last || s.log.TermAt(m.Prev) != m.PrevTerm {
		s.node.Send(from, appendReply{Term: m.Term, Match: min(m.Prev-1, last)})
		return
	}
	s.log.Merge(m.Prev, m.Entries)
	match := m.Prev + len(m.Entries)
	s.persist(func() {
		s.node.Send(from, appendReply{Term: m.Term, OK: true, Match: match})
		s.apply(min(m.Commit, match))
	})
}

// onAppendReply takes in how far a follower is. Replies can be late, so what a
// follower has only ever grows.
func (s *Server) onAppendReply(from string, m appendReply) {
	switch {
	case m.Term != s.log.Term || s.role != leader:
	case m.OK:
		s.next[from] = max(s.next[from], m.Match+1)
		s.hasOnDisk(from, m.Match)
		if last, _ := s.log.Last(); last-m.Match >= maxBatch {
			s.sendEntries(from)
		}
	case m.Match+1 < s.next[from] && m.Match >= s.match[from]:
		s.next[from] = m.Match + 1
		s.sendEntries(from)
	}
}

// hasOnDisk notes that a server has all entries up to an index on its disk.
// What a majority has takes effect if its last entry is of this term; one of
// an earlier term could still be replaced.
func (s *Server) hasOnDisk(name string, index int) {
	s.match[name] = max(s.match[name], index)
	have := slices.Sorted(maps.Values(s.match))
	agreed := have[(len(have)-1)/2]
	if s.log.TermAt(agreed) == s.log.Term {
		s.apply(agreed)
	}
}

// apply lets the entries up to an index take effect. The leader answers the
// clients.
func (s *Server) apply(index int) {
	for s.commit < index {
		s.commit++
		e := s.log.At(s.commit)
		answer, ok := s.store.apply(e)
		if ok && s.role == leader {
			s.node.Send(e.Client, answer)
		}
	}
}
