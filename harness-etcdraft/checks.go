package etcdraft

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"github.com/hmdsefi/faultline/kernel"
)

// raftChecks tells the checker of the package raftcheck what happens on the
// nodes.
type raftChecks struct {
	c       *Cluster
	checker *raftcheck.Checker
	nodes   []*raftcheck.Node // by raft ID - 1
	moved   kernel.Time       // of the last transfer of leadership
}

// leaseSlack is how long after the faults, and after a transfer of leadership,
// a lease may still be that of a leader before, in election timeouts: it lasts
// up to two, and the election that ends it takes as long again.
const leaseSlack = 5

func newRaftChecks(c *Cluster, off raftcheck.Set) *raftChecks {
	o := &raftChecks{c: c, checker: raftcheck.New(raftcheck.Config{Off: off, LeaseReads: c.mode.LeaseReads})}
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
	if err != nil {
		o.report(e.Replica, err)
	}
}

// report fails the run if a property does not hold.
func (o *raftChecks) report(r *Replica, err error) {
	v, is := err.(*raftcheck.Violation)
	if !is {
		return
	}
	text := o.told(v)
	if r.confAt > 0 && (v.Check == raftcheck.Snapshots || v.Check == raftcheck.Configuration) {
		text += fmt.Sprintf(". The last configuration change that %s has applied in this boot is entry %d, to %s", r.node.Name(), r.confAt, confText(r.confTo))
	}
	o.c.Violated(v.Check.String(), r, "%s", text)
}

// told tells a violation with the node, its incarnation and its term.
func (o *raftChecks) told(v *raftcheck.Violation) string {
	if v.Node == 0 {
		return v.Text
	}
	return fmt.Sprintf("%s (node %d, boot %d, term %d) %s", o.c.names[v.Node-1], v.Node, v.Boot, v.Term, v.Text)
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
	case SnapshotReported:
		return n.SnapshotReported(e.Index, s)
	case ConfApplied:
		return n.ConfApplied(e.Entry, e.Conf, s)
	case Readied:
		if len(e.Ready.ReadStates) > 0 && o.c.mode.LeaseReads {
			o.declareWindow()
		}
		return n.Accepted(e.Ready, s)
	case Advanced:
		return n.Advanced(s)
	case Transferred:
		o.moved = o.c.world.Sim().Now()
		return n.Transferred(e.Index, s)
	case Proposed:
		return n.Proposed(e.Err, s)
	case ConfAsked:
		return n.ChangeProposed(s)
	case Campaigned, Forgot:
		return n.Called(s)
	}
	return nil
}

// declareWindow tells the checker whether stale lease reads are to be expected
// now: while there are faults, such as drifting clocks and pauses, and around a
// transfer of leadership. They are counted then; at other times they are wrong.
func (o *raftChecks) declareWindow() {
	slack := leaseSlack * time.Duration(o.c.mode.ElectionTick) * o.c.mode.TickEvery
	now := o.c.world.Sim().Now()
	at, ends := o.c.world.QuietAt()
	o.checker.LeaseWindow(!ends || now < kernel.Time(at).Add(slack) || now < o.moved.Add(slack))
	o.c.met[staleLeaseRead] = uint64(o.checker.StaleLeaseReads())
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
		if err := n.Applied(e.Entry); err != nil || !e.Executed {
			return err
		}
		return n.Executed(raftcheck.WriteID{Client: e.Command.Client, Seq: e.Command.Seq}, e.Index)
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
