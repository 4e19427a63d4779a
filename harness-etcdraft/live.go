package etcdraft

import (
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/tracker"
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
	c.leaveOut(quiet)
	w.Eventually("P22 a leader is there", c.cfg.Liveness, c.led)
	if c.cfg.Clients > 0 && !c.mode.Silent {
		w.Eventually("P22 a write succeeds", c.cfg.Liveness, func() error { return c.writes(quiet) })
	}
	target := uint64(0)
	w.Eventually("P22 every member catches up", c.cfg.Liveness, func() error { return c.caughtUp(&target) })
	if c.cfg.rests || c.mode.Silent {
		w.Eventually("P22 the cluster comes to rest", c.cfg.Liveness, c.atRest)
	}
}

// calm reports whether the faults are over.
func (c *Cluster) calm() bool {
	quiet, ok := c.world.QuietAt()
	return ok && c.ledger.now() >= quiet
}

// settled reports whether the last quarter of the time has come that the cluster
// has to become live: nobody disturbs it any more, and it must be at rest.
func (c *Cluster) settled() bool {
	quiet, ok := c.world.QuietAt()
	return ok && c.ledger.now() >= quiet+c.cfg.Liveness*3/4
}

// resting reports whether the built-in clients are to stop: after a quarter of
// the time that the cluster has to become live, once a write has succeeded; if
// the mode is silent, when the faults are over. What is left to do then must be
// done without them.
func (c *Cluster) resting() bool {
	if c.mode.Silent {
		return c.calm()
	}
	quiet, ok := c.world.QuietAt()
	return ok && c.ledger.now() >= quiet+c.cfg.Liveness/4 && c.ledger.lastDone >= quiet
}

// atRest reports what is left to do in a cluster that nobody asks anything.
func (c *Cluster) atRest() error {
	if !c.resting() {
		return notYet{c, "clients are still at work"}
	}
	if !c.settled() {
		return notYet{c, "it is not asked yet"}
	}
	if err := c.raft.checker.Live(); err != nil {
		return notYet{c, err.Error()}
	}
	for i := range c.nodes {
		if r, ok := c.Replica(uint64(i + 1)); ok && isMember(c.conf, r.id) && r.readWaits() {
			return notYet{c, c.names[i] + " asks raft for a ReadIndex again and again and is not answered"}
		}
	}
	c.meet(noTraffic)
	return nil
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
		if !isMember(c.conf, id) || c.isMissing(id) || c.programs[i] != nil && c.programs[i].refused {
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
			if s.RaftState == raft.StateLeader {
				text += r.followers()
			}
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, "; ") + "; " + confText(c.conf)
}

// followers tells what the leader takes its followers for.
func (r *Replica) followers() string {
	text := ", log up to " + fmt.Sprint(r.log.last())
	r.rn.WithProgress(func(id uint64, _ raft.ProgressType, p tracker.Progress) {
		if id == r.id || id > uint64(len(r.c.names)) {
			return
		}
		text += fmt.Sprintf(", %s matches to %d (%v, next %d", r.c.names[id-1], p.Match, p.State, p.Next)
		if p.State == tracker.StateSnapshot {
			text += fmt.Sprintf(", snapshot %d pending", p.PendingSnapshot)
		}
		text += ")"
	})
	return text
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
