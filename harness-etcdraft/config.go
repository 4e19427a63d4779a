package etcdraft

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
)

// Config says what cluster is built and what is done with it. The zero value
// is three voters and three clients of a key-value store.
type Config struct {
	// Nodes is the number of voters that the cluster begins with. 0 means 3.
	Nodes int
	// Spares is how many more servers there are, outside of the configuration
	// at first and with empty disks. 0 means 2 if Membership is set, else none.
	Spares int
	// Membership makes the administrator change the configuration: learners,
	// voters, simple and joint changes, replacements.
	Membership bool
	// NoAdmin leaves the administrator out, who otherwise transfers leadership,
	// makes nodes forget their leader, and starts elections.
	NoAdmin bool
	// Clients is the number of clients. 0 means 3, negative none.
	Clients int
	// Workload is the program of the clients. Nil means puts, gets,
	// compare-and-swaps and deletes of a few keys, which needs the key-value
	// store as Machine.
	Workload func(s *Session)
	// Machine makes the state machine of a node. Nil means the key-value store.
	Machine func() StateMachine
	// Store opens what a node keeps on its disk. Nil means the package wal.
	Store StoreOpener
	// LeaseReads lets seeds draw raft's ReadOnlyLeaseBased. Such reads are
	// stale when clocks drift or processes pause, so nothing that the default
	// faults do is safe with them.
	LeaseReads bool
	// Tune, if not nil, changes the mode that was drawn from the seed. The
	// mode is shown as it is afterwards.
	Tune func(m *Mode)
	// Faults are the random faults of [Test]. Nil means those of [Faults] and of
	// [Cluster.AimFaults].
	Faults fault.Rules
	// Liveness is how long after the faults are over a leader must be there,
	// writes must succeed and every member must be up to date. 0 means 2
	// seconds. The quiet phase of the run must be that long.
	Liveness time.Duration
	// Off switches checks of raft's properties off. The zero value checks them
	// all.
	Off raftcheck.Set
	// Bugs plants mistakes.
	Bugs Bugs
	// Observers are told of everything that happens on the nodes.
	Observers []Observer

	rests bool // the clients stop at the end
}

const (
	defaultNodes    = 3
	defaultSpares   = 2
	defaultClients  = 3
	defaultLiveness = 2 * time.Second
	maxNodes        = 64
)

// complete fills in the defaults and reports what makes no sense.
func (c Config) complete() (Config, error) {
	if c.Nodes == 0 {
		c.Nodes = defaultNodes
	}
	if c.Spares == 0 && c.Membership {
		c.Spares = defaultSpares
	}
	if c.Clients == 0 {
		c.Clients = defaultClients
	}
	if c.Liveness == 0 {
		c.Liveness = defaultLiveness
	}
	switch {
	case c.Nodes < 1 || c.Nodes > maxNodes:
		return c, fmt.Errorf("etcdraft: Config.Nodes is %d; it must be from 1 to %d", c.Nodes, maxNodes)
	case c.Spares < 0 || c.Spares > maxNodes:
		return c, fmt.Errorf("etcdraft: Config.Spares is %d; it must be from 0 to %d", c.Spares, maxNodes)
	case c.Liveness < 0:
		return c, fmt.Errorf("etcdraft: Config.Liveness is %v; it must not be negative", c.Liveness)
	case c.Machine != nil && c.Workload == nil && c.Clients > 0:
		return c, fmt.Errorf("etcdraft: Config.Machine is set and Workload is not; the built-in clients speak to the key-value store only: set Workload, or Clients to -1")
	}
	if c.Machine == nil {
		c.Machine = func() StateMachine { return NewKV() }
	}
	if c.Workload == nil {
		c.Workload, c.rests = func(s *Session) { kvWorkload(s) }, c.Clients > 0
	}
	if c.Store == nil {
		c.Store = walOpener{}
	}
	if c.Faults == nil {
		c.Faults = Faults()
	}
	return c, nil
}

// nodes returns the names of all servers; server i has the raft ID i+1.
func (c Config) nodes() []string {
	var names []string
	for i := range c.Nodes + c.Spares {
		names = append(names, fmt.Sprintf("n%d", i+1))
	}
	return names
}
