package fault

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

func (p *planned) applyProcess(n *kernel.Node) {
	switch p.Kind {
	case Kill:
		p.takeDown(n)
	case PowerLoss, Outage:
		p.losePower(n)
		p.changed = true
		p.onEnd(func() { p.in.restart(n) })
	case Pause:
		p.pause(n)
	case CrashLoop:
		p.crashLoop(n)
	case CrashRecovery:
		p.crashRecovery(n)
	case LoseNode:
		p.in.gone[n] = lost
		p.losePower(n)
		p.changed = true
	case Leave:
		p.in.gone[n] = left
		if n.Alive() {
			n.Kill()
			p.changed = true
		}
	case Join:
		if n.State() == kernel.Down && (n.Boot() == 0 || p.in.gone[n] == left) {
			delete(p.in.gone, n)
			n.Start()
			p.changed = true
		}
	case SlowNode:
		p.slow(n)
	}
}

// absence says why a node is away for good.
type absence uint8

const (
	present absence = iota
	left
	lost
)

// restart starts a node that is down and not gone for good.
func (in *Injector) restart(n *kernel.Node) {
	if n.State() == kernel.Down && n.Boot() > 0 && in.gone[n] == present {
		n.Start()
	}
}

// takeDown kills a node until the end of the fault.
func (p *planned) takeDown(n *kernel.Node) bool {
	if !n.Alive() {
		return false
	}
	n.Kill()
	p.changed = true
	p.onEnd(func() { p.in.restart(n) })
	return true
}

func (p *planned) pause(n *kernel.Node) {
	if n.State() != kernel.Up {
		return
	}
	suspend := p.Profile == "stop-clock"
	stop := func(on bool) {
		if suspend {
			wall, _ := n.ClocksStopped()
			n.StopClocks(wall, p.in.stopMonotonic(n, on))
		}
	}
	stop(true)
	n.Pause()
	p.changed = true
	p.onEnd(func() {
		stop(false)
		if n.State() == kernel.Paused {
			n.Resume()
		}
	})
}

// stopMonotonic notes that a fault stops a node's monotonic clock, or does no
// longer, and returns whether any does.
func (in *Injector) stopMonotonic(n *kernel.Node, on bool) bool {
	if on {
		in.stopped[n]++
	} else {
		in.stopped[n]--
	}
	return in.stopped[n] > 0
}

// soon is how long a node that crashes again and again is down in between.
const soon = 5 * time.Millisecond

func (p *planned) crashLoop(n *kernel.Node) {
	if !n.Alive() {
		return
	}
	q := p.draws("loop/" + n.Name())
	var crash func(left int64)
	crash = func(left int64) {
		if n.Alive() {
			n.Kill()
			p.changed = true
		}
		if left <= 1 {
			return
		}
		p.later(time.Duration(q.Between(1, int64(soon))), func() {
			p.in.restart(n)
			p.later(time.Duration(q.Between(1, int64(or(p.Amount, 50*time.Millisecond)))), func() { crash(left - 1) })
		})
	}
	crash(or(p.Count, 3))
	p.onEnd(func() { p.in.restart(n) })
}

// crashRecovery crashes a node, and once more when its new incarnation comes to
// a certain disk operation.
func (p *planned) crashRecovery(n *kernel.Node) {
	p.losePower(n)
	p.onEnd(func() { p.in.restart(n) })
	v := p.volume(n)
	if v == nil {
		return
	}
	boot, ops, again := n.Boot()+1, int64(0), false
	v.OnOp(func(_ simdisk.Op, when simdisk.When) {
		if again || !p.active || n.Boot() != boot || when == simdisk.After {
			return
		}
		if ops++; ops == or(p.Count, 1) {
			again, p.changed = true, true
			p.losePower(n)
		}
	})
	q := p.draws("recovery/" + n.Name())
	p.later(time.Duration(q.Between(1, int64(soon))), func() { p.in.restart(n) })
}

func (p *planned) slow(n *kernel.Node) {
	if n.Cost() > 0 {
		return
	}
	p.must(n.SetCost(p.Amount))
	before := n.Served()
	over, served := false, uint64(0)
	p.met = append(p.met, func() uint64 {
		if over {
			return served
		}
		return n.Served() - before
	})
	p.onEnd(func() {
		over, served = true, n.Served()-before
		p.must(n.SetCost(0))
	})
}

// Version names another version of a node's program, for [Upgrade].
func (in *Injector) Version(name string, n *kernel.Node, f kernel.Factory) {
	switch {
	case !in.canName("a version", name):
		return
	case n == nil || f == nil:
		in.sys.Sim.Misuse(fmt.Errorf("fault: the version %q needs a node and a factory", name))
		return
	}
	in.versions = append(in.versions, version{name, n, f})
}

type version struct {
	name    string
	node    *kernel.Node
	factory kernel.Factory
}

func (in *Injector) version(name string, n *kernel.Node) kernel.Factory {
	for _, v := range in.versions {
		if v.name == name && v.node == n {
			return v.factory
		}
	}
	return nil
}

// upgrade restarts the nodes one after another as another version.
func (p *planned) upgrade(nodes []*kernel.Node) {
	var upgraded []func()
	for i, n := range nodes {
		f, old := p.in.version(p.Profile, n), n.Factory()
		if f == nil {
			continue
		}
		replace := func(f kernel.Factory) {
			n.SetFactory(f)
			if n.Alive() {
				n.Kill()
			}
			p.in.restart(n)
		}
		step := func() {
			p.changed = true
			replace(f)
			upgraded = append(upgraded, func() { replace(old) })
		}
		if i == 0 {
			step()
			continue
		}
		p.later(time.Duration(i)*or(p.Amount, 100*time.Millisecond), step)
	}
	if p.For > 0 {
		p.onEnd(func() {
			for _, back := range upgraded {
				back()
			}
		})
	}
}
