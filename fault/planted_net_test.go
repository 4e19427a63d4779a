package fault

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

const settled = 1500 * time.Millisecond // after which all gaps of a moment are known

// shapes calls f, once all is known, with the pairs of servers that lost each
// other until some moment.
func shapes(k *kit, f func(pairs int, degrees []int)) hooks {
	done := 0
	return hooks{tick: func(p *probe) {
		for p.name == "c1" && done < len(k.gaps) && k.now() > k.gaps[done].t1.Add(settled) {
			g := k.gaps[done]
			done++
			degree, pairs, clients := map[string]int{}, 0, false
			for _, n := range k.nodes[:5] {
				if k.probes[n.Name()].began > g.t0 || !n.Alive() {
					clients = true // one that was down says nothing
				}
				for from := range k.missing(n.Name(), g.t1, 3) {
					clients = clients || from == "c1"
					if from < n.Name() && k.missing(from, g.t1, 3)[n.Name()] {
						pairs++
						degree[from]++
						degree[n.Name()]++
					}
				}
			}
			var list []int
			for _, n := range k.nodes[:5] {
				list = append(list, degree[n.Name()])
			}
			slices.Sort(list)
			if !clients { // and all were there
				f(pairs, list)
			}
		}
	}}
}

// heard returns how many servers a node had heard all the time of a gap.
func (k *kit) heard(g gap) int {
	n := 0
	for _, s := range k.nodes[:5] {
		if s.Name() != g.to && s.Name() != g.from && k.arrived(s.Name(), g.to, g.t0, g.t1) >= g.lost-2 {
			n++
		}
	}
	return n
}

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

func cutBugs() []bug {
	return []bug{
		{Isolate, "who hears nobody has nobody who hears others", list(Partition, Bandwidth, LossBurst), func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				if g.lost >= 10 && servers(m) == 4 && m["c1"] {
					hit()
				}
			})
		}},
		{Partition, "the client is on the side of the leader", list(Isolate, LossBurst, Bandwidth), func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				if g.lost < 10 || g.from != "c1" || servers(m) == 0 {
					return
				}
				for _, n := range k.nodes[:5] { // one that is on the same side
					if n.Name() != g.to && !m[n.Name()] && k.missing(n.Name(), g.t1, 10)["c1"] && k.arrived(n.Name(), g.to, g.t0, g.t1) > 0 {
						hit()
					}
				}
			})
		}},
		{OneWay, "who hears me is heard by me", list(LossBurst), func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				if g.lost < 10 || g.from == "c1" || k.arrived(g.to, g.from, g.t0, g.t1) < g.lost-2 {
					return
				}
				others := 0 // it is not this link alone
				for _, n := range k.nodes[:5] {
					if n.Name() != g.to && k.missing(n.Name(), g.t1, 10)[g.from] {
						others++
					}
				}
				if others >= 2 {
					hit()
				}
			})
		}},
	}
}

func shapeBugs() []bug {
	return []bug{
		{Ring, "two nodes that see a majority see the same", nil, func(k *kit, hit func()) hooks {
			return shapes(k, func(pairs int, d []int) {
				if pairs == 5 && slices.Equal(d, []int{2, 2, 2, 2, 2}) {
					hit()
				}
			})
		}},
		{Bridge, "a node is on one side of a partition", nil, func(k *kit, hit func()) hooks {
			return shapes(k, func(pairs int, d []int) {
				if pairs == 4 && slices.Equal(d, []int{0, 2, 2, 2, 2}) {
					hit()
				}
			})
		}},
		{Partial, "who reaches a node reaches all that it reaches", list(Ring, CorruptMessage), func(k *kit, hit func()) hooks {
			return shapes(k, func(pairs int, d []int) {
				if pairs == 3 && d[4] == 2 || pairs == 2 && d[4] == 1 {
					hit()
				}
			})
		}},
		{Flap, "a node that is back stays", list(Isolate, Partition, Loss, LossBurst, CorruptMessage), func(k *kit, hit func()) hooks {
			seen := map[string][]gap{}
			return later(k, func(g gap, m map[string]bool) {
				if servers(k.missing(g.to, g.t1, 2)) != 4 || m["c1"] {
					return
				}
				list := seen[g.to]
				if n := len(list); n == 0 || g.t1.Sub(list[n-1].t1) > 100*ms {
					list = append(list, g)
				}
				seen[g.to] = list
				if n := len(list); n >= 3 && g.t1.Sub(list[n-3].t1) < 3*sec {
					hit()
				}
			})
		}},
		{ClientsCut, "a server that leads reaches its clients", nil, func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				if g.from == "c1" && g.lost >= 36 && servers(m) == 0 && k.heard(g) >= 2 {
					hit()
				}
			})
		}},
	}
}

