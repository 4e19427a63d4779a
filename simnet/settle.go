package simnet

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// SettleBy makes what is sent before a moment, and held up beyond its link's
// latency, arrive by then: late copies, delays, holds and queues for a
// bandwidth. A test that asks for liveness from that moment on must not be
// disturbed by the past: heartbeats of a leader that has crashed, in a queue of
// many seconds, keep its followers from electing another one. The records of
// delays say how long they would have been. 0, as at the start, is no such
// moment.
func (n *Network) SettleBy(at kernel.Time) { n.settle = at }

// settled returns when a message arrives that would arrive at a time of which
// extra is what it is held up.
func (n *Network) settled(at kernel.Time, extra time.Duration) kernel.Time {
	if n.settle == 0 || at <= n.settle || n.sim.Now() >= n.settle {
		return at
	}
	return max(at.Add(-extra), n.settle)
}
