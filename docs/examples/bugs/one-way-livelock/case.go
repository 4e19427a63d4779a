package onewaylivelock

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// bound is how long puts may fail while n2 reaches a majority.
const bound = 1500 * time.Millisecond

// Case returns the bug as a test. The script cuts what n2, which holds the
// lease, sends to n1, which leads.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "one-way-livelock",
		Report:  "[CockroachDB 92089](https://github.com/cockroachdb/cockroach/issues/92089)",
		Needs:   "one-way cut between two of three",
		Check:   "puts go on",
		Options: faultline.Options{Duration: 8 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.OneWay, Target: fault.Target{Nodes: []string{holder}}, Peers: []string{"n1"},
			At: 500 * time.Millisecond, For: 4 * time.Second,
		}},
		Story:  []string{"one-way on n2", "put("},
		Rules:  rules(),
		Aimed:  "only one-way cuts, each between two servers: with others, puts may stop for good reasons",
		Within: 50,
	}
}

// rules cuts each link between servers, one way, now and then.
func rules() fault.Rules {
	var out fault.Rules
	for _, from := range []string{"n1", "n2", "n3"} {
		for _, to := range []string{"n1", "n2", "n3"} {
			if from != to {
				out = append(out, fault.Rule{
					Name: from + "-" + to, Kind: fault.OneWay, Weight: 50, Every: 6 * time.Second,
					For:    fault.Span{Min: 500 * time.Millisecond, Max: 4 * time.Second},
					Target: fault.Target{Nodes: []string{from}}, Peers: []string{to},
				})
			}
		}
	}
	return out
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	w.Servers(3, func(n *faultline.Node) kernel.Handler { return newServer(n, bugs.Others(names, n.Name()), mended) })
	value, since := "", time.Duration(0) // what is put, and since when it could have been done
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
			since = c.Sim().Now().Sub(0)
		}
	})
	w.Invariant("puts go on", func(*faultline.Node) error {
		now := w.Sim().Now().Sub(0)
		if !w.Net().CanReachQuorum(holder, names) {
			since = now
		}
		if now-since > bound {
			return fmt.Errorf("none has succeeded since %v, and %s reaches a majority; c1 put(%s) is the one that waits", since, holder, value)
		}
		return nil
	}, c1)
}
