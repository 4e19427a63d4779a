package onewaytakeover

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Case returns the bug as a test. In the script n1, which leads because it
// is the less patient one, cannot reach n2, and nothing else is wrong.
func Case() bugs.Case {
	return bugs.Case{
		Name:    "one-way-takeover",
		Report:  "[Cloudflare 2020-11-02](https://blog.cloudflare.com/a-byzantine-failure-in-the-real-world/)",
		Needs:   "one-way cut",
		Check:   "operations are linearizable",
		Options: faultline.Options{Duration: 4 * time.Second},
		Setup:   setup,
		Script: []fault.Fault{{
			Kind: fault.OneWay, Target: fault.Target{Nodes: []string{"n1"}}, Peers: []string{"n2"},
			At: 500 * time.Millisecond, For: time.Second,
		}},
		Story:  []string{"n1", "one-way", "c3 get(x)"},
		Within: 20,
	}
}

func setup(w *faultline.World, mended bool) {
	names := []string{"n1", "n2", "n3"}
	servers := w.Servers(3, func(n *faultline.Node) kernel.Handler { return newNode(n, bugs.Others(names, n.Name()), mended) })
	w.Role("primary", leads)
	u := &users{names: []string{"n1", "n2"}}
	w.Client("c1", u.write)
	w.Client("c2", func(c *faultline.Client) { u.read(c, "n1") })
	w.Client("c3", func(c *faultline.Client) { u.read(c, "n2") })

	w.Judge("operations are linearizable", linear.Register(calls))
	quiet, _ := w.QuietAt()
	w.Eventually("a write succeeds", time.Second, func() error {
		if u.written < quiet {
			return fmt.Errorf("the last one was called at %v; n1 leads: %v, n2 leads: %v", u.written, leads(servers[0]), leads(servers[1]))
		}
		return nil
	})
}

// calls says what an operation of a client is to the checker.
func calls(op *history.Operation) linear.Call {
	if op.Function == "put" {
		return linear.Write("x", op.Input)
	}
	if op.Output == "" { // before the first put
		return linear.Read("x", nil)
	}
	return linear.Read("x", op.Output)
}

func leads(n *faultline.Node) bool {
	s, ok := faultline.Program[*node](n)
	return ok && s.primary
}

// users are the clients.
type users struct {
	names   []string      // the servers that can lead
	written time.Duration // when the last write that succeeded was called
}

// write puts one value after another. Where it is refused it does not stay.
func (u *users) write(c *faultline.Client) {
	at := 0
	for i := 1; ; i++ {
		c.Sleep(20 * time.Millisecond)
		called := time.Duration(c.Sim().Now())
		value := fmt.Sprint("v", i)
		if u.call(c, u.names[at], i, "put", value, put{value}) {
			u.written = called
		} else {
			at = 1 - at
		}
	}
}

// read gets the value at one server, time and again.
func (u *users) read(c *faultline.Client, at string) {
	for i := 1; ; i++ {
		c.Sleep(10 * time.Millisecond)
		u.call(c, at, i, "get", "x", get{})
	}
}

// call makes an operation and reports whether it was done. A put that is refused
// may still take effect: a copy of it can come to a primary.
func (u *users) call(c *faultline.Client, at string, id int, function, input string, ask any) bool {
	op := c.Invoke(function, input)
	body, ok := bugs.Call(c, at, id, ask, 200*time.Millisecond)
	a, _ := body.(answer)
	switch {
	case ok && a.OK:
		op.OK(a.Value)
	case ok && !a.Unknown && function == "get":
		op.Fail("refused")
	default:
		op.Unknown("no answer, or refused")
	}
	return ok && a.OK
}
