package raftcheck

import (
	"fmt"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"go.etcd.io/raft/v3/tracker"
)

// Config says what is checked. The zero value checks everything.
type Config struct {
	// Off are the checks that are left out.
	Off Set
	// LeaseReads says that raft answers reads by ReadOnlyLeaseBased: they are
	// judged by P18 instead of P17.
	LeaseReads bool
}

// Checker checks one cluster. It holds what must be the same on all nodes.
type Checker struct {
	cfg       Config
	nodes     map[uint64]*Node
	order     []*Node // as they were made
	canon     canon
	known     identities
	confs     []placed          // by index
	leaders   map[uint64]leader // by term
	snapshots map[uint64]hash   // content by index
	maxCommit uint64            // the highest commit index that any node has known
	lease     lease
	clock     uint64 // counts steps
	clients   clients
	unbound   bool // the first log has not been seen yet
}

// leader is who leads a term.
type leader struct {
	node, boot uint64 // boot is 0 while only followers have told of it
}

// New returns a checker of a cluster without nodes.
func New(cfg Config) *Checker {
	return &Checker{
		cfg: cfg, nodes: map[uint64]*Node{}, leaders: map[uint64]leader{},
		snapshots: map[uint64]hash{}, confs: []placed{{0, &conf{}}}, unbound: true,
	}
}

// Node returns the node with that raft ID. It is the same in all incarnations.
func (c *Checker) Node(id uint64) *Node {
	n := c.nodes[id]
	if n == nil {
		n = &Node{c: c, id: id, votes: map[uint64]vote{}, preVotes: map[preVote]struct{}{}}
		n.visit = n.visitProgress
		c.nodes[id] = n
		c.order = append(c.order, n)
	}
	return n
}

// Raft is what the checker asks a RawNode for. Both methods are called rarely.
type Raft interface {
	// Status returns the configuration that raft uses.
	Status() raft.Status
	// WithProgress visits what a leader knows of the members.
	WithProgress(visit func(id uint64, kind raft.ProgressType, p tracker.Progress))
}

// Node checks one node. Its methods are told what has happened there, in the
// order in which it happened, and return a [*Violation] or nil.
type Node struct {
	c    *Checker
	id   uint64
	boot uint64
	up   bool
	cfg  limits
	raft Raft

	last       Status // of raft
	readyTerm  uint64 // at the last Ready
	readyConf  *conf  // at the last Ready
	fresh      bool   // leader that has not handed out an entry yet
	log        shadow // what raft has handed out
	changes    []uint64
	checked    uint64 // committed entries are compared up to here
	conf       *conf  // that raft uses, as far as Ready has told
	applied    uint64 // by the state machine
	handed     uint64 // handed out to be applied up to here
	snapshotAt uint64 // index of the last snapshot that raft has taken

	dur      durable
	writes   []write // handed out and not durable, oldest first
	written  int     // how many of them are written
	votes    map[uint64]vote
	preVotes map[preVote]struct{}

	elections elections
	owed      []owed // since the last Ready
	transfer  transfer
	leave     leave
	proposed  proposed
	flows     []flow // of a leader, one per follower
	quota     quota
	reads     reads
	beats     []beat // one per leader

	visit    func(id uint64, kind raft.ProgressType, p tracker.Progress)
	visiting uint64 // the follower to look at
	found    tracker.Progress
	hasFound bool
}

// limits are what the configuration of an incarnation promises.
type limits struct {
	async, preVote, checkQuorum, stepDown, unguarded bool
	noForwarding                                     bool
	election                                         int
	message, committed, uncommitted, inflightBytes   uint64
	inflight                                         int
}

func newLimits(c *raft.Config) limits {
	l := limits{
		async: c.AsyncStorageWrites, preVote: c.PreVote, checkQuorum: c.CheckQuorum,
		noForwarding: c.DisableProposalForwarding,
		stepDown:     c.StepDownOnRemoval, unguarded: c.DisableConfChangeValidation, election: c.ElectionTick,
		message: c.MaxSizePerMsg, committed: c.MaxCommittedSizePerReady,
		uncommitted: c.MaxUncommittedEntriesSize, inflightBytes: c.MaxInflightBytes, inflight: c.MaxInflightMsgs,
	}
	if l.committed == 0 {
		l.committed = l.message
	}
	if l.uncommitted == 0 {
		l.uncommitted = noLimit
	}
	if l.inflightBytes == 0 {
		l.inflightBytes = noLimit
	}
	return l
}

const noLimit = ^uint64(0)

// Status is what raft says of itself: its BasicStatus without pointers.
type Status struct {
	Term       uint64         // the current term
	Vote       uint64         // raft ID of whom it has voted for in this term, or 0
	Commit     uint64         // the commit index
	Applied    uint64         // the applied index, as raft has been told
	Role       raft.StateType // follower, pre-candidate, candidate or leader
	Lead       uint64         // raft ID of the leader, 0 if it is not known
	Transferee uint64         // raft ID of whom leadership is handed to, or 0
}

// StatusOf returns the status of a RawNode.
func StatusOf(rn *raft.RawNode) Status {
	b := rn.BasicStatus() // does not allocate as long as its parts are copied at once
	return Status{
		Term: b.GetTerm(), Vote: b.GetVote(), Commit: b.GetCommit(), Applied: b.Applied,
		Role: b.RaftState, Lead: b.Lead, Transferee: b.LeadTransferee,
	}
}

// fail returns the violation of a check, or nil if the check is off.
func (n *Node) fail(k Check, format string, args ...any) error {
	if n.c.cfg.Off.Has(k) {
		return nil
	}
	return &Violation{Check: k, Node: n.id, Boot: n.boot, Term: n.last.Term, Text: fmt.Sprintf(format, args...)}
}

// fail is for what concerns no node.
func (c *Checker) fail(k Check, format string, args ...any) error {
	if c.cfg.Off.Has(k) {
		return nil
	}
	return &Violation{Check: k, Text: fmt.Sprintf(format, args...)}
}

// Crashed tells that the process has ended. Nothing is asked of its raft any
// more.
func (n *Node) Crashed() { n.up, n.raft = false, nil }

// trim forgets what no log can hold any more.
func (c *Checker) trim() {
	const worth = 1024 // entries
	low := noLimit
	for _, n := range c.order {
		if n.log.last() > 0 { // an empty one begins with a snapshot
			low = min(low, n.log.base, n.dur.log.base)
		}
	}
	if low < c.canon.base+worth {
		return
	}
	c.canon.trim(low)
	c.known.trim(low)
	for i := range c.snapshots {
		if i < low {
			delete(c.snapshots, i)
		}
	}
}

// quorum reports whether a majority of each half of a configuration says yes.
func (c *Checker) quorum(f *conf, yes func(v *Node) bool) bool {
	return c.majority(f.voters, yes) && c.majority(f.outgoing, yes)
}

func (c *Checker) majority(ids []uint64, yes func(v *Node) bool) bool {
	count := 0
	for _, id := range ids {
		if v := c.nodes[id]; v != nil && yes(v) {
			count++
		}
	}
	return len(ids) == 0 || count > len(ids)/2
}

// voters describes who says yes, for messages.
func (c *Checker) voters(f *conf, yes func(v *Node) bool) string {
	var ids []uint64
	for _, v := range c.order {
		if f.voter(v.id) && yes(v) {
			ids = append(ids, v.id)
		}
	}
	return fmt.Sprintf("nodes %v of %v", ids, f)
}

// isChange reports whether an entry changes the configuration.
func isChange(e *raftpb.Entry) bool { return e.GetType() != raftpb.EntryNormal }
