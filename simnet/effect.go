package simnet

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Pair names the link from one node to another. Either side may be [Any]; such
// a pair does not cover a node's link to itself.
type Pair struct {
	From string // the sender, or [Any]
	To   string // the receiver, or [Any]
}

// String returns "from>to".
func (p Pair) String() string { return p.From + ">" + p.To }

// Both returns the two links between nodes a and b.
func Both(a, b string) []Pair { return []Pair{{a, b}, {b, a}} }

// Outbound returns all links from a node, as one pair.
func Outbound(name string) Pair { return Pair{name, Any} }

// Inbound returns all links to a node, as one pair.
func Inbound(name string) Pair { return Pair{Any, name} }

// Change is what a degradation adds to the settings of a link. Probabilities
// are in parts per million; sums above 1,000,000 count as always.
type Change struct {
	Latency   time.Duration // added to every message; at most MaxDelay in sum
	Loss      uint32        // added to Link.Loss
	Duplicate uint32        // added to Link.Duplicate
	Delay     uint32        // added to Link.Delay
	LongDelay time.Duration // as Link.LongDelay; the largest of those that have a Delay counts

	Burst       int           // as Link.Burst; the largest counts
	Tail        uint32        // added to Link.Tail; the link is then [Bimodal]
	TailLatency time.Duration // as Link.TailLatency; the largest of those that have a Tail counts
	Late        uint32        // added to Link.Late
	LateBy      time.Duration // as Link.LateBy; the largest of those that have a Late counts
	Corrupt     uint32        // added to Link.Corrupt
	CorruptBits int           // as Link.CorruptBits; the largest of those that have a Corrupt counts
	Checksum    bool          // as Link.Checksum, for those that have a Corrupt
	Bandwidth   int64         // as Link.Bandwidth; the smallest counts
	Queue       int64         // as Link.Queue, for those that have a Bandwidth; the smallest counts
	Policy      Policy        // as Link.Policy, for those that have a Queue
}

// String returns the change as text, such as "latency+=20ms loss=1000ppm".
func (c Change) String() string {
	c = c.withDefaults()
	var b strings.Builder
	if c.Latency > 0 {
		fmt.Fprintf(&b, " latency+=%v", c.Latency)
	}
	writeChances(&b, c.Loss, c.Duplicate, c.Delay, c.LongDelay)
	c.rare().writeRare(&b)
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()[1:]
}

// on returns l with the change added.
func (c Change) on(l Link) Link {
	if c.Delay > 0 {
		c = c.withDefaults()
		if l.Delay == 0 {
			l.LongDelay = 0
		}
		l.LongDelay = max(l.LongDelay, c.LongDelay)
	}
	l.Latency = min(l.Latency+c.Latency, MaxDelay)
	l.Loss = min(l.Loss+c.Loss, million)
	l.Duplicate = min(l.Duplicate+c.Duplicate, million)
	l.Delay = min(l.Delay+c.Delay, million)
	if c.isRare() {
		return c.onRare(l)
	}
	return l
}

func (c Change) withDefaults() Change {
	if c.LongDelay == 0 {
		c.LongDelay = DefaultLongDelay
	}
	return c
}

// Effect is a disturbance that lasts until it is undone. Effects overlap
// freely: a link is cut while at least one effect cuts it, and degradations add
// up. [Any] also stands for nodes that are attached later.
type Effect struct {
	net    *Network
	id     uint64
	what   string
	cut    bool
	clog   bool
	change Change // zero for a cut or a clog
	aim    *aim   // of Aim, or nil
	cover
	met uint64
}

// Cut cuts links: a message that is sent while its link is cut is lost.
// Messages in flight still arrive. Node names that are not attached are a
// misuse of the run (see [kernel.Sim.Misuse]), and the effect then covers
// only the other pairs.
func (n *Network) Cut(pairs ...Pair) *Effect {
	e := &Effect{cut: true, what: pairText(pairs)}
	e.cover = n.pairCover("Cut", pairs)
	return n.begin(e)
}

