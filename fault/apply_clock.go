package fault

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func (p *planned) applyClock(n *kernel.Node) {
	switch p.Kind {
	case ClockStep:
		n.StepClock(p.Amount)
		p.changed = p.changed || p.Amount != 0
	case ClockOffset:
		n.StepClock(p.Amount)
		p.changed = p.changed || p.Amount != 0
		p.onEnd(func() { n.StepClock(-p.Amount) })
	case ClockStepDown:
		if p.takeDown(n) {
			n.StepClock(p.Amount)
		}
	case ClockStrobe:
		p.strobe(n)
	case ClockFreeze:
		p.freeze(n)
	case ClockTick:
		if n.Tick() == p.Amount {
			return
		}
		p.changed = true
		p.must(n.SetTick(p.Amount))
		p.onEnd(func() { p.must(n.SetTick(0)) })
	case TimerError:
		p.timerError(n)
	case ClockDrift:
		p.changed = p.changed || n.Drift() != p.Rate
		p.must(n.SetDrift(p.Rate))
		p.onEnd(func() { p.must(n.SetDrift(0)) })
	}
}

// strobe steps a clock to and fro.
func (p *planned) strobe(n *kernel.Node) {
	q := p.draws("strobe/" + n.Name())
	away := false
	step := func() {
		by := p.Amount
		if away {
			by = -by
		}
		away = !away
		n.StepClock(by)
	}
	var turn func()
	turn = func() {
		step()
		p.later(time.Duration(q.Between(int64(time.Millisecond), int64(20*time.Millisecond))), turn)
	}
	turn()
	p.changed = p.changed || p.Amount != 0
	p.onEnd(func() {
		if away {
			step()
		}
	})
}

func (p *planned) freeze(n *kernel.Node) {
	if wall, _ := n.ClocksStopped(); wall {
		return
	}
	p.changed = true
	all := p.Profile == "all"
	from := n.Sim().Now()
	stop := func(on bool) {
		_, mono := n.ClocksStopped()
		if all {
			mono = p.in.stopMonotonic(n, on)
		}
		n.StopClocks(on, mono)
	}
	stop(true)
	p.onEnd(func() {
		stop(false)
		n.StepClock(n.Sim().Now().Sub(from))
	})
}

func (p *planned) timerError(n *kernel.Node) {
	if n.TimerErrorSet() {
		return
	}
	early, late := p.Amount, p.Amount
	switch p.Profile {
	case "early":
		late = 0
	case "late":
		early = 0
	}
	p.must(n.SetTimerError(early, late, p.stream.Derive("timers/"+n.Name())))
	over, armed := false, uint64(0)
	p.met = append(p.met, func() uint64 {
		if over {
			return armed
		}
		return n.TimerErrors()
	})
	p.onEnd(func() {
		over, armed = true, n.TimerErrors()
		p.must(n.SetTimerError(0, 0, kernel.Stream{}))
	})
}
