package txn

import (
	"slices"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// request is a step of a transaction: "read" or "append" a key, or "commit".
type request struct {
	Txn   string
	Seq   int // from 1 in each transaction
	Do    string
	Key   string
	Value int
}

// reply answers the request with the same numbers.
type reply struct {
	Txn  string
	Seq  int
	OK   bool
	List []int // of a read
	// Lists are those of a snapshot, in the order of its keys.
	Lists [][]int
}

// Server is the program of the server.
type Server struct {
	kernel.Idle
	node     *faultline.Node
	store    *Store
	replicas map[string]int   // with how many commits each has
	answers  map[string]reply // the last one of each transaction
}

// NewServer makes the program of the server. replicas get every commit.
func NewServer(n *faultline.Node, bugs Bugs, replicas []string) *Server {
	s := &Server{node: n, store: NewStore(bugs), replicas: map[string]int{}, answers: map[string]reply{}}
	for _, r := range replicas {
		s.replicas[r] = 0
	}
	return s
}

// Start starts the server.
func (s *Server) Start() {
	if len(s.replicas) > 0 {
		s.spread()
	}
}

// Receive handles a message. A request that comes again, as networks repeat
// messages, gets the same answer again.
func (s *Server) Receive(from string, msg any) {
	if got, ok := msg.(applied); ok {
		s.replicas[from] = max(s.replicas[from], got.Commits)
		return
	}
	m := msg.(request)
	last, known := s.answers[m.Txn]
	switch {
	case known && m.Seq == last.Seq:
		s.node.Send(from, last)
	case known && !last.OK || m.Seq != last.Seq+1:
		// It is over, or this is an old request.
	default:
		answer := s.do(m)
		s.answers[m.Txn] = answer
		s.node.Send(from, answer)
	}
}

func (s *Server) do(m request) reply {
	now := s.node.Monotonic()
	out := reply{Txn: m.Txn, Seq: m.Seq, OK: true}
	if m.Seq > 1 && !slices.ContainsFunc(s.store.active, func(t *transaction) bool { return t.id == m.Txn }) {
		out.OK = false // it was aborted for its lock
		return out
	}
	t := s.store.begin(m.Txn, now)
	switch m.Do {
	case "read":
		out.List = s.store.read(t, m.Key)
	case "append":
		out.OK = s.store.append(t, m.Key, m.Value, now)
	case "commit":
		out.OK = s.store.commit(t)
		if out.OK {
			s.publish()
		}
	}
	if !out.OK {
		s.store.abort(t)
	}
	return out
}
