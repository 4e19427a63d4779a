package fault_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// A fault is aimed at a role in a group: whoever leads when it strikes.
func ExampleInjector() {
	sim := kernel.New(kernel.Config{Seed: 1})
	var nodes []*kernel.Node
	for _, name := range []string{"a", "b", "c"} {
		nodes = append(nodes, sim.AddNode(name, func(*kernel.Node) kernel.Handler { return kernel.Idle{} }))
	}
	leader := "a"
	sim.After(2*time.Second, func() { leader = "c" })

	in := fault.NewInjector(fault.System{Sim: sim})
	in.Group("servers", nodes...)
	in.Role("leader", func(n *kernel.Node) bool { return n.Name() == leader })
	target := fault.Target{Group: "servers", Role: "leader", Pick: fault.One}
	err := in.Arm([]fault.Fault{
		{Kind: fault.Kill, At: time.Second, For: time.Millisecond, Target: target},
		{Kind: fault.Kill, At: 3 * time.Second, For: time.Millisecond, Target: target},
	}, fault.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sim.RunFor(5 * time.Second)
	for _, f := range in.Faults() {
		fmt.Println(f.ID, f.Nodes, f.Outcome)
	}
	// Output:
	// script/kill#1 [a] fired
	// script/kill#2 [c] fired
}
