// Package catchupcommit is a leader that commits entries of an older term as
// soon as a majority has them.
//
// In the raft of NATS a follower that was being brought up to date acknowledged
// entries of an older term, and the leader took that for a quorum. A server with
// a shorter log that ended in a newer term could then win an election and cut
// off what was committed. Dealt with in
// https://github.com/nats-io/nats-server/pull/6944. It is the case against which
// Raft commits entries of earlier terms only together with one of its own
// (Ongaro, Ousterhout: In Search of an Understandable Consensus Algorithm,
// USENIX ATC 2014, section 5.4.2).
//
// Here three servers run a small raft with a fixed membership and no snapshots.
// What to look at in the story: who led in which term, and that the put was
// committed by a leader whose own term had nothing in the log of any other.
package catchupcommit

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	beatEvery = 40 * time.Millisecond
	patience  = 150 * time.Millisecond // with a leader, and up to twice that
	perBatch  = 4                      // entries in a message
)

// stored is what a server has on its disk.
type stored struct {
	Term int
	Vote string // in this term
	Log  []entry
}

// server is the program of all three.
type server struct {
	kernel.Handler
	node   *faultline.Node
	proc   *kernel.Proc
	peers  []string
	mended bool // commit only together with an entry of the own term

	stored
	commit   int
	leads    bool
	stands   bool
	votes    []string
	next     map[string]int // as leader: what to send to a peer
	match    map[string]int // as leader: what a peer has
	deadline time.Duration  // of the patience, or of the next beat
}

func newServer(n *faultline.Node, peers []string, mended bool) *server {
	s := &server{node: n, peers: peers, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *server) run(p *kernel.Proc) {
	s.proc = p
	bugs.Load(p, s.node.Disk(), "raft", &s.stored)
	s.wait()
	if s.node.Name() == "n1" && s.Term == 0 {
		s.deadline = 0 // it is the first to lead
	}
	for {
		if from, msg, ok := p.RecvTimeout(s.deadline - s.node.Monotonic()); ok {
			s.receive(from, msg)
			continue
		}
		if s.leads {
			s.replicate()
			s.deadline = s.node.Monotonic() + beatEvery
		} else {
			s.stand()
		}
	}
}

// wait gives a leader, or an election, some time.
func (s *server) wait() {
	s.deadline = s.node.Monotonic() + patience + time.Duration(s.node.Rand().Int64N(int64(patience)))
}

func (s *server) save() { bugs.Save(s.proc, s.node.Disk(), "raft", s.stored) }

func (s *server) last() (index, term int) { return len(s.Log), s.termAt(len(s.Log)) }

func (s *server) termAt(index int) int {
	if index == 0 {
		return 0
	}
	return s.Log[index-1].Term
}

// observe follows a newer term. The patience of a follower goes on: a server
// that stands in vain must not keep the one that could win from standing.
func (s *server) observe(term int) {
	if term <= s.Term {
		return
	}
	if s.leads {
		s.wait()
	}
	s.Term, s.Vote, s.leads, s.stands = term, "", false, false
	s.save()
}

func (s *server) stand() {
	s.Term++
	s.Vote = s.node.Name()
	s.save()
	s.stands, s.votes = true, []string{s.node.Name()}
	s.wait()
	index, term := s.last()
	for _, peer := range s.peers {
		s.node.Send(peer, voteRequest{s.Term, index, term})
	}
}

func (s *server) lead() {
	s.node.Point("elected")
	s.leads, s.stands = true, false
	s.next, s.match = map[string]int{}, map[string]int{}
	s.Log = append(s.Log, entry{Term: s.Term})
	s.save()
	for _, peer := range s.peers {
		s.next[peer] = len(s.Log)
	}
	s.deadline = 0
}

func (s *server) replicate() {
	for _, peer := range s.peers {
		s.sendTo(peer)
	}
}

func (s *server) sendTo(peer string) {
	prev := s.next[peer] - 1
	end := min(prev+perBatch, len(s.Log))
	s.node.Send(peer, appendRequest{s.Term, prev, s.termAt(prev), slices.Clone(s.Log[prev:end]), s.commit})
}

// advance commits what a majority has: the leader and one more.
func (s *server) advance() {
	agreed := 0
	for _, peer := range s.peers {
		agreed = max(agreed, s.match[peer])
	}
	if agreed <= s.commit || s.mended && s.termAt(agreed) != s.Term {
		return
	}
	for _, e := range s.Log[s.commit:agreed] {
		if e.put.from != "" {
			s.node.Send(e.put.from, bugs.Reply{ID: e.put.id})
		}
	}
	s.commit = agreed
	s.node.Point("committed")
}
