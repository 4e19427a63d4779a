package etcdraft

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// Cluster is the servers of one run, and what is known about all of them.
type Cluster struct {
	cfg   Config
	world *faultline.World
	mode  *Mode
	names []string          // of the servers; raft ID i+1 is names[i]
	ids   map[string]uint64 // by name
	nodes []*faultline.Node // by raft ID - 1
	first *raftpb.Snapshot  // what the voters begin with

	observers observers
	event     Event // that is being told, reused
	ledger    *ledger
	raft      *raftChecks
	sessions  uint64            // that were opened
	elections int               // that were won
	conf      *raftpb.ConfState // the newest that was applied anywhere
	confIndex uint64
	restarts  kernel.Seq
	namer     kernel.Namer // of what replicas draw
	met       Coverage
	programs  []*Replica // by raft ID - 1: the newest of each server
	members   []bool     // by raft ID - 1: it has been one
	missing   []bool     // by raft ID - 1: stays down; nil while none does
}

// Setup adds a cluster to a world: servers called n1, n2, …, clients c1, c2, …
// and an administrator, the role "leader", and all checks. It adds no faults.
// Mistakes in cfg are setup errors of the world; the cluster is then nil.
func Setup(w *faultline.World, cfg Config) *Cluster {
	cfg, err := cfg.complete()
	if err != nil {
		w.Sim().Misuse(err)
		return nil
	}
	c := &Cluster{
		cfg: cfg, world: w, names: cfg.nodes(), ids: map[string]uint64{},
		restarts: kernel.Seq{Stream: w.Sim().Stream("raft/restart")},
	}
	for i, name := range c.names {
		c.ids[name] = uint64(i + 1)
	}
	c.mode = drawMode(w.Rand("raft-mode"), &cfg)
	w.Describe(fmt.Sprintf("raft: %d voters, %d spares, %v", cfg.Nodes, cfg.Spares, c.mode))
	c.first = firstSnapshot(cfg.Nodes, cfg.Machine())
	c.conf, c.confIndex = c.first.GetMetadata().GetConfState(), firstIndex
	c.addServers()
	c.ledger, c.raft = newLedger(c), newRaftChecks(c, cfg.Off)
	for _, o := range append([]Observer{c.ledger, newAudit(c), c.raft}, cfg.Observers...) {
		c.observers.add(o)
	}
	c.addChecks()
	c.addClients()
	return c
}

// firstIndex is the index of the snapshot that the voters begin with.
const firstIndex = 1

// firstSnapshot is what the first voters have in their store: an empty state
// machine and the configuration, as each of them would make it itself.
func firstSnapshot(voters int, m StateMachine) *raftpb.Snapshot {
	empty := newReplicated(m, &Bugs{})
	empty.index = firstIndex
	conf := &raftpb.ConfState{AutoLeave: new(false)}
	for i := range voters {
		conf.Voters = append(conf.Voters, uint64(i+1))
	}
	return &raftpb.Snapshot{Data: empty.snapshot(), Metadata: &raftpb.SnapshotMetadata{
		ConfState: conf, Index: new(uint64(firstIndex)), Term: new(uint64(1)),
	}}
}

func (c *Cluster) addServers() {
	c.programs, c.members = make([]*Replica, len(c.names)), make([]bool, len(c.names))
	for i, name := range c.names {
		c.members[i] = i < c.cfg.Nodes
		n := c.world.Server(name, func(n *faultline.Node) kernel.Handler { return newReplica(c, n) })
		c.nodes = append(c.nodes, n)
		n.Watch(c)
		first := c.first
		if i >= c.cfg.Nodes {
			first = nil
		}
		if err := c.cfg.Store.Format(n, first); err != nil {
			c.world.Sim().Misuse(fmt.Errorf("etcdraft: the store of %s cannot be made: %w", name, err))
		}
	}
	c.world.Role("leader", func(n *faultline.Node) bool {
		r, ok := faultline.Program[*Replica](n)
		return ok && r.role == raft.StateLeader
	})
}

// Names returns the names of the servers; the one with raft ID i is at i-1.
func (c *Cluster) Names() []string { return c.names }

// Nodes returns the servers; the one with raft ID i is at i-1.
func (c *Cluster) Nodes() []*faultline.Node { return c.nodes }

// Mode returns the mode of the run.
func (c *Cluster) Mode() *Mode { return c.mode }

// World returns the world that the cluster is in.
func (c *Cluster) World() *faultline.World { return c.world }

// Replica returns the running program of the server with a raft ID; false
// while it is down, recovers or refuses to start.
func (c *Cluster) Replica(id uint64) (*Replica, bool) {
	if id < 1 || id > uint64(len(c.nodes)) {
		return nil, false
	}
	r, ok := faultline.Program[*Replica](c.nodes[id-1])
	return r, ok && r.rn != nil
}

// Leader returns the leader of the highest term; false if there is none.
func (c *Cluster) Leader() (*Replica, bool) {
	var best *Replica
	for i := range c.nodes {
		r, ok := c.Replica(uint64(i + 1))
		if ok && r.role == raft.StateLeader && (best == nil || r.rn.BasicStatus().GetTerm() > best.rn.BasicStatus().GetTerm()) {
			best = r
		}
	}
	return best, best != nil
}

// Conf returns the newest configuration that was applied anywhere.
func (c *Cluster) Conf() *raftpb.ConfState { return c.conf }

// Violated fails the run in the name of a check. Observers report with it; r is
// the replica where it was seen, and may be nil.
func (c *Cluster) Violated(check string, r *Replica, format string, args ...any) {
	f := kernel.Failure{Kind: kernel.KindInvariant, Check: check, Message: fmt.Sprintf(format, args...)}
	if r != nil {
		f.Node = r.node.Name()
	}
	c.world.Sim().Fail(f)
}

// restartLater starts a node that is about to crash by itself, after a while,
// as a supervisor does.
func (c *Cluster) restartLater(n *faultline.Node) {
	wait := time.Duration(c.restarts.Between(int64(50*time.Millisecond), int64(500*time.Millisecond)))
	c.world.Sim().After(wait, func() {
		if n.State() == kernel.Down {
			n.Start()
		}
	})
}

// NodeChanged hears of starts and stops of the servers.
func (c *Cluster) NodeChanged(n *kernel.Node, change kernel.Change) {
	if change != kernel.Killed && change != kernel.PowerLost {
		return
	}
	id := c.ids[n.Name()]
	c.raft.nodes[id-1].Crashed()
	if r := c.programs[id-1]; r != nil && r.rn != nil {
		c.meetIf(r.ready.busy, crashBeforeAdvance)
		c.meetIf(len(r.append.queue)+len(r.saving) > 0, crashWithAppends)
		c.meetIf(len(r.apply.queue) > 0, crashWithApplies)
	}
	for _, other := range c.nodes {
		if other.Alive() {
			return
		}
	}
	c.meet(allDown)
}

// confChanged hears of every configuration that a node has applied.
func (c *Cluster) confChanged(index uint64, conf *raftpb.ConfState) {
	if index <= c.confIndex {
		return
	}
	c.confIndex, c.conf = index, conf
}

// isMember reports whether a node is in a configuration, in any part.
func isMember(conf *raftpb.ConfState, id uint64) bool {
	return slices.Contains(conf.GetVoters(), id) || slices.Contains(conf.GetVotersOutgoing(), id) ||
		slices.Contains(conf.GetLearners(), id) || slices.Contains(conf.GetLearnersNext(), id)
}
