// Package onewaylivelock is a group in which two servers each do their duty, and
// no write goes through.
//
// In CockroachDB the holder of the lease of a range proposes writes to the
// leader of the range's raft group. When the link from the one to the other was
// cut in that direction only, the heartbeats of the leader still arrived, both
// kept their standing through a third node, and so neither lost its role: writes
// hung until the link was mended. Reported as
// https://github.com/cockroachdb/cockroach/issues/92089.
//
// Here n2 holds the lease and takes the puts; whoever leads stores them with a
// majority. Each acknowledgement of a beat says who sent it. The mended leader
// hands over to another server when it does not hear the holder of the lease,
// though it hears a majority. Nothing is ever lost: the check is that puts go on
// while n2 reaches a majority both ways. What to look at in the story: the one
// link that is cut, and that nobody was elected after it.
package onewaylivelock

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	holder    = "n2" // of the lease
	beatEvery = 30 * time.Millisecond
	patience  = 150 * time.Millisecond // with one that is not heard, and up to twice that
)

// Messages between the servers.
type (
	beat    struct{ Term int }
	beatAck struct{ Term int }
	vote    struct{ Term int } // asks for it
	yes     struct{ Term int } // gives it
	leadNow struct{ Term int } // asks the receiver to stand
	propose struct{ Put int }  // from the holder to the leader
	store   struct {
		Term, Put int
	}
	stored struct{ Put int }
	done   struct{ Put int } // from the leader to the holder
)

// server is the program of all three.
type server struct {
	kernel.Handler
	node   *faultline.Node
	peers  []string
	mended bool // do not lead without the holder

	term     int
	leader   string // of the term, if it is known
	votes    []string
	heard    map[string]time.Duration // as leader: of each peer
	deadline time.Duration            // of the patience, or of the next beat
	client   string                   // as holder: who asks
	asked    int                      // as holder: how often
}

func newServer(n *faultline.Node, peers []string, mended bool) *server {
	s := &server{node: n, peers: peers, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *server) run(p *kernel.Proc) {
	s.wait()
	if s.node.Name() == "n1" {
		s.deadline = 0 // it is the first to lead
	}
	for {
		from, msg, ok := p.RecvTimeout(s.deadline - s.node.Monotonic())
		switch {
		case ok:
			s.receive(from, msg)
		case s.leads():
			s.beat()
		default:
			s.stand()
		}
	}
}

func (s *server) leads() bool { return s.leader == s.node.Name() }

// wait gives a leader, or an election, some time.
func (s *server) wait() {
	s.deadline = s.node.Monotonic() + patience + time.Duration(s.node.Rand().Int64N(int64(patience)))
}

func (s *server) tell(msg any) {
	for _, peer := range s.peers {
		s.node.Send(peer, msg)
	}
}

func (s *server) stand() {
	s.wait()
	s.term++
	s.leader, s.votes = "", []string{s.node.Name()}
	s.tell(vote{s.term})
}

// beat keeps the others quiet. A leader that does not hear one of them has no
// majority, and steps down. The mended one hands over when it is the holder that
// it does not hear.
func (s *server) beat() {
	s.deadline = s.node.Monotonic() + beatEvery
	var present []string
	for _, peer := range s.peers {
		if s.node.Monotonic()-s.heard[peer] < patience {
			present = append(present, peer)
		}
	}
	switch {
	case len(present) == 0:
		s.leader = ""
		s.wait()
		return
	case s.mended && s.node.Name() != holder && !slices.Contains(present, holder):
		s.node.Send(present[0], leadNow{s.term})
	}
	s.tell(beat{s.term})
}

func (s *server) receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		s.client = from
		s.asked++
		s.propose(m.ID)
	case propose:
		s.onPropose(m)
	case store:
		if m.Term == s.term {
			s.node.Send(from, stored{m.Put})
		}
	case stored: // with the leader that is a majority
		if s.leads() && s.node.Name() == holder {
			s.finish(m.Put)
		} else if s.leads() {
			s.node.Send(holder, done{m.Put})
		}
	case done:
		s.finish(m.Put)
	default:
		s.onElection(from, msg)
	}
}

// propose brings a put of the client to the leader, which may be this server.
func (s *server) propose(id int) {
	if s.leads() {
		s.onPropose(propose{id})
	} else if s.leader != "" {
		s.node.Send(s.leader, propose{id})
	}
}

func (s *server) onPropose(m propose) {
	if s.leads() {
		s.tell(store{s.term, m.Put})
	}
}

func (s *server) finish(id int) {
	if s.client != "" { // since it was started
		s.node.Send(s.client, bugs.Reply{ID: id})
	}
}

func (s *server) onElection(from string, msg any) {
	switch m := msg.(type) {
	case beat:
		if m.Term >= s.term {
			s.term, s.leader = m.Term, from
			s.wait()
			s.node.Send(from, beatAck{s.term})
		}
	case beatAck:
		if m.Term == s.term && s.leads() {
			s.heard[from] = s.node.Monotonic()
		}
	case vote:
		if m.Term > s.term {
			s.term, s.leader, s.votes = m.Term, "", nil
			s.wait()
			s.node.Send(from, yes{m.Term})
		}
	case yes:
		if m.Term == s.term && s.leader == "" && s.votes != nil && !slices.Contains(s.votes, from) {
			s.node.Point("elected") // with its own vote it has two of three
			s.leader, s.deadline, s.heard = s.node.Name(), 0, map[string]time.Duration{}
			for _, peer := range s.peers {
				s.heard[peer] = s.node.Monotonic()
			}
		}
	case leadNow:
		if m.Term == s.term {
			s.stand()
		}
	}
}
