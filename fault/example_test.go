package fault_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// A script takes the power from a node and brings it back.
func Example() {
	sim := kernel.New(kernel.Config{Seed: 1})
	n := sim.AddNode("db", func(n *kernel.Node) kernel.Handler { return kernel.Idle{} })

	in := fault.NewInjector(fault.System{Sim: sim})
	err := in.Arm([]fault.Fault{{
		Kind:   fault.PowerLoss,
		At:     time.Second,
		For:    200 * time.Millisecond,
		Target: fault.Target{Nodes: []string{"db"}},
	}}, fault.Options{})
	fmt.Println("error:", err)

	sim.RunFor(1100 * time.Millisecond)
	fmt.Println(n.State(), "after boot", n.Boot())
	sim.RunFor(time.Second)
	fmt.Println(n.State(), "in boot", n.Boot())
	fmt.Println(in.Faults()[0].Outcome)
	// Output:
	// error: <nil>
	// down after boot 1
	// up in boot 2
	// fired
}

// Random rules are planned for a seed before the run begins.
func ExamplePlan() {
	rules := fault.Rules{{Kind: fault.Pause, Every: time.Second, For: fault.Span{Min: 100 * time.Millisecond, Max: 500 * time.Millisecond},
		Target: fault.Target{Group: "servers"}}}
	faults, drawn, err := fault.Plan(kernel.NewStream(7, "plan"), rules, 3*time.Second, fault.Known{})
	fmt.Println(err, drawn[0].Rule, drawn[0].Percent > 0)
	for _, f := range faults[:2] {
		fmt.Println(f.ID, f.At < 3*time.Second, f.For <= 500*time.Millisecond)
	}
	// Output:
	// <nil> pause true
	// pause#1 true true
	// pause#2 true true
}

// A schedule is a file that can be read, counted, and edited by hand.
func ExampleSchedule() {
	s, err := fault.ParseSchedule([]byte(`{
  "format": "faultline/schedule",
  "version": 1,
  "test": "TestStore",
  "package": "example.org/store",
  "seed": "0x2a",
  "duration": "5s",
  "quiet": "3s",
  "faults": [
    {"id":"f1","kind":"power-loss","at":"1s","for":"20ms","target":{"nodes":["n1"]}}
  ],
  "choices": [
    {"point":"net/n1>n2/lose","n":7,"value":1}
  ]
}`), "schedule.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	faults, choices, operations := s.Count()
	fmt.Println(s.Test, faults, choices, operations)
	fmt.Println(s.Faults[0].Kind, "at", s.Faults[0].At)
	// Output:
	// TestStore 1 1 0
	// power-loss at 1s
}
