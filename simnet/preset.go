package simnet

import (
	"fmt"
	"time"
)

// LAN returns a link within one building: 100 µs and an exponential addition of
// 100 µs on average, no loss.
func LAN() Link {
	return Link{Latency: 100 * time.Microsecond, Jitter: 100 * time.Microsecond, Shape: Exponential}
}

// WAN returns a link across a continent: 30 ms and up to 10 ms more; one
// message in 1,000 takes up to 300 ms more than that, and one in 10,000 is lost.
func WAN() Link {
	return Link{Latency: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Shape: Bimodal, Tail: 1000, TailLatency: 300 * time.Millisecond, Loss: 100}
}

// Lossy returns a bad link, such as radio: 20 ms and up to 40 ms more, losses
// of up to 8 messages in a row that begin with one in 100, one message in 200
// twice, and one in 100 up to 500 ms late.
func Lossy() Link {
	return Link{
		Latency: 20 * time.Millisecond, Jitter: 40 * time.Millisecond,
		Loss: 10_000, Burst: 8, Duplicate: 5000, Delay: 10_000, LongDelay: 500 * time.Millisecond,
	}
}

// Region is a place with nodes.
type Region struct {
	Name  string   // unique
	Nodes []string // names of attached nodes, each in one region
}

// Distance is how long a message takes from one region to another, both ways.
type Distance struct {
	A, B    string        // names of regions
	Latency time.Duration // one way, in place of the link's own
}

// Geography says how nodes in several regions are linked; see [Geo]. Nodes in
// no region keep the network's default link.
type Geography struct {
	Regions   []Region   // where which nodes are
	Inside    Link       // within a region
	Between   Link       // between two regions, with the latency of their distance
	Distances []Distance // of pairs of regions; the others have Between as it is
}

// Geo returns a geography of regions: [LAN] within each and [WAN] between them.
func Geo(regions []Region, distances ...Distance) Geography {
	return Geography{Regions: regions, Inside: LAN(), Between: WAN(), Distances: distances}
}

// layout is a geography as wires ask it.
type layout struct {
	inside, between Link
	region          map[int32]int
	distance        map[[2]int]time.Duration
}

// SetGeography places nodes in regions, for messages sent from now on, in place
// of what was set before. Links that have settings of their own keep them. The
// error names the region, node or field that makes no sense; nothing changes
// then.
func (n *Network) SetGeography(g Geography) error {
	const place = "SetGeography"
	if err := g.Inside.validate(place + ", Inside"); err != nil {
		return err
	}
	if err := g.Between.validate(place + ", Between"); err != nil {
		return err
	}
	l := &layout{inside: g.Inside.withDefaults(), between: g.Between.withDefaults(), region: map[int32]int{}, distance: map[[2]int]time.Duration{}}
	index := map[string]int{}
	for i, r := range g.Regions {
		if _, twice := index[r.Name]; twice {
			return fmt.Errorf("simnet: %s: two regions are called %q; names must be unique", place, r.Name)
		}
		index[r.Name] = i
		if err := n.known(place+", region "+r.Name, r.Nodes...); err != nil {
			return err
		}
		for _, name := range r.Nodes {
			at := n.ports[name].index
			if _, twice := l.region[at]; twice {
				return fmt.Errorf("simnet: %s: node %q is in two regions; put it into one", place, name)
			}
			l.region[at] = i
		}
	}
	for _, d := range g.Distances {
		a, okA := index[d.A]
		b, okB := index[d.B]
		if !okA || !okB {
			return fmt.Errorf("simnet: %s: the distance from %q to %q names a region that is not there", place, d.A, d.B)
		}
		if err := validDurations(fmt.Sprintf("%s, distance from %q to %q", place, d.A, d.B), duration{"Latency", d.Latency}); err != nil {
			return err
		}
		l.distance[[2]int{a, b}], l.distance[[2]int{b, a}] = d.Latency, d.Latency
	}
	n.layout = l
	n.version++
	n.sim.Emit(n.syms.link).Str(n.syms.what, fmt.Sprintf("geography of %d regions: inside %v; between %v", len(g.Regions), l.inside, l.between)).Done()
	return nil
}

// link returns what a link does, given what it does without regions.
func (l *layout) link(p pair, other Link) Link {
	a, okA := l.region[p.from]
	b, okB := l.region[p.to]
	if !okA || !okB {
		return other
	}
	out := l.inside
	if a != b {
		out = l.between
	}
	if d, ok := l.distance[[2]int{a, b}]; ok {
		out.Latency = d
	}
	return out
}

// SetExtra makes every message of a link take longer by that much, whatever
// else is set, from now on: a longer cable between these two. 0 takes it away.
// The error names what makes no sense; nothing changes then.
func (n *Network) SetExtra(from, to string, extra time.Duration) error {
	if err := n.known("SetExtra", from, to); err != nil {
		return err
	}
	if err := validDurations(fmt.Sprintf("SetExtra(%q, %q)", from, to), duration{"extra", extra}); err != nil {
		return err
	}
	f, t := n.ports[from], n.ports[to]
	if n.extra == nil {
		n.extra = map[pair]time.Duration{}
	}
	n.extra[pair{f.index, t.index}] = extra
	n.version++
	n.sim.Emit(n.syms.link).Sym(n.syms.from, f.sym).Sym(n.syms.to, t.sym).Str(n.syms.what, "extra="+extra.String()).Done()
	return nil
}
