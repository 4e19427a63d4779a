package kernel_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// A simulator alone, in five lines.
func ExampleNew() {
	s := kernel.New(kernel.Config{Seed: 1})
	s.After(time.Hour, func() { fmt.Println("an hour later, at once:", s.Now()) })
	result := s.Run()
	fmt.Println(result.Reason, result.Events)
	// Output:
	// an hour later, at once: 3600s
	// idle 1
}

// counter counts seconds, and forgets them when it crashes.
type counter struct {
	kernel.Idle
	node    *kernel.Node
	seconds int
}

func (c *counter) Start() { c.node.NewTimer().Reset(time.Second) }

func (c *counter) Timer(t *kernel.Timer) {
	c.seconds++
	t.Reset(time.Second)
}

// A node is killed and started again: its program is a new one.
func ExampleSim_AddNode() {
	s := kernel.New(kernel.Config{Seed: 1})
	n := s.AddNode("n1", func(n *kernel.Node) kernel.Handler { return &counter{node: n} })
	s.After(3500*time.Millisecond, func() { n.Kill() })
	s.After(4*time.Second, func() { n.Start() })
	for range 3 {
		s.RunFor(3 * time.Second)
		fmt.Println(s.Now(), n.State(), "boot", n.Boot(), "seconds", n.Handler().(*counter).seconds)
	}
	// Output:
	// 3s up boot 1 seconds 3
	// 6s up boot 2 seconds 2
	// 9s up boot 2 seconds 5
}

// Two procs: one asks, one answers; the answer can be late.
func ExampleMain() {
	s := kernel.New(kernel.Config{Seed: 1})
	server := s.AddNode("server", kernel.Main(func(p *kernel.Proc) {
		for {
			_, msg := p.Recv()
			p.Sleep(msg.(time.Duration)) // the work asked for
			s.Node("client").Deliver("server", "done")
		}
	}))
	s.AddNode("client", kernel.Main(func(p *kernel.Proc) {
		p.Sleep(time.Second) // until the server is up
		for _, work := range []time.Duration{time.Second, 5 * time.Second} {
			server.Deliver("client", work)
			_, msg, ok := p.RecvTimeout(2 * time.Second)
			fmt.Println(s.Now(), msg, ok)
		}
	}))
	s.Run()
	// Output:
	// 2s done true
	// 4s <nil> false
}

// A run is stepped from outside, with a look at each event.
func ExampleSim_Step() {
	s := kernel.New(kernel.Config{})
	for i := range 3 {
		s.After(time.Duration(i)*time.Minute, func() {})
	}
	for {
		next, ok := s.Next()
		if !ok {
			break
		}
		s.Step()
		fmt.Println("event", s.Event(), "at", next)
	}
	// Output:
	// event 1 at 0s
	// event 2 at 60s
	// event 3 at 120s
}

// A check after every event ends the run where it fails; the same seed fails
// again at the same event.
func ExampleSim_Invariant() {
	run := func() *kernel.Failure {
		s := kernel.New(kernel.Config{Seed: 42})
		n := s.AddNode("n1", func(n *kernel.Node) kernel.Handler { return &counter{node: n} })
		s.Invariant("at most four", func(*kernel.Node) error {
			if c, ok := n.Handler().(*counter); ok && c.seconds > 4 {
				return errors.New("counted to five")
			}
			return nil
		})
		s.Run()
		return s.Failure()
	}
	fmt.Println(run())
	fmt.Println(run())
	// Output:
	// invariant "at most four" failed at 5s, event 6: counted to five
	// invariant "at most four" failed at 5s, event 6: counted to five
}

// The records of a run, kept at LevelFull.
func ExampleSim_Records() {
	s := kernel.New(kernel.Config{Level: kernel.LevelFull})
	s.AddNode("n1", kernel.Main(func(p *kernel.Proc) {
		p.Sleep(time.Second)
		p.Node().Log("elected", kernel.Int("term", 2))
	}))
	s.Run()
	for r := range s.Records() {
		fmt.Println(r.Time, r.Node, r.Kind, r.Event, "caused by", r.Cause)
		for _, a := range r.Attrs {
			fmt.Println("  ", a.Key, a.Value())
		}
	}
	// Output:
	// 0s n1 node/boot 1 caused by 0
	// 0s n1 proc 2 caused by 1
	//    name main
	// 1s n1 timer 3 caused by 2
	// 1s n1 elected 3 caused by 2
	//    term 2
}

// The package page's claims about inert calls and deferred calls.
func ExampleNode_Kill() {
	s := kernel.New(kernel.Config{Seed: 1})
	n := s.AddNode("n1", kernel.Main(func(p *kernel.Proc) {
		defer fmt.Println("deferred calls run")
		defer p.Sleep(time.Hour) // inert: returns at once
		p.Sleep(time.Second)
		p.Node().Kill()
		p.Node().Log("not written")
		p.Sleep(time.Second)
		fmt.Println("never reached")
	}))
	s.Run()
	fmt.Println(n.State(), "at", s.Now())
	// Output:
	// deferred calls run
	// down at 1s
}
