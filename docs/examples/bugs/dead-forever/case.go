package deadforever

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script cuts n2 off, so that it is taken
// for dead and denies it later, and then kills it for long enough to be taken
// for dead again.
func Case() bugs.Case {
	n2 := fault.Target{Nodes: []string{"n2"}}
	return bugs.Case{
		Name:    "dead-forever",
		Report:  "[memberlist 311](https://github.com/hashicorp/memberlist/issues/311)",
		Needs:   "kill; isolated nodes or loss",
		Check:   "every member is alive to all",
		Options: faultline.Options{Duration: 5 * time.Second, QuietFor: 2 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{
			{Kind: fault.Isolate, Target: n2, At: 200 * time.Millisecond, For: 800 * time.Millisecond},
			{Kind: fault.Kill, Target: n2, At: 2 * time.Second, For: 800 * time.Millisecond},
		},
		Story:  []string{"n2", "kill", "isolate"},
		Within: 50,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3", "n4", "n5", "n6"}
	servers := w.Servers(6, func(n *faultline.Node) kernel.Handler { return newMember(n, names, mended) })
	w.Eventually("every member is alive to all", 2*time.Second, func() error {
		for _, n := range servers {
			m, ok := faultline.Program[*member](n)
			if !ok {
				return fmt.Errorf("%s is down", n.Name())
			}
			for _, f := range m.others {
				if f.Dead {
					return fmt.Errorf("%s takes %s for dead in incarnation %d", n.Name(), f.Name, f.Incarnation)
				}
			}
		}
		return nil
	})
}
