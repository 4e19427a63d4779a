package simnet

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// Any in a [Pair] stands for every attached node. It is not a valid name for
// a node.
const Any = "*"

// Config says how a network is made. The zero value is a network of default
// links that checks every message.
type Config struct {
	// Link is what every link does that has no setting of its own. The zero
	// value is the default described at [Link].
	Link Link
	// DropStale drops messages that were sent before the receiver's current
	// incarnation started. By default they are delivered, as a datagram to a
	// well-known port is: protocols must cope with them.
	DropStale bool
	// NoDigest turns the digests off: messages are then not checked for
	// changes, and the trace says nothing about their content.
	NoDigest bool
	// Contents keeps what is in each message, at [kernel.LevelFull], as an
	// attribute "content" of the records of its send and its delivery. It is no part of the
	// trace, so that the hash is the same without. The content is what package
	// fmt writes for %+v, up to [MaxContent] bytes, of messages that are a
	// fmt.Stringer, or have no pointers, interfaces, functions or channels in
	// them: others have no text that is the same in every run.
	Contents bool
}

// Network carries datagrams between the nodes of one run. Its methods are for
// the caller that drives the run and for code inside it, one at a time.
//
// The bits of a message that can flip (see [Link]) are those of its numbers,
// truth values, texts and bytes, as far as fields, pointers, slices, arrays and
// interfaces lead to them; not of what is in maps, nor of what a digest skips. They flip in a
// copy that this receiver alone gets.
type Network struct {
	sim       *kernel.Sim
	dropStale bool
	careful   bool          // arrivals take the way of arrival.go
	watchers  []Watcher     // of sends and deliveries
	replaying bool          // the choices of the run are given
	link      Link          // what links without own settings do
	own       map[pair]Link // settings of single links
	layout    *layout       // of regions, or nil
	extra     map[pair]time.Duration
	ports     map[string]*Port
	byIndex   []*Port // in the order of attachment
	wires     []*wire // in the order of their first message
	effects   []*Effect
	lastID    uint64 // of effects
	version   uint64 // of settings and effects; wires follow it when used
	stats     Stats
	idle      []*flight // free list
	payloads  payloads
	namer     kernel.Namer
	syms      symbols
	settle    kernel.Time // when what was held up has arrived, see SettleBy
}

// New makes a network without nodes. The error says what is wrong with cfg.
func New(sim *kernel.Sim, cfg Config) (*Network, error) {
	if sim == nil {
		return nil, errors.New("simnet: New needs a simulator, not nil")
	}
	if err := cfg.Link.validate("Config.Link"); err != nil {
		return nil, err
	}
	n := &Network{
		sim:       sim,
		dropStale: cfg.DropStale,
		careful:   cfg.DropStale,
		replaying: sim.ChoicePoint("net").Replaying(),
		link:      cfg.Link.withDefaults(),
		own:       map[pair]Link{},
		ports:     map[string]*Port{},
		version:   1,
	}
	n.payloads.init(sim, cfg.NoDigest)
	n.payloads.contents = cfg.Contents && sim.Level() == kernel.LevelFull
	n.syms.init(sim)
	return n, nil
}

// Attach connects a node's machine to the network. The port lasts for the
// whole run, over crashes and restarts. The error says when the node belongs
// to another run, is attached already, or has a name that cannot be told apart
// in the names of links: one with '>' in it, or "*".
func (n *Network) Attach(node *kernel.Node) (*Port, error) {
	switch {
	case node == nil:
		return nil, errors.New("simnet: Attach needs a node, not nil")
	case node.Sim() != n.sim:
		return nil, fmt.Errorf("simnet: node %q belongs to another simulator than the network; attach nodes of the same run", node.Name())
	case n.ports[node.Name()] != nil:
		return nil, fmt.Errorf("simnet: node %q is attached already; attach each node once", node.Name())
	case strings.Contains(node.Name(), ">") || node.Name() == Any || node.Name() == "":
		return nil, fmt.Errorf("simnet: node name %q cannot be used in the names of links; choose one that is not empty, not %q and without '>'", node.Name(), Any)
	}
	p := &Port{
		net:   n,
		node:  node,
		name:  node.Name(),
		sym:   n.sim.Sym(node.Name()),
		index: int32(len(n.byIndex)),
		out:   map[string]*wire{},
	}
	n.ports[p.name] = p
	n.byIndex = append(n.byIndex, p)
	return p, nil
}

// SetDefault changes what links without settings of their own do, for
// messages sent from now on.
func (n *Network) SetDefault(l Link) error {
	if err := l.validate("SetDefault"); err != nil {
		return err
	}
	n.link = l.withDefaults()
	n.version++
	n.sim.Emit(n.syms.link).Str(n.syms.what, n.link.String()).Done()
	return nil
}

// SetLink changes what the link in that direction does, for messages sent from
// now on. Messages in flight keep their time of arrival. The other direction
// is a link of its own.
func (n *Network) SetLink(from, to string, l Link) error {
	if err := n.known("SetLink", from, to); err != nil {
		return err
	}
	if err := l.validate(fmt.Sprintf("SetLink(%q, %q)", from, to)); err != nil {
		return err
	}
	f, t := n.ports[from], n.ports[to]
	l = l.withDefaults()
	n.own[pair{f.index, t.index}] = l
	n.version++
	y := &n.syms
	n.sim.Emit(y.link).Sym(y.from, f.sym).Sym(y.to, t.sym).Str(y.what, l.String()).Done()
	return nil
}

// setting returns what a link without effects does.
func (n *Network) setting(p pair) Link {
	l := n.plain(p)
	if len(n.extra) > 0 {
		l.Latency = min(l.Latency+n.extra[p], MaxDelay)
	}
	return l
}

func (n *Network) plain(p pair) Link {
	if len(n.own) > 0 {
		if l, ok := n.own[p]; ok {
			return l
		}
	}
	l := n.link
	if n.layout != nil {
		l = n.layout.link(p, l)
	}
	if p.from == p.to {
		l.Loss, l.Duplicate, l.Delay, l.Late, l.Corrupt, l.Bandwidth = 0, 0, 0, 0, 0, 0
	}
	return l
}

// known reports the first name that is not attached, as an error.
func (n *Network) known(place string, names ...string) error {
	for _, name := range names {
		if n.ports[name] == nil {
			return fmt.Errorf("simnet: %s: no node %q is attached to the network; attached are %s", place, name, n.roster())
		}
	}
	return nil
}

// roster lists the attached nodes for error messages.
func (n *Network) roster() string {
	const most = 9
	var names []string
	for i, p := range n.byIndex {
		if i == most {
			names = append(names, fmt.Sprintf("and %d more", len(n.byIndex)-most))
			break
		}
		names = append(names, p.name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
