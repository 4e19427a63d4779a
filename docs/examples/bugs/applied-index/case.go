package appliedindex

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script kills n2 right after a commit.
// Puts come faster than they are applied, so that it always is applying one.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "applied-index",
		Report:  "[etcd 13766](https://github.com/etcd-io/etcd/issues/13766)",
		Needs:   "kill; tasks of a node that interleave",
		Check:   "equal index, equal state",
		Options: faultline.Options{Duration: 4 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.Kill, When: fault.Trigger{Point: "committed", Node: "n2", Nth: 5}, For: 50 * time.Millisecond,
		}},
		Story:  []string{"n2", "kill", "put(e"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	agreed := &log{}
	w.Node("log", func(n *faultline.Node) kernel.Handler { agreed.node = n; return agreed })
	servers := w.Servers(3, func(n *faultline.Node) kernel.Handler { return newReplica(n, mended) })
	w.Client("c1", putEntries)

	judged := map[*replica]int{} // up to which index
	w.Invariant("equal index, equal state", func(n *faultline.Node) error {
		r, ok := faultline.Program[*replica](n)
		if !ok || r.applied == judged[r] {
			return nil
		}
		judged[r] = r.applied
		for i, v := range agreed.values[:r.applied] {
			if i >= len(r.backend.Values) || r.backend.Values[i] != v {
				return fmt.Errorf("%s has applied %d entries, and does not have c1 put %s", n.Name(), r.applied, v)
			}
		}
		return nil
	}, servers...)
}

// putEntries puts e1, e2, … into the log, whatever becomes of them.
func putEntries(c *faultline.Client) {
	for i := 1; ; {
		c.Sleep(5 * time.Millisecond)
		value := fmt.Sprint("e", i)
		op := c.Invoke("put", value)
		if _, ok := bugs.Call(c, "log", i, value, 50*time.Millisecond); ok {
			op.OK(nil)
			i++
		} else {
			op.Unknown("no answer")
		}
	}
}
