package simnet

import (
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// In steady state a message allocates nothing: not its event, its records, its
// draws or its digests, and not while effects come and go.
func TestMessagesAllocateNothing(t *testing.T) {
	sim := kernel.New(kernel.Config{Seed: 1})
	net, err := New(sim, Config{Link: Link{Loss: 100_000, Duplicate: 100_000, Delay: 100_000, LongDelay: 20 * ms}})
	if err != nil {
		t.Fatal(err)
	}
	r := make([]*relay, 2)
	for i, name := range []string{"a", "b"} {
		r[i] = &relay{after: func() {}, peers: []string{[]string{"b", "a"}[i]}}
		node := sim.AddNode(name, func(n *kernel.Node) kernel.Handler {
			r[i].timer = n.NewTimer()
			return r[i]
		})
		if r[i].port, err = net.Attach(node); err != nil {
			t.Fatal(err)
		}
	}
	net.Degrade([]Pair{{Any, Any}}, Change{Latency: ms})
	sim.RunFor(1)
	msg := &benchMsg{}
	batch := func() {
		for net.stats.InFlight() < 64 {
			if err := r[0].port.Send("b", msg); err != nil {
				t.Fatal(err)
			}
		}
		sim.RunFor(20 * ms)
	}
	for range 200 {
		batch()
	}
	before := net.stats.Sent
	n := testing.AllocsPerRun(100, batch)
	if sent := (net.stats.Sent - before) / 101; n > 1 || sent < 200 { // RunFor makes one
		t.Errorf("%d messages make %v allocations", sent, n)
	}
	if sim.Failure() != nil {
		t.Fatal(sim.Failure())
	}
}

// Links exist only where messages went, and effects on all links make none.
func TestLinksAreMadeWhenUsed(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l")
	c.net.Cut(Pair{Any, Any}).Undo()
	c.at(1, func() { c.send("a", "b", 1) })
	c.run()
	if got := c.net.Links(); len(got) != 1 || got[0].From != "a" || got[0].To != "b" || got[0].Delivered != 1 {
		t.Errorf("links are %+v, want a to b alone", got)
	}
}

// A node with many peers finds all of them.
func TestManyPeers(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}
	c := newCluster(t, kernel.Config{}, Config{}, names...)
	for i := range 3 {
		c.at(1+i, func() {
			for _, name := range names {
				c.send("a", name, i)
			}
		})
	}
	c.run()
	for _, name := range names {
		if len(c.got[name]) != 3 {
			t.Errorf("%s received %v", name, c.got[name])
		}
	}
	if got := len(c.net.Links()); got != len(names) {
		t.Errorf("%d links, want %d", got, len(names))
	}
}

// Deferred calls of a proc whose node has crashed, or whose run is over, send
// nothing.
func TestDeferredSendsAreInert(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "b")
	var port *Port
	var atEnd error
	boots := 0
	node := c.sim.AddNode("p", kernel.Main(func(p *kernel.Proc) {
		boots++
		defer func() { atEnd = port.Send("b", "from a deferred call") }()
		p.Recv()
	}))
	port, err := c.net.Attach(node)
	if err != nil {
		t.Fatal(err)
	}
	c.at(1, func() { node.Kill(); node.Start() })
	c.at(5, func() {
		if atEnd != nil {
			t.Errorf("after a crash Send returned %v", atEnd)
		}
	})
	c.run()
	c.wantGot("b")
	wantErr(t, atEnd, `simnet: node "p" sends to "b", but the run is closed`)
	if boots != 2 {
		t.Errorf("%d boots, want 2", boots)
	}
}
