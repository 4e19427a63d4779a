package simnet

import (
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func wantErr(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error is\n%v\nwant\n%s", err, want)
	}
}

func TestBadLinks(t *testing.T) {
	sim := kernel.New(kernel.Config{})
	for _, c := range []struct {
		link Link
		want string
	}{
		{Link{Latency: -ms}, "simnet: Config.Link: Latency is -1ms; it must be between 0 and 8760h0m0s"},
		{Link{Jitter: -1}, "simnet: Config.Link: Jitter is -1ns; it must be between 0 and 8760h0m0s"},
		{Link{LongDelay: MaxDelay + 1}, "simnet: Config.Link: LongDelay is 8760h0m0.000000001s; it must be between 0 and 8760h0m0s"},
		{Link{Loss: 1_000_001}, "simnet: Config.Link: Loss is 1000001 ppm; it must be at most 1000000, which is always"},
		{Link{Duplicate: 4_000_000_000}, "simnet: Config.Link: Duplicate is 4000000000 ppm; it must be at most 1000000, which is always"},
		{Link{Delay: 2_000_000}, "simnet: Config.Link: Delay is 2000000 ppm; it must be at most 1000000, which is always"},
	} {
		n, err := New(sim, Config{Link: c.link})
		wantErr(t, err, c.want)
		if n != nil {
			t.Error("a network was made all the same")
		}
	}
	_, err := New(nil, Config{})
	wantErr(t, err, "simnet: New needs a simulator, not nil")
}

func TestBadNodes(t *testing.T) {
	sim, other := kernel.New(kernel.Config{}), kernel.New(kernel.Config{})
	n, _ := New(sim, Config{})
	idle := func(*kernel.Node) kernel.Handler { return kernel.Idle{} }
	attach := func(node *kernel.Node) error { _, err := n.Attach(node); return err }
	wantErr(t, attach(nil), "simnet: Attach needs a node, not nil")
	wantErr(t, attach(other.AddNode("x", idle)), `simnet: node "x" belongs to another simulator than the network; attach nodes of the same run`)
	wantErr(t, attach(sim.AddNode("a>b", idle)), `simnet: node name "a>b" cannot be used in the names of links; choose one that is not empty, not "*" and without '>'`)
	wantErr(t, attach(sim.AddNode("*", idle)), `simnet: node name "*" cannot be used in the names of links; choose one that is not empty, not "*" and without '>'`)
	a := sim.AddNode("a", idle)
	if err := attach(a); err != nil {
		t.Fatal(err)
	}
	wantErr(t, attach(a), `simnet: node "a" is attached already; attach each node once`)
}

func TestUnknownNames(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b")
	n := c.net
	wantErr(t, c.ports["a"].Send("z", 1), `simnet: node "a" sends to "z", which is not attached to the network; attached are a, b`)
	wantErr(t, n.SetLink("a", "z", Link{}), `simnet: SetLink: no node "z" is attached to the network; attached are a, b`)
	wantErr(t, n.SetLink("a", "b", Link{Loss: 1e7}), `simnet: SetLink("a", "b"): Loss is 10000000 ppm; it must be at most 1000000, which is always`)
	wantErr(t, n.SetDefault(Link{Jitter: -time.Second}), `simnet: SetDefault: Jitter is -1s; it must be between 0 and 8760h0m0s`)
	_, err := n.Isolate("z")
	wantErr(t, err, `simnet: Isolate: no node "z" is attached to the network; attached are a, b`)
	_, err = n.Partition([]string{"a"}, []string{"b", "z"})
	wantErr(t, err, `simnet: Partition, group 2: no node "z" is attached to the network; attached are a, b`)
	_, err = n.Partition([]string{"a"})
	wantErr(t, err, `simnet: Partition was given 1 groups; it needs at least 2`)
	for _, name := range []string{"c", "d", "e", "f", "g", "h", "i", "j", "k"} {
		c.add(name)
	}
	wantErr(t, n.SetLink("z", "a", Link{}), `simnet: SetLink: no node "z" is attached to the network; attached are a, b, c, d, e, f, g, h, i, and 2 more`)
	empty, _ := New(c.sim, Config{})
	wantErr(t, empty.SetLink("z", "a", Link{}), `simnet: SetLink: no node "z" is attached to the network; attached are none`)
}

func TestMisusedEffects(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b")
	c.net.Cut(Pair{"a", "z"})
	wantErr(t, c.sim.Err(), `simnet: Cut, pair a>z: no node "z" is attached to the network; attached are a, b`)

	c = newCluster(t, kernel.Config{}, Config{}, "a", "b")
	c.net.Degrade([]Pair{{"a", "b"}}, Change{Latency: -ms})
	wantErr(t, c.sim.Err(), `simnet: Degrade: Change.Latency is -1ms; it must be between 0 and 8760h0m0s`)

	c = newCluster(t, kernel.Config{}, Config{}, "a", "b")
	c.at(1, func() { c.net.Degrade([]Pair{{"a", Any}, {"", "b"}}, Change{Loss: 5}) })
	c.run()
	want := `simnet: Degrade, pair >b: no node "" is attached to the network; attached are a, b`
	if f := c.sim.Failure(); f == nil || f.Kind != kernel.KindMisuse || f.Message != want {
		t.Errorf("failure is %v, want %s", f, want)
	}
}

func TestSendAfterTheEnd(t *testing.T) {
	c := newCluster(t, kernel.Config{}, Config{}, "a", "b")
	c.run()
	wantErr(t, c.ports["a"].Send("b", 1), `simnet: node "a" sends to "b", but the run is closed`)
}
