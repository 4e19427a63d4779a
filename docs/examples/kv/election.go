package kv

import "github.com/hmdsefi/faultline/kernel"

// campaign begins an election: nobody was heard of for too long.
func (s *Server) campaign() {
	name := s.node.Name()
	s.log.SetTerm(s.log.Term+1, name)
	s.node.Log("stands", kernel.Int("term", int64(s.log.Term)))
	s.role, s.leads = candidate, ""
	s.votes = map[string]bool{name: true}
	s.waitForLeader()
	s.persist(func() {
		last, lastTerm := s.log.Last()
		for _, peer := range s.peers {
			s.node.Send(peer, voteRequest{Term: s.log.Term, Last: last, LastTerm: lastTerm})
		}
		s.countVotes()
	})
}

// onVoteRequest votes for the first candidate of the term whose log is not
// behind this one: it then has every entry that has taken effect.
func (s *Server) onVoteRequest(from string, m voteRequest) {
	last, lastTerm := s.log.Last()
	current := m.LastTerm > lastTerm || m.LastTerm == lastTerm && m.Last >= last
	free := s.log.Vote == "" || s.log.Vote == from
	granted := m.Term == s.log.Term && free && current
	if granted && s.log.Vote == "" {
		s.log.SetTerm(s.log.Term, from)
		s.node.Log("votes", kernel.Int("term", int64(m.Term)), kernel.Str("for", from))
		s.waitForLeader()
	}
	s.persist(func() {
		s.node.Send(from, voteReply{Term: s.log.Term, Granted: granted})
	})
}

func (s *Server) onVoteReply(from string, m voteReply) {
	if m.Term == s.log.Term && m.Granted && s.role == candidate {
		s.votes[from] = true
		s.countVotes()
	}
}

func (s *Server) countVotes() {
	if s.role == candidate && s.majority(len(s.votes)) {
		s.lead()
	}
}

// lead makes the server the leader of its term. Entries of earlier terms take
// effect with the first one of its own, so it writes one.
func (s *Server) lead() {
	s.node.Point("elected")
	s.node.Log("leads", kernel.Int("term", int64(s.log.Term)))
	s.role, s.leads = leader, s.node.Name()
	s.expire.Stop()
	last, _ := s.log.Last()
	s.next, s.match = map[string]int{}, map[string]int{s.node.Name(): 0}
	for _, peer := range s.peers {
		s.next[peer], s.match[peer] = last+1, 0
	}
	s.propose(Entry{})
	s.beat.Reset(heartbeatEvery)
}