// Isolate cuts all links to and from a node.
func (n *Network) Isolate(name string) (*Effect, error) {
	if err := n.known("Isolate", name); err != nil {
		return nil, err
	}
	return n.Cut(Outbound(name), Inbound(name)), nil
}

// Partition cuts all links between nodes that are in different groups. A node
// may be in several groups: it talks with all of them and so makes a bridge.
// Nodes that are in no group keep all their links; a client that is to share
// its servers' fate belongs in a group. The error names a node that is not
// attached, or says that fewer than two groups were given; nothing changes
// then.
func (n *Network) Partition(groups ...[]string) (*Effect, error) {
	if len(groups) < 2 {
		return nil, fmt.Errorf("simnet: Partition was given %d groups; it needs at least 2", len(groups))
	}
	for i, g := range groups {
		if err := n.known(fmt.Sprintf("Partition, group %d", i+1), g...); err != nil {
			return nil, err
		}
	}
	e := &Effect{cut: true, what: groupText(groups)}
	e.cover = n.groupCover(groups)
	return n.begin(e), nil
}

// Degrade adds change to what the links do. A change that makes no sense, and
// names of nodes that are not attached, are a misuse of the run (see
// [kernel.Sim.Misuse]); the change is not made then.
func (n *Network) Degrade(pairs []Pair, change Change) *Effect {
	e := &Effect{change: change, what: pairText(pairs) + ": " + change.String()}
	if err := change.validate(); err != nil {
		n.sim.Misuse(err)
		e.change = Change{}
	}
	e.cover = n.pairCover("Degrade", pairs)
	return n.begin(e)
}

func (c Change) validate() error {
	if err := validDurations("Degrade", duration{"Change.Latency", c.Latency}, duration{"Change.LongDelay", c.LongDelay}); err != nil {
		return err
	}
	if err := validChances("Degrade", c.Loss, c.Duplicate, c.Delay); err != nil {
		return err
	}
	return c.rare().validateRare("Degrade")
}

func (n *Network) begin(e *Effect) *Effect {
	n.lastID++
	e.net, e.id = n, n.lastID
	n.effects = append(n.effects, e)
	n.version++
	y := &n.syms
	kind := y.degrade
	switch {
	case e.cut:
		kind = y.cutting
	case e.clog:
		kind = n.sim.Sym("net/clog")
	case e.aim != nil:
		kind = n.sim.Sym("net/aim")
	}
	n.sim.Emit(kind).Uint(y.effect, e.id).Str(y.what, e.what).Done()
	return e
}

// Undo ends the effect; the others go on. Undoing it again does nothing.
func (e *Effect) Undo() {
	n := e.net
	i := slices.Index(n.effects, e)
	if i < 0 {
		return
	}
	n.effects = slices.Delete(n.effects, i, i+1)
	n.version++
	y := &n.syms
	n.sim.Emit(y.heal).Uint(y.effect, e.id).Uint(y.met, e.met).Done()
	if e.clog {
		n.unclog()
	}
}

// Heal undoes all effects, in the order in which they began. Settings of links
// stay.
func (n *Network) Heal() {
	for len(n.effects) > 0 {
		n.effects[0].Undo()
	}
}

// Met returns how many messages the effect has changed. A cut changes the
// messages that it stops. A degradation changes those that it makes later,
// and counts as its own every message that is lost, duplicated or held up by
// chance while it adds to that chance. One that limits the bandwidth counts what
// it made wait or dropped, one with a tail every message. An effect that met nothing was inert.
func (e *Effect) Met() uint64 { return e.met }

// String returns what the effect does, as the trace shows it.
func (e *Effect) String() string { return e.what }

// touches reports whether the effect changes a message with that fate.
func (e *Effect) touches(f fate, cut bool) bool {
	switch c := &e.change; {
	case cut || e.cut:
		return e.cut
	case f.drop:
		return c.Loss > 0
	default:
		return c.Latency > 0 || f.copies > 0 && c.Duplicate > 0 || f.delay > 0 && c.Delay > 0 ||
			f.late > 0 && c.Late > 0 || f.bits > 0 && c.Corrupt > 0
	}
}
