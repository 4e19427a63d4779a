package catchupcommit

import (
	"slices"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
)

func (s *server) receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		if !s.leads {
			s.node.Send(from, bugs.Reply{ID: m.ID, Body: refused{}})
			return
		}
		s.Log = append(s.Log, entry{s.Term, m.Body.(string), request{from, m.ID}})
		s.save()
		s.replicate()
	case voteRequest:
		s.observe(m.Term)
		s.onVoteRequest(from, m)
	case voteReply:
		s.observe(m.Term)
		if s.stands && m.Granted && m.Term == s.Term && !slices.Contains(s.votes, from) {
			s.lead() // with its own vote it has two of three
		}
	case appendRequest:
		s.observe(m.Term)
		s.onAppend(from, m)
	case appendReply:
		s.observe(m.Term)
		s.onAppendReply(from, m)
	}
}

func (s *server) onVoteRequest(from string, m voteRequest) {
	index, term := s.last()
	newer := m.LastTerm > term || m.LastTerm == term && m.Last >= index
	grant := m.Term == s.Term && newer && (s.Vote == "" || s.Vote == from)
	if grant {
		s.Vote = from
		s.save()
		s.wait()
	}
	s.node.Send(from, voteReply{s.Term, grant})
}

func (s *server) onAppend(from string, m appendRequest) {
	if m.Term < s.Term {
		s.node.Send(from, appendReply{Term: s.Term})
		return
	}
	s.stands = false
	s.wait()
	if m.Prev > len(s.Log) || s.termAt(m.Prev) != m.PrevTerm {
		s.node.Send(from, appendReply{Term: s.Term, Match: min(m.Prev-1, len(s.Log))})
		return
	}
	if s.merge(m.Prev, m.Entries) {
		s.save()
	}
	match := m.Prev + len(m.Entries)
	s.commit = max(s.commit, min(m.Commit, match))
	s.node.Send(from, appendReply{s.Term, true, match})
}

// merge puts entries after an index. What contradicts them goes. It reports
// whether there was anything new.
func (s *server) merge(prev int, entries []entry) bool {
	for i, e := range entries {
		index := prev + i + 1
		if index <= len(s.Log) && s.termAt(index) == e.Term {
			continue
		}
		s.Log = append(s.Log[:index-1:index-1], entries[i:]...)
		return true
	}
	return false
}

func (s *server) onAppendReply(from string, m appendReply) {
	switch {
	case !s.leads || m.Term != s.Term:
	case m.OK && m.Match > s.match[from]:
		s.match[from] = m.Match
		s.next[from] = max(s.next[from], m.Match+1)
		s.advance()
		if s.next[from] <= len(s.Log) {
			s.sendTo(from)
		}
	case m.OK: // nothing new: a second answer must not start a second chain of messages
	case m.Match+1 < s.next[from] && m.Match >= s.match[from]:
		s.next[from] = m.Match + 1
		s.sendTo(from)
	}
}
