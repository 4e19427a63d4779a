package faileddiskleader

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// bound is how long puts may fail while a majority is well: some ten elections.
const bound = 1500 * time.Millisecond

// Case returns the bug as a test. In the script the disk of whoever leads fails
// half a second after the start, and stays so.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "failed-disk-leader",
		Report:  "[hashicorp/raft 614](https://github.com/hashicorp/raft/issues/614)",
		Needs:   "syncs of one node that fail for long",
		Check:   "puts go on",
		Options: faultline.Options{Duration: 8 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.SyncFail, Target: fault.Target{Group: "servers", Role: "leader"}, At: 500 * time.Millisecond, For: 4 * time.Second,
		}},
		Story: []string{"sync-fail on n", "put("},
		Rules: fault.Rules{{
			Kind: fault.SyncFail, Every: 3 * time.Second, For: fault.Span{Min: 500 * time.Millisecond, Max: 4 * time.Second},
			Target: fault.Target{Nodes: []string{"n1"}}, Profiles: []string{"drop-dirty", "keep-dirty"},
		}},
		Aimed:  "only failed syncs, of one node and for seconds: with others, puts may stop for good reasons",
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	w.Servers(3, func(n *faultline.Node) kernel.Handler { return newServer(n, bugs.Others(names, n.Name()), mended) })
	w.Role("leader", func(n *faultline.Node) bool {
		s, ok := faultline.Program[*server](n)
		return ok && s.leader == n.Name()
	})
	u := &user{names: names}
	c1 := w.Client("c1", u.run)
	w.Invariant("puts go on", func(*faultline.Node) error {
		if now := w.Sim().Now().Sub(0); now-u.done > bound {
			return fmt.Errorf("none has succeeded since %v; c1 put(%s) is the one that waits", u.done, u.value)
		}
		return nil
	}, c1)
}

// user is the program of the client.
type user struct {
	names []string
	value string        // what it puts
	done  time.Duration // when the last put succeeded
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
		u.done = c.Sim().Now().Sub(0)
	}
}
