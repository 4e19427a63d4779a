package raftcheck

import (
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// reads are the questions for a read index that a node has asked, by the digest
// of their contexts, of which the newest are kept.
type reads struct {
	asked map[hash]read
	order []hash // a ring, oldest at next
	next  int
	open  map[hash]bool // asked of a leader in its term and not answered; true since before the last Ready
	told  bool          // the leader has named an index since the last Ready
	takes bool          // at the last Ready the leader had committed in its term, and takes up reads
}

// read is a question as it was asked first.
type read struct {
	floor uint64 // the highest commit index that any node had
	own   uint64 // the node's own
	clock uint64 // of the checker
}

// beat is the last heartbeat of a leader that a node has handled. A read stays
// confirmed when the node follows another leader afterwards.
type beat struct{ from, term, clock uint64 }

const maxReads = 4096

// lease counts stale reads in windows in which a lease promises nothing.
type lease struct {
	open  bool
	stale int
}

// ReadRequested tells of a call of ReadIndex. Contexts that are used again
// stand for the first question.
func (n *Node) ReadRequested(context []byte) {
	r, key := &n.reads, hash(0).bytes(context)
	if r.asked == nil {
		r.asked, r.open = map[hash]read{}, map[hash]bool{}
	}
	if n.last.Role == raft.StateLeader && len(r.open) < maxReads {
		r.open[key] = r.open[key]
	}
	n.passesOn(raftpb.MsgReadIndex)
	if _, ok := r.asked[key]; ok {
		return
	}
	if len(r.order) < maxReads {
		r.order = append(r.order, key)
	} else {
		delete(r.asked, r.order[r.next])
		r.order[r.next] = key
		r.next = (r.next + 1) % maxReads
	}
	r.asked[key] = read{n.c.maxCommit, n.last.Commit, n.c.clock}
}

// readReady is P17 and P18 on an answer of raft. Of what was asked long ago
// nothing is known any more.
func (n *Node) readReady(context []byte, index uint64) error {
	key := hash(0).bytes(context)
	_, mine := n.reads.open[key]
	delete(n.reads.open, key)
	asked, ok := n.reads.asked[key]
	if ok && mine && !n.c.cfg.LeaseReads {
		if err := n.confirmed(asked.clock); err != nil {
			return err
		}
	}
	floor := asked.floor
	if !ok || index >= floor {
		return nil
	}
	if !n.c.cfg.LeaseReads {
		return n.fail(ReadIndex, "is told to read at index %d; when it asked, %d was committed", index, floor)
	}
	if mine && index < asked.own {
		return n.fail(LeaseReads, "answers a read by itself with index %d; its commit index was %d when it was asked", index, asked.own)
	}
	if n.c.lease.open {
		n.c.lease.stale++
		return nil
	}
	return n.fail(LeaseReads, "is told to read at index %d by a lease; when it asked, %d was committed", index, floor)
}

// confirmed is P17 on a leader that answers its own question: a quorum has
// handled a heartbeat of it since. A change of the configuration may have come
// between the answer and the Ready that tells of it.
func (n *Node) confirmed(since uint64) error {
	follows := func(v *Node) bool {
		if v == n {
			return true
		}
		b := v.beatOf(n.id)
		return b.term == n.last.Term && b.clock > since
	}
	if !n.c.quorum(n.conf, follows) && !n.c.quorum(n.readyConf, follows) {
		return n.fail(ReadIndex, "answers a read by itself; since it was asked only %s have followed it", n.c.voters(n.conf, follows))
	}
	return nil
}

// beatOf returns the last heartbeat of a leader that the node has handled.
func (n *Node) beatOf(leader uint64) *beat {
	for k := range n.beats {
		if n.beats[k].from == leader {
			return &n.beats[k]
		}
	}
	n.beats = append(n.beats, beat{from: leader})
	return &n.beats[len(n.beats)-1]
}

// ReadServed tells that a read was answered from the state machine, for which
// raft had named an index.
func (n *Node) ReadServed(index uint64) error {
	if n.applied < index {
		return n.fail(ReadIndex, "answers a read for index %d; the applied index is %d", index, n.applied)
	}
	return nil
}

// ReadUnasked tells that a read was answered from the state machine without a
// question to raft: it must not miss what any node has committed.
func (n *Node) ReadUnasked() error {
	if n.applied < n.c.maxCommit {
		return n.fail(ReadIndex, "answers a read without asking; the applied index is %d, and %d is committed", n.applied, n.c.maxCommit)
	}
	return nil
}

// LeaseWindow declares whether stale lease reads are to be expected from now
// on, as while clocks drift, after a restart, and in a transfer of leadership.
// They are counted then.
func (c *Checker) LeaseWindow(open bool) { c.lease.open = open }

// StaleLeaseReads returns how many stale reads there were in such windows.
func (c *Checker) StaleLeaseReads() int { return c.lease.stale }

// confirms is P22 on the heartbeats of a Ready: as long as a leader has not
// answered a read they ask for its confirmation, because those before may be
// lost.
func (n *Node) confirms(rd *raft.Ready) error {
	r := &n.reads
	if told := r.told; told && len(rd.ReadStates) == 0 {
		return n.fail(Liveness, "was told by its leader at which index to read, and does not pass it on")
	}
	r.told = false
	due, took := false, r.takes
	d, ok := n.log.get(n.last.Commit)
	r.takes = ok && d.term == n.last.Term && n.last.Role == raft.StateLeader
	for key, old := range r.open {
		due = due || old
		r.open[key] = true
	}
	if !due || !took || !r.takes || n.c.cfg.LeaseReads || n.alone(n.conf) || n.alone(n.readyConf) {
		return nil
	}
	for _, m := range rd.Messages {
		if m.GetType() == raftpb.MsgHeartbeat && m.GetTerm() == n.last.Term && len(m.GetContext()) == 0 {
			return n.fail(Liveness, "has not answered %d reads and sends node %d a heartbeat that does not ask for their confirmation", len(r.open), m.GetTo())
		}
	}
	return nil
}

// alone reports whether nobody else has a vote.
func (n *Node) alone(c *conf) bool { return len(c.voters) == 1 && !c.joint() }
