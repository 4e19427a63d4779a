package faultline

import (
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// Draw returns a number from least to most for the setup's own random
// decisions, such as how many servers and clients there are. Unlike what
// [World.Rand] gives it is part of the schedule, and shrinking makes it as small
// as it can: a failure that five servers have and three as well is shown with
// three. The name says what it is; a second call with the same name returns
// the same.
func (w *World) Draw(name string, least, most int) int {
	w.before("Draw")
	if name == "" || most < least {
		w.sim.Misuse(fmt.Errorf("faultline: Draw(%q, %d, %d): it needs a name, and bounds of which the second is not smaller", name, least, most))
		return least
	}
	if v, drawn := w.numbers[name]; drawn {
		return v
	}
	p := w.sim.ChoicePoint("setup/" + name)
	width := int64(most) - int64(least)
	v := least + int(p.SettleWithin(0, p.Stream().Between(0, 0, width), width))
	w.numbers[name] = v
	return v
}

// pointJitter is the choice that takes the jitter from the network: 1 makes
// every message take its link's latency exactly.
const pointJitter = "run/jitter"

// calm takes the jitter from a link.
func calm(l simnet.Link) simnet.Link {
	if l.Latency == 0 {
		l.Latency = simnet.DefaultLatency
		if l.Jitter != 0 {
			l.Latency = time.Nanosecond // as little as the link can take
		}
	}
	l.Jitter = 0
	return l
}

// given returns the choice of that name that a replay is given; 0 if none is.
func (w *World) given(point string) int64 {
	return w.sim.ChoicePoint(point).SettleWithin(0, 0, 1)
}

// choices returns the choices that were not the default, in the order in which
// they were made.
func (w *World) choices() []kernel.Choice {
	made := w.sim.Choices()
	if len(w.own) == 0 {
		return made
	}
	out := make([]kernel.Choice, 0, len(made)+len(w.own))
	own := w.own
	for _, c := range made {
		for len(own) > 0 && own[0].Time < c.Time {
			out, own = append(out, own[0]), own[1:]
		}
		out = append(out, c)
	}
	return append(out, own...)
}
