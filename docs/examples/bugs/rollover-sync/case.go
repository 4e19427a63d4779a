package rolloversync

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script takes the power after the second
// flush: the first was in the first file, this one is in the second.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "rollover-sync",
		Report:  "[badger 153](https://github.com/dgraph-io/badger/issues/153)",
		Needs:   "power loss that keeps a later write and loses an earlier one in another file",
		Check:   "flushed records survive",
		Options: faultline.Options{Duration: 6 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.PowerLoss, When: fault.Trigger{Point: "flushed", Nth: 2},
			For: 20 * time.Millisecond, Profile: "lose-all",
		}},
		Story:  []string{"n1", "power-loss", "flush"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	w.Server("n1", func(n *faultline.Node) kernel.Handler { return newStore(n, mended) })
	w.Client("c1", useStore)
	bugs.AfterRecovery(w, "flushed records survive", func(n *faultline.Node, s *store) error {
		for op := range w.History().All() {
			if op.Function == "flush" && op.Status == history.OK && op.Output.(int) > s.count {
				return fmt.Errorf("%s: flush of %v records, acknowledged at %v: %s has only %d of them",
					op.Process, op.Output, op.Return.Time, n.Name(), s.count)
			}
		}
		return nil
	})
}

// useStore puts v1, v2, … and asks for a flush after every third.
func useStore(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		value := fmt.Sprint("v", i)
		name, input, ask := "put", value, any(put{value})
		if i%4 == 0 {
			name, input, ask = "flush", "", flush{}
		}
		op := c.Invoke(name, input)
		if answer, ok := bugs.Call(c, "n1", i, ask, 100*time.Millisecond); ok {
			op.OK(answer)
		} else {
			op.Unknown("no answer")
		}
	}
}
