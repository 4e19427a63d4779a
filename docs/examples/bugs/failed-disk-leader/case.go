package faileddiskleader

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// most is how often in a row the same server may be elected without a put in
// between.
const most = 10

// Case returns the bug as a test. In the script the disk of whoever leads fails
// half a second after the start, and stays so.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "failed-disk-leader",
		Report:  "[hashicorp/raft 614](https://github.com/hashicorp/raft/issues/614)",
		Needs:   "syncs of one node that fail for long",
		Check:   "puts go on",
		Options: faultline.Options{Duration: 12 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.SyncFail, Target: fault.Target{Group: "servers", Role: "leader"}, At: 500 * time.Millisecond, For: 4 * time.Second,
		}},
		Story:  []string{"sync-fail on n", "put("},
		Within: 100,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	w.Servers(3, func(n *faultline.Node) kernel.Handler { return newServer(n, bugs.Others(names, n.Name()), mended) })
	w.Role("leader", func(n *faultline.Node) bool {
		s, ok := faultline.Program[*server](n)
		return ok && s.leader == n.Name()
	})
	w.Points("elected")
	u := &user{names: names}
	w.Client("c1", u.run)
	term, leader, times, puts := 0, "", 0, 0 // who was elected last, how often in a row, and the puts before
	w.Invariant("puts go on", func(n *faultline.Node) error {
		if n == nil {
			return nil
		}
		s, ok := faultline.Program[*server](n)
		if !ok || s.leader != n.Name() || s.term == term && n.Name() == leader {
			return nil
		}
		if n.Name() != leader || u.puts != puts {
			leader, times, puts = n.Name(), 0, u.puts
		}
		if term, times = s.term, times+1; times > most {
			return fmt.Errorf("%s is elected for the %dth time in a row, and none has succeeded in between; c1 put(%s) is the one that waits", leader, times, u.value)
		}
		return nil
	})
}

// user is the program of the client.
type user struct {
	names []string
	value string // what it puts
	puts  int    // how many have succeeded
}

// run puts v1, v2, …, each until it succeeds.
func (u *user) run(c *faultline.Client) {
	at, id := "n1", 0
	for i := 1; ; i++ {
		c.Sleep(10 * time.Millisecond)
		u.value = fmt.Sprint("v", i)
		op := c.Invoke("put", u.value)
		for {
			id++
			op.Attempt(at)
			body, ok := bugs.Call(c, at, id, u.value, 60*time.Millisecond)
			no, isRefused := body.(refused)
			if ok && !isRefused {
				break
			}
			if at = no.Leader; at == "" {
				at = u.names[c.Rand().IntN(len(u.names))]
				c.Sleep(10 * time.Millisecond)
			}
		}
		op.OK(nil)
		u.puts++
	}
}
