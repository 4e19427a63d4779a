package clockbackids

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script kills the server for 50 ms, and
// sets its clock back meanwhile.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "clock-back-ids",
		Report:  "[snowflake 20](https://github.com/bwmarrin/snowflake/issues/20)",
		Needs:   "wall clock set back while the node is down",
		Check:   "identifiers are unique",
		Options: faultline.Options{Duration: 5 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{
			{Kind: fault.ClockStepDown, Target: fault.Target{Nodes: []string{"n1"}}, At: time.Second, For: 50 * time.Millisecond, Amount: -800 * time.Millisecond},
		},
		Story:  []string{"n1", "clock-step-down", "take"},
		Within: 50,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Server("n1", func(n *faultline.Node) kernel.Handler { return newSource(n, mended) })
	w.Client("c1", take)
	w.Final("identifiers are unique", func() error {
		taken := map[string]*history.Operation{}
		for op := range w.History().All() {
			if op.Status != history.OK {
				continue
			}
			if first := taken[op.Output.(string)]; first != nil {
				return fmt.Errorf("%v; and again %v", first, op)
			}
			taken[op.Output.(string)] = op
		}
		return nil
	})
}

// take asks for one identifier after another.
func take(c *faultline.Client) {
	for i := 1; ; i++ {
		op := c.Invoke("take", fmt.Sprint("#", i))
		if id, ok := bugs.Call(c, "n1", i, nil, 50*time.Millisecond); ok {
			op.OK(id)
		} else {
			op.Unknown("no answer")
		}
	}
}
