package latecatchup

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script cuts n2 off for a while, so that it
// needs a catch-up, and holds up the first batch.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "late-catchup",
		Report:  "[NATS 7424](https://github.com/nats-io/nats-server/pull/7424)",
		Needs:   "a message that is held up",
		Check:   "confirmed entries stay",
		Options: faultline.Options{Duration: 4 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{
			{Kind: fault.Isolate, Target: fault.Target{Nodes: []string{"n2"}}, At: 200 * time.Millisecond, For: 300 * time.Millisecond},
			{Kind: fault.HoldMessage, Target: fault.Target{Nodes: []string{"n1"}}, Peers: []string{"n2"}, Message: "*batch",
				Amount: 80 * time.Millisecond, For: time.Second},
		},
		Story:  []string{"n2", "hold-message", "put(e"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	lead := &leader{}
	w.Node("n1", func(n *faultline.Node) kernel.Handler { lead.node = n; return lead })
	var followers []*faultline.Node
	for _, name := range []string{"n2", "n3"} {
		followers = append(followers, w.Server(name, func(n *faultline.Node) kernel.Handler { return newFollower(n, mended) }))
	}
	w.Client("c1", putEntries)

	most := map[string]int{} // how far each follower has confirmed
	w.Invariant("confirmed entries stay", func(n *faultline.Node) error {
		f, ok := faultline.Program[*follower](n)
		if !ok || f.confirmed == most[n.Name()] || f.confirmed == 0 {
			return nil
		}
		if was := most[n.Name()]; f.confirmed < was {
			return fmt.Errorf("%s had confirmed %d entries and has only %d of them; c1 put(%s) is the last one that it cut off",
				n.Name(), was, f.confirmed, lead.log[was-1].Value)
		}
		most[n.Name()] = f.confirmed
		return nil
	}, followers...)
}

// putEntries puts e1, e2, … one after another.
func putEntries(c *faultline.Client) {
	for i := 1; ; i++ {
		c.Sleep(5 * time.Millisecond)
		value := fmt.Sprint("e", i)
		op := c.Invoke("put", value)
		for {
			if _, ok := bugs.Call(c, "n1", i, value, 50*time.Millisecond); ok {
				break
			}
		}
		op.OK(nil)
	}
}
