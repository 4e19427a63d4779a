package faultline_test

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

// adder adds up what it is sent, in memory only.
type adder struct {
	kernel.Idle
	node  *faultline.Node
	total int
}

func (a *adder) Receive(from string, msg any) {
	a.total += msg.(int)
	a.node.Send(from, a.total)
}

// newAdder makes the program of a server.
func newAdder(n *faultline.Node) kernel.Handler { return &adder{node: n} }

// once makes one run, in place of Run, which needs a test.
func once(setup func(w *faultline.World)) {
	out, err := faultline.Once(faultline.Options{Duration: 4 * time.Second}, 1, setup)
	switch {
	case err != nil:
		fmt.Println(err)
	case out.Failure != nil:
		fmt.Println(out.Failure)
	default:
		fmt.Println("passed")
	}
}

// A world has nodes, faults and checks. This server forgets its total when it
// loses power, and an invariant notices.
func ExampleWorld() {
	once(func(w *faultline.World) {
		server := w.Server("server", newAdder)
		w.Client("alice", func(c *faultline.Client) {
			for {
				c.Send("server", 1)
				c.Sleep(100 * time.Millisecond)
			}
		})
		w.Script(fault.Fault{Kind: fault.PowerLoss, At: time.Second, For: time.Millisecond, Target: fault.Target{Nodes: []string{"server"}}})
		most := 0
		w.Invariant("the total grows", func(*faultline.Node) error {
			a, up := faultline.Program[*adder](server)
			if up && a.total < most {
				return fmt.Errorf("it is %d, and was %d", a.total, most)
			}
			if up {
				most = a.total
			}
			return nil
		})
	})
	// Output: invariant "the total grows" failed at 1.001s, event 36: it is 0, and was 10
}

// A client is a proc: it sends, and waits for the answer as long as it likes.
func ExampleClient() {
	once(func(w *faultline.World) {
		w.Server("server", newAdder)
		w.Client("alice", func(c *faultline.Client) {
			c.Send("server", 40)
			c.Recv()
			c.Send("server", 2)
			_, total, ok := c.RecvTimeout(time.Second)
			fmt.Println(total, ok)
		})
	})
	// Output:
	// 42 true
	// passed
}

// An operation is noted with what it asked and what became of it, for the checks
// that judge the history.
func ExampleOp() {
	once(func(w *faultline.World) {
		w.Server("server", newAdder)
		w.Client("alice", func(c *faultline.Client) {
			for n := range 2 {
				op := c.Invoke("add", n)
				op.Attempt("server")
				c.Send("server", n)
				if _, total, ok := c.RecvTimeout(time.Second); ok {
					op.OK(total)
				} else {
					op.Unknown("no answer") // it may have been added
				}
			}
		})
		w.Final("both were answered", func() error {
			fmt.Println(w.History().Counts())
			return nil
		})
	})
	// Output:
	// 2 operations: 2 ok, 0 fail, 0 unknown, 0 pending
	// passed
}

// A node has a network, a disk, clocks and a generator of its own.
func ExampleNode() {
	once(func(w *faultline.World) {
		w.Server("server", func(n *faultline.Node) kernel.Handler {
			err := n.Disk().WriteFile("boots", []byte{byte(n.Boot())}, 0o600)
			fmt.Println(n.Name(), n.Boot(), n.Monotonic(), err)
			return kernel.Idle{}
		})
	})
	// Output:
	// server 1 0s <nil>
	// passed
}

// A ledger tells what a system lost from what no disk has any more. With
// unrestricted faults the second is no bug.
func ExampleLedger() {
	once(func(w *faultline.World) {
		servers := w.Servers(3, func(n *faultline.Node) kernel.Handler {
			if n.Boot() == 1 {
				_ = n.Disk().WriteFile("never-synced", []byte("x"), 0o600)
			}
			return kernel.Idle{}
		})
		ledger := w.Ledger(func(disk fs.FS, item string) bool {
			_, err := fs.Stat(disk, item)
			return err == nil
		}, servers...)
		ledger.Acknowledge("never-synced")
		w.Script(fault.Fault{Kind: fault.PowerLoss, At: time.Second, For: time.Millisecond, Target: fault.Target{Group: "servers", Pick: fault.All}, Profile: "lose-all"})
		w.Final("nothing is lost", func() error {
			fmt.Println(ledger.Judge("never-synced", faultline.Missing), ledger.Copies("never-synced"))
			return nil
		})
	})
	// Output:
	// unavoidable []
	// passed
}

// One run of one seed, without a test around it: for benchmarks, and for tests
// that a planted bug is found.
func ExampleOnce() {
	out, err := faultline.Once(faultline.Options{Duration: time.Second}, 7, func(w *faultline.World) {
		w.Server("server", newAdder)
		w.Sim().At(kernel.Time(500*time.Millisecond), func() { w.Fail("example", "half a second is over") })
	})
	fmt.Println(err)
	fmt.Println(out.Failure)
	// Output:
	// <nil>
	// user "example" failed at 0.5s, event 2: half a second is over
}

// A recorded run has a schedule, which replays it, and a story.
func ExampleOutcome() {
	setup := func(w *faultline.World) {
		w.Server("server", newAdder)
		w.Faults(fault.Default().Only(fault.Kill))
		w.Sim().At(kernel.Time(3*time.Second), func() { w.Fail("example", "three seconds are over") })
	}
	opt := faultline.Options{Duration: 4 * time.Second}
	first, err := faultline.Record(opt, 7, setup)
	if err != nil {
		fmt.Println(err)
		return
	}
	again, err := faultline.Replay(opt, first.Schedule, setup)
	fmt.Println(first.Result.Hash == again.Result.Hash, err)
	story, err := first.Story()
	fmt.Println(story[len(story)-1], err)
	// Output:
	// true <nil>
	// Then user "example" failed: three seconds are over <nil>
}
