package catchupcommit

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. In the script
//
//   - n1, which leads, is cut off from the others and goes on taking puts;
//   - whoever is elected then is cut off in the same instant, with the first
//     entry of its term on its disk only;
//   - n1 comes back, wins the election that the third server cannot win, brings
//     it up to date, and is cut off as soon as it commits something.
//
// The one with the entry of the second term comes back and wins.
func Case() bugs.Case {
	servers := []string{"@servers"}
	return bugs.Case{
		Name:   "catchup-commit",
		Report: "[NATS 6944](https://github.com/nats-io/nats-server/pull/6944)",
		Needs:  "partitions around three elections",
		Check:  "committed entries survive",
		Options: faultline.Options{
			Duration: 7 * time.Second, QuietFor: 3 * time.Second, Unrestricted: true,
		},
		Setup: setup,
		Script: []fault.Fault{
			{Kind: fault.Isolate, Target: fault.Target{Nodes: []string{"n1"}}, Peers: servers, At: 500 * time.Millisecond, For: 700 * time.Millisecond},
			{Kind: fault.Isolate, When: fault.Trigger{Point: "elected", Nth: 2}, Peers: servers, For: 1200 * time.Millisecond},
			{Kind: fault.Isolate, When: fault.Trigger{Point: "committed", Node: "n1"}, Peers: servers, At: 1200 * time.Millisecond, For: 2 * time.Second},
		},
		Story:  []string{"n1", "isolate", "put(v"},
		Within: 50,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	w.Servers(3, func(n *faultline.Node) kernel.Handler { return newServer(n, bugs.Others(names, n.Name()), mended) })
	w.Role("leader", func(n *faultline.Node) bool {
		s, ok := faultline.Program[*server](n)
		return ok && s.leads
	})
	w.Points("elected", "committed")
	w.Client("c1", putValues)

	judged := 0 // the newest term whose leader was looked at
	w.Invariant("committed entries survive", func(n *faultline.Node) error {
		if n == nil {
			return nil
		}
		s, ok := faultline.Program[*server](n)
		if !ok || !s.leads || s.Term <= judged {
			return nil
		}
		judged = s.Term
		has := map[string]bool{}
		for _, e := range s.Log {
			has[e.Value] = true
		}
		who := fmt.Sprintf("%s, the leader of term %d,", n.Name(), s.Term)
		return bugs.Lost(w.History(), who, func(v string) bool { return has[v] })
	})
	quiet, _ := w.QuietAt()
	w.Eventually("a put succeeds", 3*time.Second, func() error {
		for op := range w.History().All() {
			if op.Status == history.OK && op.Return.Time > quiet {
				return nil
			}
		}
		return fmt.Errorf("none has since the faults were over")
	})
}

// putValues puts v1, v2, …, one every 25 ms whatever has become of the ones
// before, and goes to another server when one refuses.
func putValues(c *faultline.Client) {
	waiting := map[int]*faultline.Op{}
	server := 0
	for i := 1; ; i++ {
		value := fmt.Sprint("v", i)
		waiting[i] = c.Invoke("put", value)
		c.Send(fmt.Sprint("n", server+1), bugs.Request{ID: i, Body: value})
		until := c.Node().Monotonic() + 25*time.Millisecond
		for {
			_, msg, ok := c.RecvTimeout(until - c.Node().Monotonic())
			if !ok {
				break
			}
			r := msg.(bugs.Reply)
			op := waiting[r.ID]
			delete(waiting, r.ID)
			switch _, no := r.Body.(refused); {
			case op == nil: // a second answer
			case !no:
				op.OK(nil)
			default:
				op.Unknown("refused; but a copy may come to a leader")
				server = (server + 1) % 3
			}
		}
	}
}
