package etcdraft

import (
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

// raftChecks tells the checker of the package raftcheck what happens on the
// nodes.
type raftChecks struct {
	c       *Cluster
	checker *raftcheck.Checker
	nodes   []*raftcheck.Node // by raft ID - 1
}

func newRaftChecks(c *Cluster, off raftcheck.Set) *raftChecks {
	o := &raftChecks{c: c, checker: raftcheck.New(raftcheck.Config{Off: off, LeaseReads: c.mode.LeaseReads})}
	o.checker.LeaseWindow(c.mode.LeaseReads) // drift, pauses and restarts are always possible
	for i := range c.names {
		o.nodes = append(o.nodes, o.checker.Node(uint64(i+1)))
	}
	return o
}

// Observe checks an event.
func (o *raftChecks) Observe(e *Event) {
	n := o.nodes[e.Replica.id-1]
	err := o.call(n, e)
	if e.Kind >= Sent {
		err = o.deed(n, e)
	}
	if v, is := err.(*raftcheck.Violation); is {
		o.c.Violated(v.Check.String(), e.Replica, "%s", v.Text)
	}
}

// live reports what is left to do until the nodes that run are up to date.
func (o *raftChecks) live() error {
	for i, n := range o.nodes {
		if _, up := o.c.Replica(uint64(i + 1)); !up {
			n.Crashed()
		}
	}
	return o.checker.Live()
}

// call checks a call into raft.
func (o *raftChecks) call(n *raftcheck.Node, e *Event) error {
	s := raftcheck.Status(*e.Status)
	switch e.Kind {
	case Started:
		r, rec := e.Replica, e.Recovered
		return n.Boot(&raftcheck.Boot{
			Number: uint64(r.boot), Config: r.raftConfig(), Raft: r.rn, Status: s, Conf: e.Conf, Applied: e.Index,
			State: rec.State, Snapshot: rec.Snapshot, Entries: rec.Entries,
		})
	case Ticked:
		return n.Ticked(s)
	case Stepped, StoredStep:
		return n.Stepped(e.Message, s)
	case ReadAsked:
		n.ReadRequested(e.Data)
		return n.Called(s)
	case Reported:
		return n.Reported(e.Index, s)
	case ConfApplied:
		return n.ConfApplied(e.Entry, e.Conf, s)
	case Readied:
		return n.Accepted(e.Ready, s)
	case Advanced:
		return n.Advanced(s)
	case Proposed, ConfAsked, Campaigned, Transferred, Forgot:
		return n.Called(s)
	}
	return nil
}

// deed checks what the application has done.
func (o *raftChecks) deed(n *raftcheck.Node, e *Event) error {
	switch e.Kind {
	case Sent:
		return n.Sent(e.Message)
	case Durable:
		return n.Durable()
	case Written:
		return n.Written()
	case Applied:
		return n.Applied(e.Entry)
	case SnapshotMade:
		return n.SnapshotMade(e.Snapshot)
	case SnapshotSaved:
		n.SnapshotSaved(e.Snapshot.GetMetadata().GetIndex())
	case SnapshotInstalled:
		return n.Installed(e.Snapshot)
	case Compacted:
		return n.Compacted(e.Index)
	case ReadServed:
		if e.Data == nil {
			return n.ReadUnasked()
		}
		return n.ReadServed(e.Index)
	}
	return nil
}
