package fault

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// apply makes the fault happen to its nodes and notes how it is undone.
func (p *planned) apply(nodes []*kernel.Node) {
	switch p.trait.on {
	case onProcess:
		for _, n := range nodes {
			p.applyProcess(n)
		}
	case onNetwork:
		p.applyNetwork(nodes)
	case onDisk:
		p.applyDisks(nodes)
	case onClock:
		for _, n := range nodes {
			p.applyClock(n)
		}
	}
}

func (p *planned) applyProcess(n *kernel.Node) {
	switch p.Kind {
	case Kill:
		if !n.Alive() {
			return
		}
		n.Kill()
	case PowerLoss, Outage:
		p.losePower(n)
	case Pause:
		if n.State() != kernel.Up {
			return
		}
		n.Pause()
		p.changed = true
		p.undo = append(p.undo, func() {
			if n.State() == kernel.Paused {
				n.Resume()
			}
		})
		return
	}
	p.changed = true
	p.undo = append(p.undo, func() {
		if n.State() == kernel.Down {
			n.Start()
		}
	})
}

func (p *planned) applyClock(n *kernel.Node) {
	switch p.Kind {
	case ClockStep:
		n.StepClock(p.Amount)
		p.changed = p.changed || p.Amount != 0
	case ClockDrift:
		p.changed = p.changed || n.Drift() != p.Rate
		p.must(n.SetDrift(p.Rate))
		p.undo = append(p.undo, func() { p.must(n.SetDrift(0)) })
	}
}

// must is for errors that validation has ruled out.
func (p *planned) must(err error) {
	if err != nil {
		p.in.sys.Sim.Misuse(fmt.Errorf("fault: %s: %w", p.ID, err))
	}
}
