package kv

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	heartbeatEvery  = 50 * time.Millisecond
	electionTimeout = 150 * time.Millisecond // and up to twice that
	recoveryPause   = 300 * time.Millisecond // after the disk has failed
	maxBatch        = 64                     // entries in one message
)

type role string

const (
	follower  role = "follower"
	candidate role = "candidate"
	leader    role = "leader"
)

// Server is one replica of the store.
type Server struct {
	kernel.Idle
	node  *faultline.Node
	peers []string // the other servers
	bugs  Bugs

	log    *Log // nil while the server recovers
	store  *store
	commit int // entries up to here have taken effect

	role   role
	leads  string          // whom to send clients to; empty if not known
	votes  map[string]bool // as candidate: who voted for this server
	next   map[string]int  // as leader: the entry to send to each peer
	match  map[string]int  // as leader: what each server, itself too, has on disk
	expire *kernel.Timer   // of the patience with the leader, or the election
	beat   *kernel.Timer   // as leader: of the next heartbeat
}

// NewServer makes the program of a server. names are all the servers.
func NewServer(n *faultline.Node, names []string, bugs Bugs) *Server {
	s := &Server{node: n, bugs: bugs}
	for _, name := range names {
		if name != n.Name() {
			s.peers = append(s.peers, name)
		}
	}
	s.expire = n.NewTimerFunc(s.campaign)
	s.beat = n.NewTimerFunc(s.heartbeat)
	return s
}

// Start starts the server.
func (s *Server) Start() { s.node.Go("log", s.run) }

// run recovers the log and then writes it, until the disk fails. After that
// nothing in memory can be trusted to be on disk: the server forgets it all
// and recovers.
func (s *Server) run(p *kernel.Proc) {
	for {
		s.log, s.store, s.commit = nil, newStore(s.bugs), 0
		log, err := OpenLog(s.node.Disk().In(p), s.bugs)
		if err == nil {
			s.log = log
			s.node.Log("recovered", kernel.Int("entries", int64(len(log.Entries))),
				kernel.Int("term", int64(log.Term)), kernel.Str("vote", log.Vote))
			s.follow("")
			err = log.Write(p)
		}
		s.log = nil
		s.expire.Stop()
		s.beat.Stop()
		s.node.Log("disk-failed", kernel.Str("error", fmt.Sprint(err)))
		p.Sleep(recoveryPause)
	}
}

// Receive handles a message.
func (s *Server) Receive(from string, msg any) {
	if s.log == nil {
		return
	}
	switch m := msg.(type) {
	case request:
		s.onRequest(from, m)
	case voteRequest:
		s.observe(m.Term)
		s.onVoteRequest(from, m)
	case voteReply:
		s.observe(m.Term)
		s.onVoteReply(from, m)
	case appendRequest:
		s.observe(m.Term)
		s.onAppend(from, m)
	case appendReply:
		s.observe(m.Term)
		s.onAppendReply(from, m)
	}
}

// observe makes the server a follower when there is a newer term. Its patience
// goes on: servers that stand for election in vain must not keep the one that
// could win from doing so.
func (s *Server) observe(term int) {
	if term > s.log.Term {
		s.log.SetTerm(term, "")
		s.follow("")
	}
}

// follow makes the server a follower of the leader, if that is known.
func (s *Server) follow(leads string) {
	s.role, s.leads = follower, leads
	s.beat.Stop()
	if leads != "" || !s.expire.Armed() {
		s.waitForLeader()
	}
}

// waitForLeader gives the leader, or the election, some time. Every server
// waits for another time, so that they do not stand for election together.
func (s *Server) waitForLeader() {
	patience := electionTimeout
	if !s.bugs.SameTimeout {
		patience += time.Duration(s.node.Rand().Int64N(int64(electionTimeout)))
	}
	s.expire.Reset(patience)
}

// persist calls then when all that the server has decided so far is on its
// disk, unless its term has ended by then. Whatever another server may rely on
// is said from there.
func (s *Server) persist(then func()) {
	term := s.log.Term
	s.log.Persist(func() {
		if s.log.Term == term {
			then()
		}
	})
}

// majority reports whether n servers are enough to decide.
func (s *Server) majority(n int) bool { return 2*n > len(s.peers)+1 }
