// Package revivedreplica is a replica that comes back from the dead with an
// empty log.
//
// In RethinkDB a replica was told to join a group, then to leave it, upon which
// its log was erased, and then got a second copy of the first message. It came
// back under its old identity, with nothing in its log. The others trust a
// member to remember its votes and entries; two primaries and lost writes
// followed. Reported as https://github.com/rethinkdb/rethinkdb/issues/5289.
//
// Here an administrator, c1, makes replicas members of a group, gives them
// records, and removes them again. Each change of the configuration has a number,
// and each membership an identity of its own. The mended replica remembers the
// number of the newest change that it has followed and does nothing about older
// ones. What to look at in the story: the membership whose first message was
// held up, and the replica that is that member again.
package revivedreplica

import (
	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// What the administrator asks for. Epoch is the number of the change.
type (
	join struct {
		Epoch  int
		Member string
	}
	leave struct{ Epoch int }
	// put adds a record to the log of a member.
	put struct {
		Member string
		Index  int // its place, from 1
	}
)

// state is what a replica has on its disk.
type state struct {
	Epoch  int    // of the newest change that it has followed
	Member string // whom it is; empty for nobody
	Length int    // of the member's log
}

// replica is the program of a server.
type replica struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // do nothing about old changes
	state  state
	shown  state // what it has let others know
}

func newReplica(n *faultline.Node, mended bool) *replica {
	r := &replica{node: n, mended: mended}
	r.Handler = kernel.Main(r.run)(n.Node)
	return r
}

func (r *replica) run(p *kernel.Proc) {
	bugs.Load(p, r.node.Disk(), "member", &r.state)
	r.shown = r.state
	for {
		from, msg := p.Recv()
		q := msg.(bugs.Request)
		before := r.state
		if !r.follow(q.Body) {
			continue
		}
		if r.state != before {
			bugs.Save(p, r.node.Disk(), "member", r.state)
		}
		r.shown = r.state
		r.node.Send(from, bugs.Reply{ID: q.ID})
	}
}

// follow does what it is asked for and reports whether there is an answer.
func (r *replica) follow(body any) bool {
	switch m := body.(type) {
	case join:
		if r.mended && m.Epoch < r.state.Epoch {
			return false
		}
		if m.Member != r.state.Member {
			r.state = state{Epoch: m.Epoch, Member: m.Member}
		}
	case leave:
		if r.mended && m.Epoch < r.state.Epoch {
			return false
		}
		r.state = state{Epoch: m.Epoch}
	case put:
		if m.Member != r.state.Member || m.Index > r.state.Length+1 {
			return false
		}
		r.state.Length = max(r.state.Length, m.Index)
	}
	return true
}
