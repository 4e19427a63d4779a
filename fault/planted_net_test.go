package fault

import (
	"fmt"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

const settled = 1500 * time.Millisecond // after which all gaps of a moment are known

// later calls f with each gap once all others of its moment are known, and with
// whom else the node has lost.
func later(k *kit, f func(g gap, missing map[string]bool)) hooks {
	done := 0
	return hooks{tick: func(p *probe) {
		for p.name == "c1" && done < len(k.gaps) && k.now() > k.gaps[done].t1.Add(settled) {
			g := k.gaps[done]
			done++
			f(g, k.missing(g.to, g.t1, 3))
		}
	}}
}

// servers returns how many of the names are of servers.
func servers(m map[string]bool) int {
	if m["c1"] {
		return len(m) - 1
	}
	return len(m)
}

func clogBugs() []bug {
	return []bug{
		{Clog, "what is late is lost", list(SwizzleClog, Delay), func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
				if p.burst(from, 250*ms) {
					hit()
				}
			}}
		}},
		{SwizzleClog, "links that stall do not stall one after another", list(Clog), func(k *kit, hit func()) hooks {
			type link struct{ from, to string }
			bursts := map[link]kernel.Time{}
			return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
				if !p.burst(from, 150*ms) {
					return
				}
				now := k.now()
				bursts[link{from, p.name}] = now
				ends := map[string][]kernel.Time{} // of links that a server shares with others
				for l, at := range bursts {
					if now.Sub(at) < 1200*ms {
						ends[l.from], ends[l.to] = append(ends[l.from], at), append(ends[l.to], at)
					}
				}
				stalled := 0
				for _, n := range k.nodes[:5] {
					list := ends[n.Name()]
					slices.Sort(list)
					for i := 2; i < len(list); i++ {
						if list[i].Sub(list[i-2]) < 10*ms { // with three at once
							stalled++
							break
						}
					}
				}
				if stalled >= 3 {
					hit()
				}
			}}
		}},
	}
}

// burst reports whether the last eight beats of a sender have come together,
// though they were sent over a long time.
func (p *probe) burst(from string, over time.Duration) bool {
	list := p.from[from].beats
	n := len(list)
	if n < 8 || len(p.ticks) == 0 || p.last.Sub(p.ticks[len(p.ticks)-1].at) > 60*ms {
		return false // or it was paused
	}
	instants, lo, hi := map[kernel.Time]bool{}, list[n-1].sent, list[n-1].sent
	for _, a := range list[n-8:] {
		instants[a.at] = true
		lo, hi = min(lo, a.sent), max(hi, a.sent)
	}
	return len(instants) >= 4 && list[n-1].at.Sub(list[n-8].at) < 6*ms && hi.Sub(lo) >= over
}

func messageBugs() []bug {
	return []bug{
		{LoseReply, "a request whose reply is lost was lost with all else", list(DropMessage, HoldMessage, CorruptMessage, Bandwidth), func(k *kit, hit func()) hooks {
			got := map[int]bool{}
			return hooks{other: func(p *probe, _ string, msg any) {
				if r, ok := msg.(reply); ok {
					got[r.ID] = true
				}
			}, tick: func(p *probe) {
				id := p.seq - 2*50 // four seconds ago
				_, done := k.replied[id]
				if p.name == "c1" && done && !got[id] && k.net.Stats().Dropped[simnet.DropLoss] == 0 {
					hit()
				}
			}}
		}},
		{DropMessage, "a vote is not lost alone", nil, func(k *kit, hit func()) hooks {
			alone, beats := 0, 0
			return hooks{gap: func(_ *probe, g gap) {
				if g.lost == 1 {
					beats++
				}
			}, final: func() { // by chance 25 beats would be lost for one vote
				if alone >= 2 && beats < 5*alone {
					hit()
				}
			}, other: func(p *probe, from string, msg any) {
				v, ok := msg.(vote)
				if !ok {
					return
				}
				last := p.votes[from]
				p.votes[from] = max(last, v.Seq)
				h := p.from[from]
				if last == 0 || v.Seq != last+2 || h == nil {
					return
				}
				for seq := 25*(last+1) - 8; seq <= 25*(last+1)+8; seq++ {
					if _, ok := h.seen[seq]; !ok {
						return
					}
				}
				alone++
			}}
		}},
		{HoldMessage, "no message is older than six seconds", nil, func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, _ string, b *beat, first bool) {
				if first && b.Pad == pad(b) && k.now().Sub(b.At) > 6200*ms {
					hit()
				}
			}}
		}},
	}
}

