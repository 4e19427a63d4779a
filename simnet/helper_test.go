package simnet

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// cluster is a network of nodes that note what they receive.
type cluster struct {
	t     *testing.T
	sim   *kernel.Sim
	net   *Network
	ports map[string]*Port
	got   map[string][]string
	on    func(to, from string, msg any) // called at every delivery
}

type noter struct {
	kernel.Idle
	c    *cluster
	node *kernel.Node
}

func (n *noter) Receive(from string, msg any) {
	name := n.node.Name()
	n.c.got[name] = append(n.c.got[name], fmt.Sprintf("%s:%v", from, msg))
	if n.c.on != nil {
		n.c.on(name, from, msg)
	}
}

func newCluster(t *testing.T, kc kernel.Config, nc Config, names ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, sim: kernel.New(kc), ports: map[string]*Port{}, got: map[string][]string{}}
	var err error
	if c.net, err = New(c.sim, nc); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		c.add(name)
	}
	return c
}

func (c *cluster) add(name string) {
	c.t.Helper()
	node := c.sim.AddNode(name, func(n *kernel.Node) kernel.Handler { return &noter{c: c, node: n} })
	p, err := c.net.Attach(node)
	if err != nil {
		c.t.Fatal(err)
	}
	c.ports[name] = p
}

func (c *cluster) node(name string) *kernel.Node { return c.ports[name].Node() }

func (c *cluster) send(from, to string, msg any) {
	c.t.Helper()
	if err := c.ports[from].Send(to, msg); err != nil {
		c.t.Fatal(err)
	}
}

// at runs f at a virtual time.
func (c *cluster) at(ms int, f func()) { c.sim.At(kernel.Time(ms)*kernel.Time(time.Millisecond), f) }

// run runs to the end and checks that every message is accounted for.
func (c *cluster) run() kernel.Result {
	c.t.Helper()
	r := c.sim.Run()
	if err := c.sim.Err(); err != nil {
		c.t.Fatal(err)
	}
	c.balance()
	if c.sim.Failure() == nil && c.net.Stats().InFlight() != 0 {
		c.t.Errorf("%d messages are still in flight after the end", c.net.Stats().InFlight())
	}
	return r
}

// balance checks that the links' counts add up to the network's.
func (c *cluster) balance() {
	c.t.Helper()
	var sum Stats
	for _, l := range c.net.Links() {
		sum.Sent += l.Sent
		sum.Duplicated += l.Duplicated
		sum.Delayed += l.Delayed
		sum.Corrupted += l.Corrupted
		sum.Delivered += l.Delivered
		for r, n := range l.Dropped {
			sum.Dropped[r] += n
		}
	}
	if sum != c.net.Stats() {
		c.t.Errorf("links add up to %+v, the network counts %+v", sum, c.net.Stats())
	}
	if s := c.net.Stats(); int64(s.InFlight()) < 0 {
		c.t.Errorf("more messages arrived than were sent: %+v", s)
	}
}

func (c *cluster) wantGot(name string, want ...string) {
	c.t.Helper()
	if got := strings.Join(c.got[name], " "); got != strings.Join(want, " ") {
		c.t.Errorf("%s received %q, want %q", name, got, strings.Join(want, " "))
	}
}

// text is the trace as lines.
func (c *cluster) text() string {
	var b strings.Builder
	for r := range c.sim.Records() {
		fmt.Fprintf(&b, "%v e%d<%d %s", r.Time, r.Event, r.Cause, r.Kind)
		if r.Node != "" {
			fmt.Fprintf(&b, " @%s/%d", r.Node, r.Boot)
		}
		for _, a := range r.Attrs {
			fmt.Fprintf(&b, " %s=%s", a.Key, a.Value())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

const ms = time.Millisecond

// fixed is a link that takes exactly d.
func fixed(d time.Duration) Link { return Link{Latency: d} }
