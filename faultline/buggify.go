package faultline

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
)

// buggifyActive is the share of runs in which a place is active, in parts per
// million, as in FoundationDB.
const buggifyActive = 250_000

// bugPlace is one place of one node at which the code may misbehave.
type bugPlace struct {
	point  *kernel.ChoicePoint
	active bool
	asked  uint64
}

// Buggify lets the code under test do what is legal and rare: flush at once, give
// a smaller batch, answer late, take the slow path, fail with an error that a
// caller must expect. It reports whether to do so here and now. The name says
// what is done; ppm is how often, in parts per million of the calls (0 to
// 1,000,000), in the quarter of the runs in which that name is active, which is
// the same for all nodes. In the quiet phase, before the start, and on a node
// that is down it reports false. What it has answered is part of the schedule:
// it is replayed, and shrinking takes away what a failure does not need.
//
// Give the code under test a function, which is nil or returns false outside of
// the simulation. It is the BUGGIFY of FoundationDB (Zhou et al., SIGMOD 2021).
func (n *Node) Buggify(name string, ppm uint32) bool {
	w := n.world
	if name == "" || ppm > 1_000_000 {
		w.sim.Misuse(fmt.Errorf("faultline: Buggify(%q, %d): it needs a name, and parts per million from 0 to 1000000", name, ppm))
		return false
	}
	if !n.Alive() {
		return false
	}
	p := n.bugPlace(name)
	p.asked++
	drawn := int64(0)
	if p.active && (w.quiet == 0 || w.sim.Now() < kernel.Time(w.quiet)) && p.point.Stream().PPM(p.asked, ppm) {
		drawn = 1
	}
	if p.point.SettleWithin(p.asked, drawn, 1) == 0 {
		return false
	}
	n.Log("buggify", kernel.Str("name", name))
	return true
}

func (n *Node) bugPlace(name string) *bugPlace {
	p := n.places[name]
	if p == nil {
		p = &bugPlace{
			point:  n.world.sim.ChoicePoint("code/" + n.Name() + "/" + name),
			active: n.world.sim.Stream("code/"+name).PPM(0, buggifyActive),
		}
		if n.places == nil {
			n.places = map[string]*bugPlace{}
		}
		n.places[name] = p
	}
	return p
}
