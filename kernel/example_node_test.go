package kernel_test

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// lamp goes off a second after it was touched last.
type lamp struct {
	kernel.Idle // for the methods that it does not need
	node        *kernel.Node
	off         *kernel.Timer
}

func (l *lamp) Start() {
	l.off = l.node.NewTimerFunc(func() { fmt.Println(l.node.Sim().Now(), "off") })
}

func (l *lamp) Receive(from string, _ any) {
	fmt.Println(l.node.Sim().Now(), "touched by", from, "while on:", l.off.Armed())
	l.off.Reset(time.Second)
}

// A handler that embeds Idle has only the methods that it needs.
func ExampleIdle() {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("lamp", func(n *kernel.Node) kernel.Handler { return &lamp{node: n} })
	s.After(time.Second, func() { n.Deliver("alice", "touch") })
	s.Run()
	// Output:
	// 1s touched by alice while on: false
	// 2s off
}

// A timer that is set again fires only once.
func ExampleTimer() {
	s := kernel.New(kernel.Config{})
	n := s.AddNode("lamp", func(n *kernel.Node) kernel.Handler { return &lamp{node: n} })
	for _, at := range []time.Duration{1000, 1500, 1900} {
		s.After(at*time.Millisecond, func() { n.Deliver("bob", "touch") })
	}
	s.Run()
	// Output:
	// 1s touched by bob while on: false
	// 1.5s touched by bob while on: true
	// 1.9s touched by bob while on: true
	// 2.9s off
}

// Two procs of one node: one waits for a signal, the other sets it.
func ExampleProc() {
	s := kernel.New(kernel.Config{})
	s.AddNode("n1", kernel.Main(func(p *kernel.Proc) {
		var ready kernel.Signal
		p.Node().Go("loader", func(p *kernel.Proc) {
			p.Sleep(3 * time.Second)
			ready.Set()
		})
		inTime := p.WaitTimeout(&ready, time.Second)
		fmt.Println(s.Now(), p.Name(), "in time:", inTime)
		p.Wait(&ready)
		fmt.Println(s.Now(), p.Name(), "goes on")
	}))
	s.Run()
	// Output:
	// 1s main in time: false
	// 3s main goes on
}

// A component writes records of its own kinds, field by field.
func ExampleEmit() {
	s := kernel.New(kernel.Config{Level: kernel.LevelFull})
	level, liters := s.Sym("tank/level"), s.Sym("liters")
	s.After(time.Minute, func() { s.Emit(level).Int(liters, 40).Done() })
	s.Run()
	for r := range s.Records() {
		if liters, ok := r.Get("liters"); ok {
			fmt.Println(r.Time, r.Kind, liters.Value())
		}
	}
	// Output: 60s tank/level 40
}
