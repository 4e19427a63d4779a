package timeline_test

import (
	"fmt"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// A run of the kernel alone, told in five lines.
func ExampleStory() {
	sim := kernel.New(kernel.Config{Level: kernel.LevelFull})
	door := sim.AddNode("door", func(n *kernel.Node) kernel.Handler { return kernel.Idle{} })
	open := false
	sim.After(1e9, func() { open = true; door.Log("opened", kernel.Str("by", "wind")) })
	sim.Invariant("the door is closed", func(*kernel.Node) error {
		if open {
			return fmt.Errorf("the door is open, and nobody is at home")
		}
		return nil
	})
	res := sim.Run()

	f := sim.Failure()
	a := artifact.InMemory(&artifact.Report{
		Result: artifact.Failed, Test: "TestDoor",
		Failure: &artifact.Failure{Kind: f.Kind, Check: f.Check, Message: f.Message, Time: artifact.Duration(f.Time), Event: f.Event},
		Run:     artifact.RunStats{Time: artifact.Duration(res.Time), Events: res.Events},
	}, nil, nil, sim.Records())
	for _, line := range timeline.Story(a) {
		fmt.Println(line)
	}
	// Output:
	// TestDoor ran for 1s of virtual time on door.
	// No fault had hit.
	// Before the end: door STARTED, boot 1 at 0s.
	// The last event, 2 at 1s: door opened by=wind.
	// Then invariant "the door is closed" failed: the door is open, and nobody is at home
}