func lossBugs() []bug {
	return []bug{
		{Loss, "losses come in runs", list(CorruptMessage, LossBurst, Bandwidth), func(k *kit, hit func()) hooks {
			single := map[string][]int{}
			return hooks{gap: func(p *probe, g gap) {
				link := g.from + g.to
				if g.lo == g.hi && k.byChance(g) {
					single[link] = append(single[link], g.lo)
				}
				if s := single[link]; len(s) >= 6 && s[len(s)-1]-s[len(s)-6] < 30 {
					hit()
				}
			}}
		}},
		{LossBurst, "many messages in a row are lost both ways", list(Loss, CorruptMessage), func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				sent := k.arrived(g.to, g.from, g.t0, g.t1)
				if g.lost >= 8 && k.byChance(g) && g.from != "c1" && len(m) == 1 && len(k.missing(g.from, g.t1, 3)) == 0 && sent >= g.lost-2 {
					for _, n := range k.nodes[:5] { // the others hear the sender
						if k.missing(n.Name(), g.t1, 3)[g.from] && n.Name() != g.to {
							return
						}
					}
					hit()
				}
			})
		}},
		{Duplicate, "a message arrives once", nil, func(k *kit, hit func()) hooks {
			twice := map[string][]int{}
			return hooks{beat: func(p *probe, from string, b *beat, first bool) {
				link := from + p.name
				at := p.from[from].seen[b.Seq]
				if first || b.Pad != pad(b) || k.now().Sub(at) > 10*ms || at.Sub(b.At) > 20*ms {
					return
				}
				twice[link] = append(twice[link], b.Seq)
				if s := twice[link]; len(s) >= 4 && s[len(s)-1]-s[len(s)-4] < 10 {
					hit()
				}
			}}
		}},
		{LateDuplicate, "a copy arrives soon", nil, func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, from string, b *beat, first bool) {
				if !first && b.Pad == pad(b) && k.now().Sub(p.from[from].seen[b.Seq]) > 3300*ms {
					hit()
				}
			}}
		}},
	}
}

func linkBugs() []bug {
	return []bug{
		{Delay, "the order of messages changes little", list(Bandwidth), func(k *kit, hit func()) hooks { return alternates(hit, 7) }},
		{LongTail, "a message takes no longer than the one before", list(Delay, HoldMessage, Bandwidth), func(k *kit, hit func()) hooks { return alternates(hit, 3) }},
		{Latency, "a round trip takes 80 ms at most", nil, func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
				list := p.from[from].beats
				if len(list) < 12 {
					return
				}
				list = list[len(list)-12:]
				lo, hi := list[0].age(), list[0].age()
				for i, a := range list {
					lo, hi = min(lo, a.age()), max(hi, a.age())
					if a.seq != list[0].seq+i {
						return
					}
				}
				if lo > 45*ms && hi-lo < 4200*time.Microsecond {
					hit()
				}
			}}
		}},
		{CorruptMessage, "what arrives is what was sent", nil, func(k *kit, hit func()) hooks {
			return hooks{beat: func(_ *probe, _ string, b *beat, _ bool) {
				if b.Pad != pad(b) {
					hit()
				}
			}}
		}},
		{Bandwidth, "a large message takes as long as a small one", list(Delay), func(k *kit, hit func()) hooks {
			slow, seen := map[string]int{}, map[string]bool{}
			return hooks{other: func(p *probe, from string, msg any) {
				b, ok := msg.(bulk)
				h := p.from[from]
				if !ok || h == nil {
					return
				}
				small, ok := h.seen[b.Seq]
				link := from + p.name
				copied := seen[fmt.Sprint(link, b.Seq)]
				if seen[fmt.Sprint(link, b.Seq)] = true; copied {
					return
				}
				if ok && k.now().Sub(small) > 40*ms {
					if slow[link]++; slow[link] >= 5 {
						hit()
					}
				} else {
					slow[link] = 0
				}
			}}
		}},
	}
}

// alternates looks for many beats of a link that were late, and not those before
// and after them.
func alternates(hit func(), most int) hooks {
	return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
		h := p.from[from]
		if len(h.beats) < 40 {
			return
		}
		list := slices.Clone(h.beats[len(h.beats)-40:])
		slices.SortFunc(list, func(a, b arrival) int { return a.seq - b.seq })
		if list[39].seq-list[0].seq > 41 {
			return // many are lost: copies that come late stand in for them
		}
		n := 0
		for i, a := range list[1:30] {
			if a.age() > 70*ms && list[i].age() < 12*ms && list[i].seq == a.seq-1 && list[i+2].age() < 12*ms && list[i+2].seq == a.seq+1 {
				n++
			}
		}
		if n >= most {
			hit()
		}
	}}
}
