package revivedreplica

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. The script holds up the first message of c1,
// which is the one to join, and is repeated.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "revived-replica",
		Report:  "[RethinkDB 5289](https://github.com/rethinkdb/rethinkdb/issues/5289)",
		Needs:   "a message that is held up, or repeated late",
		Check:   "a member never comes back with less",
		Options: faultline.Options{Duration: 4 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.HoldMessage, Target: fault.Target{Nodes: []string{"c1"}}, Amount: 300 * time.Millisecond, For: time.Second,
		}},
		Story:  []string{"n1", "hold-message", "add(m1)"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	servers := w.Servers(3, func(n *faultline.Node) kernel.Handler { return newReplica(n, mended) })
	w.Client("c1", administrate)

	most := map[string]int{} // the longest log that each member has had
	w.Invariant("a member never comes back with less", func(n *faultline.Node) error {
		r, ok := faultline.Program[*replica](n)
		if !ok || r.shown.Member == "" {
			return nil
		}
		if was := most[r.shown.Member]; r.shown.Length < was {
			return fmt.Errorf("c1 add(%s) made %s a member that had %d records; it is that member again and has %d",
				r.shown.Member, n.Name(), was, r.shown.Length)
		}
		most[r.shown.Member] = r.shown.Length
		return nil
	}, servers...)
}

// administrate makes each replica a member in turn, gives it records, and
// removes it again.
func administrate(c *faultline.Client) {
	a := admin{Client: c}
	for epoch := 1; ; epoch += 2 {
		c.Sleep(20 * time.Millisecond)
		server, member := fmt.Sprint("n", epoch/2%3+1), fmt.Sprint("m", epoch/2+1)
		a.do("add", member, server, join{epoch, member})
		for i := 1; i <= 3; i++ {
			a.do("put", fmt.Sprint(member, "/", i), server, put{member, i})
		}
		a.do("remove", member, server, leave{epoch + 1})
	}
}

// admin is the administrator's place in its work.
type admin struct {
	*faultline.Client
	requests int
}

// do makes an operation, and repeats it until it has tried often enough.
func (a *admin) do(what, about, server string, body any) {
	op := a.Invoke(what, about)
	a.requests++
	for range 5 {
		op.Attempt(server)
		if _, ok := bugs.Call(a.Client, server, a.requests, body, 40*time.Millisecond); ok {
			op.OK(nil)
			return
		}
	}
	op.Unknown("no answer")
}
