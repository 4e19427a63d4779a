package fault

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// apply makes the fault happen to its nodes and notes how it is undone.
func (p *planned) apply(nodes []*kernel.Node) {
	switch p.trait.on {
	case onProcess:
		if p.Kind == Upgrade {
			p.upgrade(nodes)
			return
		}
		for _, n := range nodes {
			p.applyProcess(n)
		}
	case onNetwork:
		p.applyNetwork(nodes)
	case onStream:
		for _, n := range nodes {
			p.applyStream(n)
		}
	case onDisk:
		p.applyDisks(nodes)
	case onClock:
		for _, n := range nodes {
			p.applyClock(n)
		}
	}
}

// must is for errors that validation has ruled out.
func (p *planned) must(err error) {
	if err != nil {
		p.in.sys.Sim.Misuse(fmt.Errorf("fault: %s: %w", p.ID, err))
	}
}

// later runs f when d has passed, if the fault still goes on then.
func (p *planned) later(d time.Duration, f func()) {
	p.steps++
	s := p.in.sys.Sim
	s.ScheduleKeyed(s.Now().Add(d), nil, kernel.Device, p.tie(1+p.steps), kernel.Func(func() {
		if p.active {
			f()
		}
	}))
}

// onEnd runs f when the fault is over.
func (p *planned) onEnd(f func()) { p.undo = append(p.undo, f) }

// draws returns the numbers of one decision of the fault.
func (p *planned) draws(what string) kernel.Seq { return kernel.Seq{Stream: p.stream.Derive(what)} }

// or returns d, or what it stands for when it is 0.
func or[T comparable](d, other T) T {
	var zero T
	if d == zero {
		return other
	}
	return d
}
