// Package retrytwice is a counter whose clients repeat what may have been done.
//
// A connection failed after a write was proposed. The automatic retry in
// CockroachDB met its own write, took it for somebody else's, started again with
// a new timestamp, and the statement took effect twice
// (https://github.com/cockroachdb/cockroach/issues/10023). Client libraries of
// etcd did the same to transactions, which an observer took for lost updates in
// the server (https://github.com/etcd-io/etcd/issues/18424,
// https://github.com/etcd-io/etcd/issues/14890).
//
// Here clients add to a counter on one server, and try each addition up to three
// times. The server counts every request that arrives; the mended one keeps the
// last answer to each client in the same file as the counter, and gives it
// again. And the client says that an addition failed when its last try timed
// out, though it may have been counted; the mended one says that it does not
// know. What to look at in the story: the reply was lost, not the request, and
// the operation has two attempts.
package retrytwice

import (
	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// state is what the server has on its disk.
type state struct {
	Count int
	Last  map[string]answer // the last one to each client
}

// answer is what a client gets: the count after its addition.
type answer struct {
	ID    int // of the request
	Count int
}

// server is the program of the server.
type server struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // answer a repeated request as before
	state  state
}

func newServer(n *faultline.Node, mended bool) *server {
	s := &server{node: n, mended: mended, state: state{Last: map[string]answer{}}}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *server) run(p *kernel.Proc) {
	bugs.Load(p, s.node.Disk(), "counter", &s.state)
	for {
		from, msg := p.Recv()
		r := msg.(bugs.Request)
		last := s.state.Last[from]
		switch {
		case s.mended && r.ID < last.ID: // the client has moved on
			continue
		case s.mended && r.ID == last.ID:
		default:
			s.state.Count++
			last = answer{r.ID, s.state.Count}
			s.state.Last[from] = last
			bugs.Save(p, s.node.Disk(), "counter", s.state)
			s.node.Point("counted")
		}
		s.node.Send(from, bugs.Reply{ID: r.ID, Body: last.Count})
	}
}
