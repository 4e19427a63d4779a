// Package lazysyncquorum is a replicated log in which a quorum has each record
// in memory.
//
// NATS JetStream acknowledged a message when a quorum of servers had it, and
// synced its files every two minutes. One server that lost power, and with it
// the end of its log, together with servers that had not been reached, is a
// quorum that has never seen the message: it is lost although two servers still
// have it. Reported as https://github.com/nats-io/nats-server/issues/7564 and
// https://github.com/nats-io/nats-server/issues/7567, and in
// https://jepsen.io/analyses/nats-2.12.1.
//
// Here five servers store records. A client puts each record to all of them and
// takes it as done when three have answered; another client reads from three.
// Any two such sets share a server, which is what the promise rests on. What to
// look at in the story: the put, the power loss of one of its three servers, and
// who answered the read.
package lazysyncquorum

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// syncEvery is how often the records are synced, with the mistake.
const syncEvery = 2 * time.Minute

// put stores a record, get asks for all.
type (
	put struct{ Value string }
	get struct{}
)

// replica is the program of a server.
type replica struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // sync before the answer
	synced time.Duration
}

func newReplica(n *faultline.Node, mended bool) *replica {
	r := &replica{node: n, mended: mended}
	r.Handler = kernel.Main(r.run)(n.Node)
	return r
}

func (r *replica) run(p *kernel.Proc) { bugs.ServeAgain(r.node, p, r.serve) }

func (r *replica) serve(p *kernel.Proc, disk *simdisk.Volume) error {
	log, err := bugs.OpenLog(disk)
	if err != nil {
		return err
	}
	r.synced = r.node.Monotonic()
	for {
		from, msg := p.Recv()
		q := msg.(bugs.Request)
		switch m := q.Body.(type) {
		case put:
			if err := log.Append(m.Value); err != nil {
				return err
			}
			if r.mended || r.node.Monotonic()-r.synced > syncEvery {
				if err := log.Sync(); err != nil {
					return err
				}
				r.synced = r.node.Monotonic()
			}
			r.node.Send(from, bugs.Reply{ID: q.ID})
		case get:
			r.node.Send(from, bugs.Reply{ID: q.ID, Body: slices.Clone(log.Records)})
		}
	}
}
