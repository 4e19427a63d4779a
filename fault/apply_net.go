package fault

import (
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// applyNetwork cuts or degrades links. Its accounting is the network's own:
// how many messages met the effect.
func (p *planned) applyNetwork(nodes []*kernel.Node) {
	net := p.in.sys.Net
	switch p.Kind {
	case Isolate:
		for _, n := range nodes {
			if len(p.Peers) == 0 {
				e, err := net.Isolate(n.Name())
				p.must(err)
				p.follow(e)
				continue
			}
			p.split([]*kernel.Node{n})
		}
	case Partition:
		p.split(nodes)
	case OneWay:
		var pairs []simnet.Pair
		for _, n := range nodes {
			if len(p.Peers) == 0 {
				pairs = append(pairs, simnet.Outbound(n.Name()))
			}
			for _, peer := range p.some(n) {
				pairs = append(pairs, simnet.Pair{From: n.Name(), To: peer.Name()})
			}
		}
		p.follow(net.Cut(pairs...))
	case Ring:
		p.ring(nodes)
	case Bridge:
		p.bridge(nodes)
	case Partial:
		p.partial(nodes)
	case Flap:
		p.flap(nodes)
	case ClientsCut:
		p.cutClients(nodes)
	case Clog:
		for _, n := range nodes {
			p.follow(net.Clog(p.ways(n)...))
		}
	case SwizzleClog:
		p.swizzle(nodes)
	case DropMessage, HoldMessage, LoseReply:
		p.aim(nodes)
	default:
		p.follow(net.Degrade(p.links(nodes), p.change()))
	}
}

// split cuts the nodes from the peers, or from all nodes, that are not among
// them.
func (p *planned) split(nodes []*kernel.Node) {
	others := p.in.sys.Sim.Nodes()
	if len(p.Peers) > 0 {
		others = p.peers()
	}
	var rest []string
	for _, n := range others {
		if !slices.Contains(nodes, n) {
			rest = append(rest, n.Name())
		}
	}
	if len(rest) > 0 {
		e, err := p.in.sys.Net.Partition(names(nodes), rest)
		p.must(err)
		p.follow(e)
	}
}

// peers returns the nodes that Peers names.
func (p *planned) peers() []*kernel.Node {
	var out []*kernel.Node
	for _, name := range p.Peers {
		if group, ok := strings.CutPrefix(name, "@"); ok {
			out = append(out, p.in.groups[group]...)
		} else {
			out = append(out, p.in.sys.Sim.Node(name))
		}
	}
	return out
}

// some returns the peers of a node without itself: all, or Count of them, drawn.
func (p *planned) some(n *kernel.Node) []*kernel.Node {
	peers := slices.DeleteFunc(p.peers(), func(peer *kernel.Node) bool { return peer == n })
	if p.Count == 0 || p.Count >= int64(len(peers)) {
		return peers
	}
	q := p.draws("peers/" + n.Name())
	for i := range int(p.Count) {
		j := i + int(q.Below(uint64(len(peers)-i)))
		peers[i], peers[j] = peers[j], peers[i]
	}
	return peers[:p.Count]
}

// links returns the links of the nodes in both directions, or all links.
func (p *planned) links(nodes []*kernel.Node) []simnet.Pair {
	if p.everywhere() {
		return []simnet.Pair{{From: simnet.Any, To: simnet.Any}}
	}
	var pairs []simnet.Pair
	for _, n := range nodes {
		pairs = append(pairs, simnet.Outbound(n.Name()), simnet.Inbound(n.Name()))
	}
	return pairs
}

func (p *planned) change() simnet.Change {
	switch p.Kind {
	case Loss:
		return simnet.Change{Loss: uint32(p.Rate)}
	case Duplicate:
		return simnet.Change{Duplicate: uint32(p.Rate)}
	case Delay:
		return simnet.Change{Delay: uint32(p.Rate), LongDelay: p.Amount}
	case LongTail:
		return simnet.Change{Tail: uint32(p.Rate), TailLatency: p.Amount}
	case LossBurst:
		return simnet.Change{Loss: uint32(p.Rate), Burst: int(or(p.Count, 8))}
	case LateDuplicate:
		return simnet.Change{Late: uint32(p.Rate), LateBy: p.Amount}
	case CorruptMessage:
		return simnet.Change{Corrupt: uint32(p.Rate), CorruptBits: int(p.Count), Checksum: p.Profile != "deliver"}
	case Bandwidth:
		c := simnet.Change{Bandwidth: p.Rate, Queue: p.Count}
		if p.Profile == "early" {
			c.Policy = simnet.EarlyDrop
		}
		return c
	default:
		return simnet.Change{Latency: p.Amount}
	}
}

// effect is a disturbance of a network or a disk that lasts until undone and
// counts what it changes.
type effect interface {
	Undo()
	Met() uint64
}

// follow makes an effect part of the fault.
func (p *planned) follow(e effect) {
	p.undo = append(p.undo, e.Undo)
	p.met = append(p.met, e.Met)
}