func clogBugs() []bug {
	return []bug{
		{Clog, "what is late is lost", list(SwizzleClog, Delay), func(k *kit, hit func()) hooks {
			return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
				list := p.from[from].beats
				n := len(list)
				if n < 8 || len(p.ticks) == 0 || p.last.Sub(p.ticks[len(p.ticks)-1].at) > 60*ms {
					return
				}
				instants, lo, hi := map[kernel.Time]bool{}, list[n-1].sent, list[n-1].sent
				for _, a := range list[n-8:] {
					instants[a.at] = true
					lo, hi = min(lo, a.sent), max(hi, a.sent)
				}
				if len(instants) >= 4 && list[n-1].at.Sub(list[n-8].at) < 6*ms && hi.Sub(lo) >= 250*ms {
					hit()
				}
			}}
		}},
		{SwizzleClog, "some pair of servers can always talk", list(Bandwidth), func(k *kit, hit func()) hooks {
			var last kernel.Time
			return hooks{beat: func(p *probe, from string, b *beat, _ bool) {
				if p.name == "c1" || from == "c1" {
					return
				}
				up := 0
				for _, n := range k.nodes[:5] {
					if q := k.probes[n.Name()]; n.State() == kernel.Up && len(q.ticks) > 10 && k.now().Sub(q.ticks[len(q.ticks)-10].at) < 600*ms {
						up++
					}
				}
				if up >= 4 && last > 0 && k.now().Sub(last) > 220*ms && b.At < k.now()-kernel.Time(150*ms) {
					hit()
				}
				last = k.now()
			}}
		}},
	}
}

func messageBugs() []bug {
	return []bug{
		{LoseReply, "a request whose reply is lost was lost with all else", nil, func(k *kit, hit func()) hooks {
			got, lost := map[int]bool{}, []kernel.Time{}
			return hooks{other: func(p *probe, _ string, msg any) {
				if r, ok := msg.(reply); ok {
					got[r.ID] = true
				}
			}, tick: func(p *probe) {
				id := p.seq - 2*50 // four seconds ago
				at, done := k.replied[id]
				if p.name != "c1" || !done || got[id] || k.now() < kernel.Time(4*sec) {
					return
				}
				clean := !slices.ContainsFunc(k.gaps, func(g gap) bool {
					return g.t1 > at-kernel.Time(400*ms) && g.t0 < at+kernel.Time(400*ms)
				})
				if clean && k.net.Stats().Dropped[0] == 0 {
					if lost = append(lost, at); len(lost) >= 2 {
						hit()
					}
				}
			}}
		}},
		{DropMessage, "a vote is not lost alone", nil, func(k *kit, hit func()) hooks {
			alone := 0
			return hooks{other: func(p *probe, from string, msg any) {
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
				if alone++; alone >= 2 {
					hit()
				}
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
		{Loss, "losses come in runs", list(CorruptMessage, LossBurst, Flap), func(k *kit, hit func()) hooks {
			single := map[string][]int{}
			return hooks{gap: func(p *probe, g gap) {
				link := g.from + g.to
				if g.lo == g.hi {
					single[link] = append(single[link], g.lo)
				}
				if s := single[link]; len(s) >= 6 && s[len(s)-1]-s[len(s)-6] < 30 {
					hit()
				}
			}}
		}},
		{LossBurst, "many messages in a row are lost both ways", list(OneWay, Loss, CorruptMessage), func(k *kit, hit func()) hooks {
			return later(k, func(g gap, m map[string]bool) {
				sent := k.arrived(g.to, g.from, g.t0, g.t1)
				if g.lost >= 8 && g.from != "c1" && len(m) == 1 && len(k.missing(g.from, g.t1, 3)) == 0 && sent >= g.lost-2 {
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
				if first || b.Pad != pad(b) || k.now().Sub(p.from[from].seen[b.Seq]) > 10*ms {
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
		{Delay, "the order of messages changes little", nil, func(k *kit, hit func()) hooks { return alternates(hit, 7) }},
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
			slow := map[string]int{}
			return hooks{other: func(p *probe, from string, msg any) {
				b, ok := msg.(bulk)
				h := p.from[from]
				if !ok || h == nil {
					return
				}
				small, ok := h.seen[b.Seq]
				if link := from + p.name; ok && k.now().Sub(small) > 40*ms {
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
// them.
func alternates(hit func(), most int) hooks {
	return hooks{beat: func(p *probe, from string, _ *beat, _ bool) {
		h := p.from[from]
		if len(h.beats) < 40 {
			return
		}
		list := slices.Clone(h.beats[len(h.beats)-40:])
		slices.SortFunc(list, func(a, b arrival) int { return a.seq - b.seq })
		n := 0
		for i, a := range list[1:30] {
			if a.age() > 70*ms && list[i].age() < 12*ms && list[i].seq == a.seq-1 {
				n++
			}
		}
		if n >= most {
			hit()
		}
	}}
}
