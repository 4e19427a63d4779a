package zombieleaserevoke

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

// margin is how much of a lease must have passed when it is revoked: clocks may
// be a tenth fast, and tick once a second only.
const margin = ttl * 4 / 10

// Case returns the bug as a test. In the script the disk of the leader becomes
// so slow that one sync takes longer than a lease.
func Case() bugs.Case {
	return bugs.Case{
		Name: "zombie-lease-revoke",
		Report: "[etcd 15247](https://github.com/etcd-io/etcd/issues/15247), " +
			"[etcd 12528](https://github.com/etcd-io/etcd/issues/12528)",
		Needs: "a sync that hangs",
		Check: "renewed leases live",
		Options: faultline.Options{
			Duration: 8 * time.Second,
			Disk:     simdisk.Config{Latency: simdisk.Latency{Sync: simdisk.Delay{Min: 10 * time.Millisecond, Max: 20 * time.Millisecond}}},
		},
		Setup: setup,
		Script: []fault.Fault{{
			Kind: fault.SlowDisk, Target: fault.Target{Group: "servers", Role: "leader"}, At: time.Second, For: time.Second, Rate: 300,
		}},
		Story:  []string{"slow-disk on n", "renew(l"},
		Within: 50,
	}
}

func setup(w *faultline.World, mended bool) {
	agreed := &raft{}
	node := w.Node("raft", func(n *faultline.Node) kernel.Handler { agreed.node = n; return agreed })
	w.Servers(3, func(n *faultline.Node) kernel.Handler { return newMember(n, mended) })
	w.Role("leader", func(n *faultline.Node) bool {
		m, ok := faultline.Program[*member](n)
		return ok && m.leads
	})
	for _, name := range []string{"c1", "c2"} {
		w.Client(name, keep)
	}
	judged := 0 // revocations that were looked at
	w.Invariant("renewed leases live", func(*faultline.Node) error {
		if judged == len(agreed.revoked) {
			return nil
		}
		lease, now := agreed.revoked[judged], w.Sim().Now().Sub(0)
		judged++
		for op := range w.History().All() {
			if op.Input == lease && op.Status == history.OK && now-op.Invoke.Time < margin {
				return fmt.Errorf("%s was revoked at the wish of %s, %v after it was renewed: %v", lease, agreed.by, now-op.Invoke.Time, op)
			}
		}
		return nil
	}, node)
}

// keep keeps a lease alive, and makes a new one when that fails for as long as a
// lease lasts. It goes to another server when one does not lead.
func keep(c *faultline.Client) {
	count, renewed, at := 1, c.Node().Monotonic(), 0
	for i := 1; ; i++ {
		lease := fmt.Sprintf("l%d-%s", count, c.Node().Name())
		op := c.Invoke("renew", lease)
		body, ok := bugs.Call(c, fmt.Sprint("n", at+1), i, renew{lease}, 100*time.Millisecond)
		switch _, is := body.(done); {
		case is:
			op.OK(nil)
			renewed = c.Node().Monotonic()
			c.Sleep(200 * time.Millisecond)
			continue
		case ok:
			op.Fail("refused")
		default:
			op.Unknown("no answer")
		}
		at = (at + 1) % 3
		c.Sleep(20 * time.Millisecond)
		if c.Node().Monotonic()-renewed > ttl {
			count, renewed = count+1, c.Node().Monotonic()
		}
	}
}
