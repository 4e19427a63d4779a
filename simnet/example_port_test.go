package simnet_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// A port sends; what arrives goes to the node's program. A receiver that there
// is not is an error at once, not a lost message.
func ExamplePort() {
	sim := kernel.New(kernel.Config{})
	net, err := simnet.New(sim, simnet.Config{Link: simnet.Link{Latency: 5 * time.Millisecond}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var alice *simnet.Port
	a := sim.AddNode("alice", kernel.Main(func(p *kernel.Proc) {
		fmt.Println(alice.Send("bob", "hello"))
		fmt.Println(alice.Send("carol", "hello"))
	}))
	b := sim.AddNode("bob", kernel.Main(func(p *kernel.Proc) {
		from, msg := p.Recv()
		fmt.Println(sim.Now(), from, "says", msg)
	}))
	if alice, err = net.Attach(a); err == nil {
		_, err = net.Attach(b)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	sim.Run()
	// Output:
	// <nil>
	// simnet: node "alice" sends to "carol", which is not attached to the network; attached are alice, bob
	// 0.005s alice says hello
}
