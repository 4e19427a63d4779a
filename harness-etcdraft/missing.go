package etcdraft

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// leaveOut has a minority of the voters go down when the faults are over, for
// good: the others must go on without them. It is for clusters whose members do
// not change.
func (c *Cluster) leaveOut(quiet time.Duration) {
	if c.mode.Missing == 0 {
		return
	}
	c.missing = make([]bool, len(c.nodes))
	gone := c.world.Rand("raft-missing").Perm(c.cfg.Nodes)[:c.mode.Missing]
	c.world.Sim().At(kernel.Time(quiet), func() {
		for _, n := range c.nodes {
			if len(n.Disk().Injected()) > 0 {
				return // it may refuse to start, and be one too many
			}
		}
		for _, i := range gone {
			c.missing[i] = true
			c.meet(minorityDown)
			if c.nodes[i].Alive() {
				c.nodes[i].Kill()
			}
		}
	})
}

// isMissing reports whether a server stays down.
func (c *Cluster) isMissing(id uint64) bool { return c.missing != nil && c.missing[id-1] }
