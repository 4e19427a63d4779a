// Package appliedindex is a replica that stores how far it has come before it
// has come that far.
//
// In etcd 3.5 the index of the entry being applied was put into shared memory
// before the changes of the entry were made. The database is committed now and
// then by a task of its own, which could store that index without the changes.
// A member killed in between skips the entry when it replays the log, and
// differs from the others for good. Told in etcd's postmortem,
// https://github.com/etcd-io/etcd/blob/main/Documentation/postmortems/v3.5-data-inconsistency.md,
// and reported as https://github.com/etcd-io/etcd/issues/13766.
//
// Here three replicas apply the entries of a log that they are given by a node
// called log, which stands for what raft has agreed on and does not fail. A
// commit of their state comes every 100 ms, and applying an entry takes 15 ms. No
// fault of the disk is needed, only the kill at the right moment. What to look
// at in the story: the replica was killed after a commit, and what it lacks is
// the one entry that it was applying then.
package appliedindex

import (
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	applyTime   = 15 * time.Millisecond
	commitEvery = 100 * time.Millisecond
	fetchEvery  = 30 * time.Millisecond // while there is nothing new
)

// fetch asks the log for the entries after an index; entries is the answer.
type (
	fetch   struct{ After int }
	entries struct {
		After  int
		Values []string
	}
)

// backend is what a replica commits.
type backend struct {
	Index  int // entries up to here are in it
	Values []string
}

// replica is the program of a server.
type replica struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // set the index together with the change

	backend backend
	applied int // the last entry that is wholly applied
}

func newReplica(n *faultline.Node, mended bool) *replica {
	r := &replica{node: n, mended: mended}
	r.Handler = kernel.Main(r.run)(n.Node)
	return r
}

func (r *replica) run(p *kernel.Proc) {
	bugs.Load(p, r.node.Disk(), "backend", &r.backend)
	r.applied = r.backend.Index
	r.node.Go("commit", r.commit)
	due := r.node.Monotonic() // to ask for more
	for {
		if r.node.Monotonic() >= due {
			r.node.Send("log", fetch{After: r.applied})
			due = r.node.Monotonic() + fetchEvery
		}
		_, msg, ok := p.RecvTimeout(due - r.node.Monotonic())
		if m, is := msg.(entries); ok && is && m.After == r.applied && len(m.Values) > 0 {
			for _, v := range m.Values {
				r.apply(p, v)
			}
			due = r.node.Monotonic()
		}
	}
}

func (r *replica) apply(p *kernel.Proc, value string) {
	index := r.applied + 1
	if !r.mended {
		r.backend.Index = index
	}
	p.Sleep(applyTime)
	r.backend.Values = append(r.backend.Values, value)
	r.backend.Index, r.applied = index, index
}

// commit puts the state on disk, time and again.
func (r *replica) commit(p *kernel.Proc) {
	for {
		p.Sleep(commitEvery)
		bugs.Save(p, r.node.Disk(), "backend", r.backend)
		r.node.Point("committed")
	}
}

// log is the program of the node that has the log.
type log struct {
	kernel.Idle
	node   *faultline.Node
	values []string
}

// Receive takes a put of a client, once, or gives entries to a replica.
func (l *log) Receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		if m.ID > len(l.values) {
			l.values = append(l.values, m.Body.(string))
		}
		l.node.Send(from, bugs.Reply{ID: m.ID})
	case fetch:
		l.node.Send(from, entries{m.After, l.values[m.After:len(l.values):len(l.values)]})
	}
}
