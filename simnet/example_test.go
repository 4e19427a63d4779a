package simnet_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// echo answers every question once.
type echo struct {
	kernel.Idle
	port *simnet.Port
}

func (e *echo) Receive(from string, msg any) {
	if q, ok := msg.(string); ok && q[0] != '>' {
		e.port.Send(from, "> "+q)
		return
	}
	fmt.Println(e.port.Node().Sim().Now(), from, msg)
}

func Example() {
	sim := kernel.New(kernel.Config{Seed: 1})
	net, err := simnet.New(sim, simnet.Config{Link: simnet.Link{Latency: 10 * time.Millisecond}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ports := map[string]*simnet.Port{}
	for _, name := range []string{"alice", "bob"} {
		node := sim.AddNode(name, func(n *kernel.Node) kernel.Handler { return &echo{port: ports[name]} })
		if ports[name], err = net.Attach(node); err != nil {
			fmt.Println(err)
			return
		}
	}

	sim.After(1*time.Second, func() { ports["alice"].Send("bob", "are you there?") })
	var cut *simnet.Effect
	sim.After(2*time.Second, func() { cut = net.Cut(simnet.Pair{From: "bob", To: "alice"}) })
	sim.After(3*time.Second, func() { ports["alice"].Send("bob", "and now?") })
	sim.After(4*time.Second, func() { cut.Undo() })
	sim.After(5*time.Second, func() { ports["alice"].Send("bob", "and again?") })
	sim.Run()

	s := net.Stats()
	fmt.Println(s.Sent, "sent,", s.Delivered, "delivered,", s.Dropped[simnet.DropCut], "cut off; the cut met", cut.Met())
	// Output:
	// 1.02s bob > are you there?
	// 5.02s bob > and again?
	// 6 sent, 5 delivered, 1 cut off; the cut met 1
}

func ExampleNetwork_Partition() {
	sim := kernel.New(kernel.Config{})
	net, _ := simnet.New(sim, simnet.Config{})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		node := sim.AddNode(name, func(*kernel.Node) kernel.Handler { return kernel.Idle{} })
		if _, err := net.Attach(node); err != nil {
			fmt.Println(err)
		}
	}
	sim.RunFor(time.Second)
	all := []string{"a", "b", "c", "d", "e"}

	// c sees everybody; the others see only their own side.
	bridge, _ := net.Partition([]string{"a", "b", "c"}, []string{"c", "d", "e"})
	fmt.Println(net.Components(), net.CanReachQuorum("a", all))

	alone, _ := net.Isolate("c")
	fmt.Println(net.Components(), net.CanReachQuorum("a", all))

	bridge.Undo() // the isolation goes on
	fmt.Println(net.Components())
	alone.Undo()
	fmt.Println(net.Components())
	// Output:
	// [[a b c d e]] true
	// [[a b] [c] [d e]] false
	// [[a b d e] [c]]
	// [[a b c d e]]
}
