// Package faileddiskleader is a leader that cannot write and is elected again and
// again.
//
// In hashicorp/raft a leader that failed to store an entry stepped down, stood
// for election at once, and won: the others were fine, and had no reason to be
// faster. This went on for minutes, without an entry being stored. Reported as
// https://github.com/hashicorp/raft/issues/614.
//
// Here three servers elect a leader and store what clients put. A leader that
// steps down has heard of no other leader for a long time, so its patience is
// over and it stands first. The mended one tries its disk before it stands. There
// are no restarts in this example, so terms and votes stay in memory, and what is
// stored is counted only. Nothing is ever lost: the check is that puts go on
// while a majority is well. What to look at in the story: the same node is
// elected in term after term.
package faileddiskleader

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const (
	beatEvery = 30 * time.Millisecond
	patience  = 100 * time.Millisecond // with a leader, and up to twice that
)

// Messages between the servers.
type (
	beat struct{ Term int }
	vote struct{ Term int } // asks for it
	yes  struct{ Term int } // gives it
	// store brings a put to the others; stored says that one has it.
	store struct {
		Term int
		Put  put
	}
	stored struct{ Put put }
)

// put is one of a client.
type put struct {
	Client string
	ID     int
}

// refused is the answer of a server that does not lead.
type refused struct{ Leader string }

// server is the program of all three.
type server struct {
	kernel.Handler
	node   *faultline.Node
	peers  []string
	mended bool // stand only with a disk that works

	log      *simdisk.File
	term     int
	leader   string // of the term, if it is known
	votes    []string
	waiting  []put         // as leader: those that are not stored by another
	deadline time.Duration // of the patience, or of the next beat
}

func newServer(n *faultline.Node, peers []string, mended bool) *server {
	s := &server{node: n, peers: peers, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *server) run(p *kernel.Proc) {
	log, err := s.node.Disk().In(p).Create("log")
	if err != nil {
		s.node.Kill()
		return
	}
	s.log = log
	s.wait()
	for {
		from, msg, ok := p.RecvTimeout(s.deadline - s.node.Monotonic())
		switch {
		case ok:
			s.receive(from, msg)
		case s.leader == s.node.Name():
			s.tell(beat{s.term})
			s.deadline = s.node.Monotonic() + beatEvery
		default:
			s.stand()
		}
	}
}

// wait gives a leader, or an election, some time.
func (s *server) wait() {
	s.deadline = s.node.Monotonic() + patience + time.Duration(s.node.Rand().Int64N(int64(patience)))
}

func (s *server) tell(msg any) {
	for _, peer := range s.peers {
		s.node.Send(peer, msg)
	}
}

// write stores something on the disk, and reports whether that worked.
func (s *server) write() bool {
	if _, err := s.log.Append([]byte("entry\n")); err != nil {
		return false
	}
	return s.log.Sync() == nil
}

func (s *server) stand() {
	s.wait()
	if s.mended && !s.write() {
		return
	}
	s.term++
	s.leader, s.votes = "", []string{s.node.Name()}
	s.tell(vote{s.term})
}

func (s *server) receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		s.onRequest(from, m)
	case beat:
		if m.Term >= s.term {
			s.term, s.leader = m.Term, from
			s.wait()
		}
	case vote:
		if m.Term > s.term {
			s.term, s.leader, s.votes = m.Term, "", nil
			s.wait()
			s.node.Send(from, yes{m.Term})
		}
	case yes:
		if m.Term == s.term && s.votes != nil && s.leader == "" && !slices.Contains(s.votes, from) {
			s.node.Point("elected") // with its own vote it has two of three
			s.leader, s.deadline, s.waiting = s.node.Name(), 0, nil
		}
	case store:
		if m.Term == s.term && s.write() {
			s.node.Send(from, stored{m.Put})
		}
	case stored:
		if i := slices.Index(s.waiting, m.Put); i >= 0 {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			s.node.Send(m.Put.Client, bugs.Reply{ID: m.Put.ID})
		}
	}
}

// onRequest stores a put, here and at the others. A leader that cannot steps
// down.
func (s *server) onRequest(from string, r bugs.Request) {
	if s.leader != s.node.Name() {
		s.node.Send(from, bugs.Reply{ID: r.ID, Body: refused{s.leader}})
		return
	}
	if !s.write() {
		s.node.Log("steps-down", kernel.Int("term", int64(s.term)))
		s.leader, s.votes, s.deadline = "", nil, 0
		return
	}
	s.waiting = append(s.waiting, put{from, r.ID})
	s.tell(store{s.term, put{from, r.ID}})
}
