package onewaylivelock

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// bound is how long puts may fail under one leader, and most how often.
const (
	bound = time.Second
	most  = 10 // proposals in that time
)

// Case returns the bug as a test. The script cuts what n2, which holds the
// lease, sends to n1, which leads.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "one-way-livelock",
		Report:  "[CockroachDB 92089](https://github.com/cockroachdb/cockroach/issues/92089)",
		Needs:   "one-way cut between two of three",
		Check:   "puts go on",
		Options: faultline.Options{Duration: 20 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.OneWay, Target: fault.Target{Nodes: []string{holder}}, Peers: []string{"n1"},
			At: 500 * time.Millisecond, For: 4 * time.Second,
		}},
		Story:  []string{"one-way cut n2→n1", "put("},
		Within: 200,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	nodes := w.Servers(3, func(n *faultline.Node) kernel.Handler { return newServer(n, bugs.Others(names, n.Name()), mended) })
	w.Role("leader", func(n *faultline.Node) bool {
		s, ok := faultline.Program[*server](n)
		return ok && s.leads()
	})
	w.Role("holder", func(n *faultline.Node) bool { return n.Name() == holder })
	w.Points("elected")
	value := ""     // what is put
	var stuck spell // since when it could have been done
	c1 := w.Client("c1", func(c *faultline.Client) {
		for i := 1; ; i++ {
			c.Sleep(10 * time.Millisecond)
			value = fmt.Sprint("v", i)
			op := c.Invoke("put", value)
			for {
				op.Attempt(holder)
				if _, ok := bugs.Call(c, holder, i, value, 60*time.Millisecond); ok {
					break
				}
			}
			op.OK(nil)
			stuck = spell{}
		}
	})
	w.Invariant("puts go on", func(*faultline.Node) error {
		now := w.Sim().Now().Sub(0)
		s, up := faultline.Program[*server](nodes[1])
		talks := w.Net().Open("c1", holder) && w.Net().Open(holder, "c1")
		if !up || !talks || slices.ContainsFunc(w.Active(), slows) || !w.Net().CanReachQuorum(holder, names) {
			stuck = spell{} // puts may stop for a good reason
			return nil
		}
		leads := slices.ContainsFunc(nodes, func(n *faultline.Node) bool {
			l, ok := faultline.Program[*server](n)
			return ok && l.leads() && l.term == s.term
		})
		if !leads || stuck.term != s.term || stuck.leader != s.leader {
			stuck = spell{s.term, s.leader, now, s.asked}
		}
		if asked := s.asked - stuck.asked; s.leader != "" && asked > most && now-stuck.since > bound {
			return fmt.Errorf("%s, which reaches a majority, has proposed in vain to %s %d times since %v; c1 put(%s) is the one that waits", holder, s.leader, asked, stuck.since, value)
		}
		return nil
	}, c1)
}

// spell is a time under one leader, as the holder sees it.
type spell struct {
	term   int
	leader string
	since  time.Duration
	asked  int // how often the holder had been asked before
}

// slows reports whether a fault is a good reason for puts to take long.
func slows(f fault.Fault) bool {
	switch f.Kind {
	case fault.Loss, fault.LossBurst, fault.CorruptMessage, fault.Bandwidth, fault.Latency, fault.Delay, fault.Flap, fault.Clog, fault.SwizzleClog, fault.SlowNode:
		return true
	}
	return false
}
