package etcdraft

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
)

// addChecks adds what must hold at the end and what must happen when the faults
// are over.
func (c *Cluster) addChecks() {
	w := c.world
	w.Final(checkSurvive, c.ledger.survived)
	w.Final(checkOrder, c.ledger.inOrder)
	w.Final(checkConverge, c.ledger.converged)
	w.Sometimes("a second leader is elected", func() bool { return c.elections > 1 })
	quiet, ok := w.QuietAt()
	if !ok || c.mode.SafetyOnly {
		return
	}
	if c.mode.MinorityDown {
		w.Sim().At(kernel.Time(quiet)+1, c.takeMinority)
	}
	w.Eventually("P22 a leader is there", c.cfg.Liveness, c.led)
	if c.mode.Silent || c.cfg.builtin {
		w.Eventually("P22 the cluster comes to rest without writes", c.cfg.Liveness, c.atRest)
	}
	if !c.mode.Silent && c.cfg.Clients > 0 {
		w.Eventually("P22 a write succeeds", c.cfg.Liveness, func() error { return c.writes(quiet) })
	}
	target := uint64(0)
	w.Eventually("P22 every member catches up", c.cfg.Liveness, func() error { return c.caughtUp(&target) })
}

// led reports that no member of the newest configuration leads.
func (c *Cluster) led() error {
	if r, ok := c.Leader(); ok && isMember(c.conf, r.id) {
		return nil
	}
	return notYet{c, "nobody leads"}
}

// notYet says what has not happened yet. It describes the cluster only when it
// is asked to, because it is made after every event.
type notYet struct {
	c    *Cluster
	what string
}

func (e notYet) Error() string { return e.what + "; " + e.c.describe() }

// quarters returns how much of the time that the cluster has to become live is
// over, in quarters: 0 to 4, negative while there are faults.
func (c *Cluster) quarters() int {
	at, ends := c.world.QuietAt()
	if passed := c.ledger.now() - at; ends && passed >= 0 {
		return int(min(passed*4/c.cfg.Liveness, 4))
	}
	return -1
}

// over reports whether clients are to stop: with Mode.Silent when the faults
// are over, else a quarter of the time later, when a write has succeeded.
func (c *Cluster) over() bool {
	at, _ := c.world.QuietAt()
	return c.mode.Silent && c.quarters() >= 0 || c.quarters() >= 1 && c.ledger.lastDone >= at
}

// atRest reports what is missing until the cluster is in order behind one
// leader; it needs no writes. It is asked in the last quarter, in which nobody
// disturbs the cluster.
func (c *Cluster) atRest() error {
	if c.quarters() < 3 {
		return notYet{c, "it has not been asked"}
	}
	if err := c.raft.checker.Live(); err != nil {
		return notYet{c, err.Error()}
	}
	c.meet(noTraffic)
	return nil
}

// quiet reports whether the faults are over.
func (c *Cluster) quiet() bool {
	at, ends := c.world.QuietAt()
	return ends && c.world.Sim().Now() >= kernel.Time(at)
}

// settled reports whether a minority is down for good.
func (c *Cluster) settled() bool { return slices.Contains(c.down, true) }

// takeMinority stops some voters for good, fewer than half. Where members
// change it does so only if everything that could change them is applied: else
// nobody can say what a majority is.
func (c *Cluster) takeMinority() {
	if leader, led := c.Leader(); c.cfg.Membership && (!led || !leader.settledConf()) {
		return
	}
	voters := slices.Clone(c.conf.GetVoters())
	q := kernel.Seq{Stream: c.world.Sim().Stream("raft/minority")}
	for i := range voters {
		j := i + int(q.Below(uint64(len(voters)-i)))
		voters[i], voters[j] = voters[j], voters[i]
	}
	most := (len(voters) - 1) / 2
	if most > 1 && (!c.mode.PreVote || c.mode.Rolling && !c.mode.KeepPreVote) {
		most-- // see the comment at Mode.MinorityDown
	}
	for _, id := range voters[:most] {
		c.down[id-1] = true
		c.nodes[id-1].Kill()
		c.meet(minorityDown)
	}
}

// settledConf reports whether a leader has applied everything that it has, and
// is in no joint configuration.
func (r *Replica) settledConf() bool {
	return r.newest == r.status.Term && len(r.conf.GetVotersOutgoing()) == 0 && r.applied == r.log.last() && r.changing == 0 && !r.ready.busy && len(r.append.queue) == 0
}

// writes reports that no write that was called since then was acknowledged.
func (c *Cluster) writes(since time.Duration) error {
	if c.ledger.lastDone >= since {
		return nil
	}
	return notYet{c, "no write that was called since then is acknowledged"}
}

// caughtUp reports a member that has not applied what was committed when the
// faults were over.
func (c *Cluster) caughtUp(target *uint64) error {
	if *target == 0 {
		for i := range c.nodes {
			if r, ok := c.Replica(uint64(i + 1)); ok {
				*target = max(*target, r.rn.BasicStatus().GetCommit())
			}
		}
	}
	for i := range c.nodes {
		id := uint64(i + 1)
		if !isMember(c.conf, id) || c.down[i] || c.programs[i] != nil && c.programs[i].refused {
			continue
		}
		if r, ok := c.Replica(id); !ok || r.applied < *target {
			return behind{notYet{c, c.names[i]}, *target}
		}
	}
	return nil
}

// behind says that a member has not applied an entry yet.
type behind struct {
	notYet
	target uint64
}

func (e behind) Error() string {
	return fmt.Sprintf("%s has not applied entry %d, which was committed when the faults were over; %s", e.what, e.target, e.c.describe())
}

// describe says what every server is doing.
func (c *Cluster) describe() string {
	var parts []string
	for i, n := range c.nodes {
		text := n.Name() + " "
		r, running := faultline.Program[*Replica](n)
		switch {
		case !running:
			text += "is " + n.State().String()
		case r.rn == nil:
			text += "recovers, or refuses to start"
		default:
			s := r.rn.BasicStatus()
			text += fmt.Sprintf("is a %s of term %d, commit %d, applied %d", roleName(s.RaftState), s.GetTerm(), s.GetCommit(), r.applied)
			if s.Lead != raft.None && s.RaftState != raft.StateLeader {
				text += fmt.Sprintf(", follows %d", s.Lead)
			}
			if !isMember(c.conf, uint64(i+1)) {
				text += ", not a member"
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "; " + confText(c.conf)
}

// addClients adds the clients and the administrator.
func (c *Cluster) addClients() {
	for i := range max(c.cfg.Clients, 0) {
		c.world.Client(fmt.Sprintf("c%d", i+1), func(cl *faultline.Client) { c.cfg.Workload(c.NewSession(cl)) })
	}
	if !c.cfg.NoAdmin {
		c.world.Client("admin", c.admin)
	}
}
