package faultline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// increment asks the server to count; id makes a retry recognisable.
type increment struct {
	Client string
	ID     int
}

// counter counts increments. It keeps the last one of each client, so that a
// retry, or a copy that the network made, is not counted twice.
type counter struct {
	kernel.Idle
	node  *faultline.Node
	last  map[string]int
	total int
}

func (c *counter) Receive(from string, msg any) {
	in := msg.(increment)
	if c.last[in.Client] < in.ID {
		c.last[in.Client] = in.ID
		c.total++
	}
	c.node.Send(from, in.ID)
}

// TestCounter runs twenty seeds, each with its own faults of the network.
func TestCounter(t *testing.T) {
	faultline.Run(t, faultline.Options{Duration: 5 * time.Second}, func(w *faultline.World) {
		server := w.Server("server", func(n *faultline.Node) kernel.Handler {
			return &counter{node: n, last: map[string]int{}}
		})
		acknowledged := 0
		for _, name := range []string{"alice", "bob"} {
			w.Client(name, func(c *faultline.Client) {
				for id := 1; ; id++ {
					op := c.Invoke("increment", id)
					for done := false; !done; { // retry until it is answered
						op.Attempt("server")
						c.Send("server", increment{name, id})
						done = c.Await(50*time.Millisecond, func(_ string, reply any) bool { return reply == id })
					}
					op.OK(id)
					acknowledged++
					c.Sleep(20 * time.Millisecond)
				}
			})
		}
		w.Faults(fault.Default().Only(fault.Partition, fault.Isolate, fault.Loss, fault.Duplicate, fault.Delay, fault.Pause))

		w.Invariant("counts what it acknowledged", func(n *faultline.Node) error {
			total := acknowledged
			if c, up := faultline.Program[*counter](server); up {
				total = c.total
			}
			if total < acknowledged || total > acknowledged+2 { // each client has one open
				return fmt.Errorf("the server counted %d, clients saw %d done", total, acknowledged)
			}
			return nil
		})
		before := -1
		w.Eventually("clients make progress", time.Second, func() error {
			if before < 0 {
				before = acknowledged
			}
			if acknowledged < before+2 {
				return fmt.Errorf("%d increments done, %d before the faults were over", acknowledged, before)
			}
			return nil
		})
		w.Sometimes("a retry", func() bool { return w.Net().Stats().Lost() > 0 })
	})
}
