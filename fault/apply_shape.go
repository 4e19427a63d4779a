package fault

import (
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// The shapes of partitions, and what stalls links.

// cutPairs cuts links until the end of the fault.
func (p *planned) cutPairs(pairs []simnet.Pair) { p.follow(p.in.sys.Net.Cut(pairs...)) }

// shuffled returns the nodes in an order that the fault draws.
func (p *planned) shuffled(nodes []*kernel.Node) []*kernel.Node {
	out := append([]*kernel.Node(nil), nodes...)
	q := p.draws("order")
	for i := range out {
		j := i + int(q.Below(uint64(len(out)-i)))
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// ring leaves to each node its neighbours in a ring, as many as make a majority
// with it. In a ring of three all are neighbours, so two of them are cut.
func (p *planned) ring(nodes []*kernel.Node) {
	order := p.shuffled(nodes)
	n := len(order)
	reach := (n/2 + 1) / 2 // to either side
	if n == 3 {
		reach = 0
	}
	var pairs []simnet.Pair
	for i := range n {
		for j := range i {
			away := min(i-j, n-i+j)
			if n == 3 && i-j != 2 {
				continue
			}
			if away > reach {
				pairs = append(pairs, simnet.Both(order[i].Name(), order[j].Name())...)
			}
		}
	}
	p.cutPairs(pairs)
}

// bridge cuts two halves apart, but for a node that is in both.
func (p *planned) bridge(nodes []*kernel.Node) {
	order := p.shuffled(nodes)
	if len(order) < 3 {
		return
	}
	rest := order[1:]
	a, b := append([]*kernel.Node{order[0]}, rest[:len(rest)/2]...), append([]*kernel.Node{order[0]}, rest[len(rest)/2:]...)
	e, err := p.in.sys.Net.Partition(names(a), names(b))
	p.must(err)
	p.follow(e)
}

// partial cuts some of the pairs.
func (p *planned) partial(nodes []*kernel.Node) {
	q := p.draws("pairs")
	var all, pairs []simnet.Pair
	for i := range nodes {
		for j := range i {
			both := simnet.Both(nodes[i].Name(), nodes[j].Name())
			all = append(all, both...)
			if q.PPM(uint32(or(p.Rate, 333_333))) {
				pairs = append(pairs, both...)
			}
		}
	}
	if len(pairs) == 0 && len(all) > 0 {
		i := 2 * q.Below(uint64(len(all)/2))
		pairs = all[i : i+2]
	}
	p.cutPairs(pairs)
}

// around returns the links between the nodes and Peers, or all others.
func (p *planned) around(nodes []*kernel.Node) []simnet.Pair {
	var pairs []simnet.Pair
	for _, n := range nodes {
		if len(p.Peers) == 0 {
			pairs = append(pairs, simnet.Outbound(n.Name()), simnet.Inbound(n.Name()))
		}
		for _, peer := range p.peers() {
			if peer != n {
				pairs = append(pairs, simnet.Both(n.Name(), peer.Name())...)
			}
		}
	}
	return pairs
}

// flap cuts and heals the nodes in turn.
func (p *planned) flap(nodes []*kernel.Node) {
	spell := int64(or(p.Amount, 100*time.Millisecond))
	q := p.draws("spells")
	var e *simnet.Effect
	var turn func()
	turn = func() {
		if e == nil {
			e = p.in.sys.Net.Cut(p.around(nodes)...)
			p.met = append(p.met, e.Met)
		} else {
			e.Undo()
			e = nil
		}
		p.later(time.Duration(q.Between(spell-spell/2, spell+spell/2)), turn)
	}
	turn()
	p.onEnd(func() {
		if e != nil {
			e.Undo()
		}
	})
}

// outside returns the nodes that are no servers.
func (in *Injector) outside() []*kernel.Node {
	servers := map[*kernel.Node]bool{}
	for _, n := range in.groups["servers"] {
		servers[n] = true
	}
	var out []*kernel.Node
	for _, n := range in.sys.Sim.Nodes() {
		if !servers[n] {
			out = append(out, n)
		}
	}
	return out
}

func (p *planned) cutClients(nodes []*kernel.Node) {
	var pairs []simnet.Pair
	for _, n := range nodes {
		for _, c := range p.in.outside() {
			if c != n {
				pairs = append(pairs, simnet.Both(n.Name(), c.Name())...)
			}
		}
	}
	p.cutPairs(pairs)
}

// ways returns the links of a node that Profile names.
func (p *planned) ways(n *kernel.Node) []simnet.Pair {
	var pairs []simnet.Pair
	if p.Profile != "in" {
		pairs = append(pairs, simnet.Outbound(n.Name()))
	}
	if p.Profile != "out" {
		pairs = append(pairs, simnet.Inbound(n.Name()))
	}
	return pairs
}

// swizzle clogs the nodes one by one, and lets them go in another order.
func (p *planned) swizzle(nodes []*kernel.Node) {
	half := int64(or(p.For, time.Second)) / 2
	for _, n := range nodes {
		q := p.draws("swizzle/" + n.Name())
		begin, end := q.Between(0, half), half+q.Between(0, half)
		p.later(time.Duration(begin), func() {
			e := p.in.sys.Net.Clog(p.ways(n)...)
			p.follow(e)
			p.later(time.Duration(end-begin), e.Undo)
		})
	}
}

// aim hits one message of each node.
func (p *planned) aim(nodes []*kernel.Node) {
	to := p.peers()
	if p.Kind == LoseReply {
		to = p.in.outside()
	}
	a := simnet.Aim{Message: p.Message, Skip: int(max(p.Count-1, 0))}
	if p.Kind == HoldMessage {
		a.Hold = p.Amount
	}
	for _, n := range nodes {
		var pairs []simnet.Pair
		if len(to) == 0 && p.Kind != LoseReply {
			pairs = append(pairs, simnet.Outbound(n.Name()))
		}
		for _, peer := range to {
			if peer != n {
				pairs = append(pairs, simnet.Pair{From: n.Name(), To: peer.Name()})
			}
		}
		e, err := p.in.sys.Net.Aim(pairs, a)
		p.must(err)
		if err == nil {
			p.follow(e)
		}
	}
}
