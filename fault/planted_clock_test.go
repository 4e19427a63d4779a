package fault

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet/stream"
)

func streamBugs() []bug {
	return []bug{
		{StreamRefuse, "a server that runs accepts", list(StreamReset), func(k *kit, hit func()) hooks {
			return hooks{conn: func(_ *probe, what string, err error) {
				if s := k.probes["n1"]; what == "dial" && err == stream.Refused && s.n.Alive() && k.now().Sub(s.began) > 500*ms {
					hit()
				}
			}}
		}},
		{StreamHang, "a server that is heard answers", list(OneWay, ClientsCut, Clog, SwizzleClog, Loss, LossBurst, CorruptMessage, Bandwidth, Delay), func(k *kit, hit func()) hooks {
			return hooks{conn: func(_ *probe, what string, err error) {
				n := k.arrived("c1", "n1", k.now()-kernel.Time(400*ms), k.now())
				if s := k.probes["n1"]; what == "dial" && err == stream.Timeout && n >= 7 && k.now().Sub(s.began) > 500*ms {
					hit()
				}
			}}
		}},
		{StreamReset, "a connection ends only with its process", list(StreamHalfOpen), func(k *kit, hit func()) hooks { return broken(k, hit, 0, 160*ms) }},
		{StreamHalfOpen, "the other end knows soon that a connection has ended", list(StreamReset), func(k *kit, hit func()) hooks { return broken(k, hit, 20*ms, 160*ms) }},
		{StreamShort, "a write takes all that it is given", nil, func(k *kit, hit func()) hooks {
			return hooks{conn: func(_ *probe, what string, _ error) {
				if what == "short" {
					hit()
				}
			}}
		}},
	}
}

// broken looks for a connection that failed at both ends, while their processes
// went on, with so much time between.
func broken(k *kit, hit func(), least, most time.Duration) hooks {
	return hooks{conn: func(_ *probe, what string, err error) {
		if err != stream.Reset {
			return
		}
		if what == "server" {
			k.broken = k.now()
			return
		}
		d := k.now().Sub(k.broken)
		if what == "client" && k.broken > 0 && d >= least && d < most && k.now().Sub(k.probes["n1"].began) > sec {
			hit()
		}
	}}
}

// jump is a step of a wall clock between two ticks.
type jump struct {
	at            kernel.Time
	before, after time.Duration // offsets
}

// jumps calls f at each tick with the steps of at least size so far, and how far
// the clock is off now.
func jumps(size time.Duration, f func(p *probe, list []jump, now time.Duration)) hooks {
	list := map[*probe][]jump{}
	return hooks{tick: func(p *probe) {
		n := len(p.ticks)
		if n < 2 {
			return
		}
		a, b := p.ticks[n-2], p.ticks[n-1]
		if d := b.offset - a.offset; b.at.Sub(a.at) < 100*ms && (d >= size || d <= -size) {
			list[p] = append(list[p], jump{b.at, a.offset, b.offset})
		}
		f(p, list[p], b.offset)
	}}
}

func near(d time.Duration) bool { return d > -50*ms && d < 50*ms }

func clockBugs() []bug {
	return []bug{
		{ClockStep, "a clock that is wrong is put right", nil, func(k *kit, hit func()) hooks {
			return jumps(1100*ms, func(p *probe, list []jump, now time.Duration) {
				if len(list) == 1 && near(list[0].before) && k.now().Sub(list[0].at) > 5300*ms && (now > 400*ms || now < -400*ms) {
					hit()
				}
			})
		}},
		{ClockOffset, "a clock does not come back to where it was", nil, func(k *kit, hit func()) hooks {
			return jumps(1100*ms, func(p *probe, list []jump, _ time.Duration) {
				if n := len(list); n >= 2 && near(list[n-2].before) && near(list[n-1].after) && !near(list[n-2].after) && list[n-1].at.Sub(list[n-2].at) > 150*ms {
					hit()
				}
			})
		}},
		{ClockStepDown, "a clock goes on while the process is down", list(ClockStep, ClockOffset, ClockStrobe, ClockFreeze, ClockTick, ClockDrift), func(k *kit, hit func()) hooks {
			return hooks{start: func(p *probe) {
				if d := offset(p.n) - k.left[p.name].offset; p.n.Boot() > 1 && !near(d) {
					hit()
				}
			}}
		}},
		{ClockStrobe, "a clock that jumps does not jump back at once", nil, func(k *kit, hit func()) hooks {
			return jumps(60*ms, func(p *probe, list []jump, _ time.Duration) {
				n := len(list)
				if n < 4 || list[n-1].at.Sub(list[n-4].at) > 400*ms {
					return
				}
				for i := n - 3; i < n; i++ {
					if (list[i].after > list[i].before) == (list[i-1].after > list[i-1].before) {
						return
					}
				}
				hit()
			})
		}},
		{ClockFreeze, "two events have two times", nil, func(k *kit, hit func()) hooks {
			return hooks{tick: func(p *probe) {
				n := len(p.ticks)
				if n < 3 {
					return
				}
				a, b, c := p.ticks[n-3], p.ticks[n-2], p.ticks[n-1]
				if a.offset-b.offset == b.at.Sub(a.at) && b.offset-c.offset == c.at.Sub(b.at) && a.mono < b.mono && b.mono < c.mono {
					hit()
				}
			}}
		}},
		{ClockTick, "time has passed when a timer fires", nil, func(k *kit, hit func()) hooks {
			return hooks{tick: func(p *probe) {
				if n := len(p.ticks); n > 1 && p.ticks[n-1].mono == p.ticks[n-2].mono && p.ticks[n-1].at.Sub(p.ticks[n-2].at) > 20*ms {
					hit()
				}
			}}
		}},
		{TimerError, "a timer does not fire early", nil, func(k *kit, hit func()) hooks {
			return hooks{tick: func(p *probe) {
				if n := len(p.ticks); n > 1 && p.ticks[n-1].at.Sub(p.ticks[n-1].armed) < 33*ms {
					hit()
				}
			}}
		}},
		{ClockDrift, "clocks run alike", nil, func(k *kit, hit func()) hooks {
			same := map[*probe]int{}
			return hooks{tick: func(p *probe) {
				n := len(p.ticks)
				if n < 2 {
					return
				}
				a, b := p.ticks[n-2], p.ticks[n-1]
				truth := b.at.Sub(a.at)
				off := b.mono - a.mono - truth
				if off = max(off, -off); off > truth/100 && off < truth/8 && b.at.Sub(b.armed) > 0 {
					if same[p]++; same[p] > 12 {
						hit()
					}
				} else {
					same[p] = 0
				}
			}}
		}},
	}
}
