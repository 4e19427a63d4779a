package fault

import (
	"slices"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// picture is who is cut from whom at one moment: the five servers, and the client
// as number 5. It is taken when a node sends its beats, and only while all are up.
type picture struct {
	cut   [6][6]bool // both ways
	half  bool       // some pair is cut one way only
	pairs int        // of servers that are cut
	lost  [6]int     // how many servers each is cut from
}

const client = 5

// picture takes it, or returns nil.
func (k *kit) picture() *picture {
	m := &picture{}
	for i, a := range k.nodes[:6] {
		if !a.Alive() {
			return nil
		}
		for j, b := range k.nodes[:i] {
			there, back := k.net.Open(a.Name(), b.Name()), k.net.Open(b.Name(), a.Name())
			if m.half = m.half || there != back; there || back {
				continue
			}
			m.cut[i][j], m.cut[j][i] = true, true
			m.lost[i]++
			if i != client {
				m.lost[j]++
				m.pairs++
			}
		}
	}
	return m
}

// degrees returns from how many servers each server is cut, in ascending order.
func (m *picture) degrees() []int {
	list := slices.Clone(m.lost[:client])
	slices.Sort(list)
	return list
}

// cutBugs are wrong about who reaches whom.
func cutBugs() []bug {
	return []bug{
		{Isolate, "a server that hears nobody is not alone in that", list(Partition, Flap), func(k *kit, hit func()) hooks {
			return hooks{cuts: func(m *picture) {
				for i := range client {
					if m.cut[i][client] && m.lost[i] == 4 && m.pairs == 4 && m.lost[client] == 1 {
						hit()
					}
				}
			}}
		}},
		{Partition, "the client is on the side of the majority", nil, func(k *kit, hit func()) hooks {
			return hooks{cuts: func(m *picture) {
				var side []int
				for i := range client {
					if m.cut[i][client] {
						side = append(side, i)
					}
				}
				n := len(side)
				apart := n >= 3 && m.pairs == n*(client-n)
				for _, i := range side {
					apart = apart && m.lost[i] == client-n
				}
				if apart && n < client {
					hit()
				}
			}}
		}},
		{OneWay, "who hears me is heard by me", nil, func(k *kit, hit func()) hooks {
			return hooks{cuts: func(m *picture) {
				if m.half {
					hit()
				}
			}}
		}},
	}
}

// shapeBugs are wrong about which shapes that can have.
func shapeBugs() []bug {
	shape := func(hit func(), pairs int, degrees ...int) hooks {
		return hooks{cuts: func(m *picture) {
			if m.pairs == pairs && slices.Equal(m.degrees(), degrees) {
				hit()
			}
		}}
	}
	return []bug{
		{Ring, "two servers that see a majority see the same", list(Partial), func(k *kit, hit func()) hooks { return shape(hit, 5, 2, 2, 2, 2, 2) }},
		{Bridge, "a server is on one side of a partition", list(Partial), func(k *kit, hit func()) hooks { return shape(hit, 4, 0, 2, 2, 2, 2) }},
		{Partial, "who reaches a server reaches all that it reaches", nil, func(k *kit, hit func()) hooks {
			return hooks{cuts: func(m *picture) {
				if m.pairs == 2 || m.pairs == 3 {
					hit()
				}
			}}
		}},
		{Flap, "a server that is back stays", nil, func(k *kit, hit func()) hooks {
			var away [client]bool
			var since [client][]kernel.Time
			return hooks{cuts: func(m *picture) {
				for i := range client {
					was := away[i]
					if away[i] = m.lost[i] == 4; !away[i] || was {
						continue
					}
					since[i] = append(since[i], k.now())
					if n := len(since[i]); n >= 3 && since[i][n-1].Sub(since[i][n-3]) < 800*time.Millisecond {
						hit()
					}
				}
			}}
		}},
		{ClientsCut, "a server that leads reaches its clients", nil, func(k *kit, hit func()) hooks {
			return hooks{cuts: func(m *picture) {
				for i := range client {
					if m.cut[i][client] && m.lost[i] == 0 {
						hit()
					}
				}
			}}
		}},
	}
}
