// Package ackbeforewal is a server that answers while its log is still being
// written.
//
// In an etcd cluster of one member, an entry is committed as soon as it is
// proposed: there is nobody to wait for. It was handed to be written and to be
// applied at the same time, and was applied and answered while the write to the
// log ran in parallel. A crash right after the answer lost it. Reported as
// https://github.com/etcd-io/etcd/issues/14370 and dealt with in
// https://github.com/etcd-io/etcd/pull/14394.
//
// Here one server answers puts, before or after the write. A sync takes 20 ms;
// on a fast disk the window is small and the crash has to be lucky. What to look
// at in the story: the put was acknowledged at a time when its sync had not
// ended, and the power went before it did.
package ackbeforewal

import (
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// server is the program of the only member.
type server struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // answer after the write

	since   time.Duration // when it has recovered; 0 while it has not
	applied []string
}

func newServer(n *faultline.Node, mended bool) *server {
	s := &server{node: n, mended: mended}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

// Since implements bugs.Recoverer.
func (s *server) Since() time.Duration { return s.since }

func (s *server) run(p *kernel.Proc) { bugs.ServeAgain(s.node, p, s.serve) }

func (s *server) serve(p *kernel.Proc, disk *simdisk.Volume) error {
	s.since = 0
	wal, err := bugs.OpenLog(disk)
	if err != nil {
		return err
	}
	s.applied, s.since = wal.Records, s.node.Monotonic()
	for {
		from, msg := p.Recv()
		r := msg.(bugs.Request)
		if !s.mended {
			s.apply(from, r)
		}
		if err := wal.Append(r.Body.(string)); err != nil {
			return err
		}
		if err := wal.Sync(); err != nil {
			return err
		}
		if s.mended {
			s.apply(from, r)
		}
	}
}

// apply gives an entry its effect, which the client may rely on.
func (s *server) apply(from string, r bugs.Request) {
	s.applied = append(s.applied, r.Body.(string))
	s.node.Send(from, bugs.Reply{ID: r.ID})
	s.node.Point("answered")
}
