package fault

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// The kit is a small system to plant bugs in: five servers and a client. All
// send beats to the servers, servers vote, the client asks, and writes over a connection. A
// planted bug (see planted_test.go) is a wrong assumption of that program, which
// says so when it does not hold. All are there at once; none changes what the
// program does.
type kit struct {
	seed    uint64
	sim     *kernel.Sim
	net     *simnet.Network
	disks   *simdisk.Disks
	streams *stream.Streams
	nodes   []*kernel.Node
	probes  map[string]*probe
	hooks   []hooks
	found   map[string]bool
	gaps    []gap
	left    map[string]leaving
	wrote   map[string]int // entries of the last incarnation
	replied map[int]kernel.Time
	cut     map[sending]bool
	broken  kernel.Time // when the server's end of the connection failed
}

// sending is a beat that was sent into a cut.
type sending struct {
	from, to string
	seq      int
}

// leaving is how a node went down last.
type leaving struct {
	at     kernel.Time
	how    kernel.Change
	uptime time.Duration
	offset time.Duration
}

// hooks are where a bug looks.
type hooks struct {
	start func(p *probe)
	tick  func(p *probe)
	beat  func(p *probe, from string, b *beat, first bool)
	other func(p *probe, from string, msg any)
	gap   func(p *probe, g gap)
	conn  func(p *probe, what string, err error)
	cuts  func(m *picture)
	final func()
}

const (
	beatEvery = 40 * time.Millisecond
	kitPhase  = 8 * time.Second
	kitLength = 10 * time.Second
)

// What nodes send.
type (
	beat struct {
		Seq int
		At  kernel.Time
		Pad uint64
	}
	vote    struct{ Seq int }
	request struct{ ID int }
	reply   struct{ ID int }
	bulk    struct {
		Seq int
		At  kernel.Time
	}
)

// Kind returns the message's name.
func (vote) Kind() string { return "vote" }

// Size returns the message's size.
func (bulk) Size() int { return 1500 }

// probe is the program.
type probe struct {
	kernel.Idle
	k       *kit
	n       *kernel.Node
	name    string
	port    *simnet.Port
	vol     *simdisk.Volume
	began   kernel.Time
	seq     int
	votes   map[string]int
	from    map[string]*heard
	ticks   []tick
	last    kernel.Time // its last event
	even    int         // events in a row that were evenly spaced
	space   time.Duration
	idle    time.Duration // before the first event of this instant
	here    int           // beats of this instant
	cache   *simdisk.File
	version string
	armed   kernel.Time
}

// heard is what a probe knows of another.
type heard struct {
	max   int
	seen  map[int]kernel.Time
	beats []arrival // first arrivals
	open  []gap
}

type arrival struct {
	seq      int
	sent, at kernel.Time
}

func (a arrival) age() time.Duration { return a.at.Sub(a.sent) }

// gap is a run of beats that never arrived, as it is known 1.2 s later.
type gap struct {
	from, to string
	lo, hi   int
	t0, t1   kernel.Time
	lost     int
}

// tick is what the clocks showed at a timer.
type tick struct {
	at, armed kernel.Time
	mono      time.Duration
	offset    time.Duration // of the wall clock, from the truth
}

func (k *kit) now() kernel.Time { return k.sim.Now() }

func offset(n *kernel.Node) time.Duration {
	return n.Now().Sub(kernel.Time(0).UTC()) - n.Sim().Now().Sub(0)
}

func newKit(t testing.TB, seed uint64) (*kit, *Injector) {
	t.Helper()
	k := &kit{seed: seed, sim: kernel.New(kernel.Config{Seed: seed, Level: kernel.LevelOff}), probes: map[string]*probe{}, found: map[string]bool{},
		left: map[string]leaving{}, wrote: map[string]int{}, replied: map[int]kernel.Time{}, cut: map[sending]bool{}}
	var err error
	must := func() {
		if err != nil {
			t.Fatal(err)
		}
	}
	k.net, err = simnet.New(k.sim, simnet.Config{NoDigest: true})
	must()
	k.disks, err = simdisk.New(k.sim, simdisk.Config{})
	must()
	k.streams, err = stream.New(k.net, stream.Config{Timeout: 400 * time.Millisecond, Retransmit: 60 * time.Millisecond})
	must()
	in := NewInjector(System{Sim: k.sim, Net: k.net, Disks: k.disks, Streams: k.streams})
	for i := range 7 {
		name, version := fmt.Sprintf("n%d", i+1), ""
		add := k.sim.AddNode
		switch i {
		case 5:
			name = "c1"
		case 6:
			name, version, add = "spare", "spare", k.sim.AddMachine
		}
		n := add(name, func(n *kernel.Node) kernel.Handler { return k.probe(n, version) })
		port, err := k.net.Attach(n)
		if err == nil {
			_, err = k.disks.Attach(n)
		}
		if err == nil {
			_, err = k.streams.Attach(port)
		}
		if err != nil {
			t.Fatal(err)
		}
		n.Watch(watcher{k, port})
		in.Version("v2", n, func(n *kernel.Node) kernel.Handler { return k.probe(n, "v2") })
		k.nodes = append(k.nodes, n)
		k.probes[name] = &probe{port: port}
	}
	in.Group("servers", k.nodes[:5]...)
	in.Group("spares", k.nodes[6])
	return k, in
}

// watcher notes when nodes go down.
type watcher struct {
	k    *kit
	port *simnet.Port
}

// NodeChanged is called at each change.
func (w watcher) NodeChanged(n *kernel.Node, c kernel.Change) {
	if c == kernel.Killed || c == kernel.PowerLost {
		w.k.left[n.Name()] = leaving{w.k.now(), c, w.k.now().Sub(w.k.probes[n.Name()].began), offset(n)}
	}
}

func (k *kit) probe(n *kernel.Node, version string) *probe {
	p := &probe{k: k, n: n, name: n.Name(), port: k.probes[n.Name()].port, vol: k.disks.Volume(n), began: k.now(), votes: map[string]int{},
		from: map[string]*heard{}, version: version, last: k.now(), seq: k.probes[n.Name()].seq}
	k.probes[p.name] = p
	return p
}

// Start recovers, and begins to beat.
func (p *probe) Start() {
	for _, h := range p.k.hooks {
		if h.start != nil {
			h.start(p)
		}
	}
	p.k.wrote[p.name] = 0
	p.cache, _ = p.vol.OpenFile(fmt.Sprint("cache", p.n.Boot()), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	p.n.NewTimer().Reset(beatEvery)
	p.armed = p.k.now()
	switch p.name {
	case "c1":
		p.n.Go("dial", p.dial)
	case "n1":
		p.n.Go("listen", p.listen)
	}
}

// event notes that something happens at the node.
func (p *probe) event() {
	now := p.k.now()
	space := now.Sub(p.last)
	if space > 0 {
		p.idle, p.here = space, 0
		if p.even++; space != p.space {
			p.even, p.space = 0, space
		}
	}
	p.last = now
}

// Receive notes beats, and answers requests.
func (p *probe) Receive(from string, msg any) {
	p.event()
	switch m := msg.(type) {
	case *beat:
		p.heard(from, m)
	case request:
		if p.k.net.Open(p.name, from) {
			p.k.replied[m.ID] = p.k.now()
		}
		p.port.Send(from, reply(m))
	}
	for _, h := range p.k.hooks {
		if h.other != nil {
			h.other(p, from, msg)
		}
	}
}

func (p *probe) heard(from string, b *beat) {
	h := p.from[from]
	if h == nil {
		h = &heard{max: b.Seq - 1, seen: map[int]kernel.Time{}}
		p.from[from] = h
	}
	_, twice := h.seen[b.Seq]
	if !twice && b.Pad == pad(b) {
		h.seen[b.Seq] = p.k.now()
		if b.Seq > h.max+1 && len(h.beats) > 0 {
			h.open = append(h.open, gap{from, p.name, h.max + 1, b.Seq - 1, h.beats[len(h.beats)-1].at, p.k.now(), 0})
		}
		h.max = max(h.max, b.Seq)
		h.beats = append(h.beats, arrival{b.Seq, b.At, p.k.now()})
		p.here++
	}
	for _, hook := range p.k.hooks {
		if hook.beat != nil {
			hook.beat(p, from, b, !twice)
		}
	}
}

func pad(b *beat) uint64 { return uint64(b.Seq)*31 ^ uint64(b.At)*17 }

// Timer beats.
func (p *probe) Timer(t *kernel.Timer) {
	p.event()
	p.ticks = append(p.ticks, tick{p.k.now(), p.armed, p.n.Monotonic(), offset(p.n)})
	p.seq++
	for _, n := range p.k.nodes[:5] {
		if n == p.n || p.name == "spare" {
			continue
		}
		b := &beat{Seq: p.seq, At: p.k.now()}
		b.Pad = pad(b)
		if !p.k.net.Open(p.name, n.Name()) {
			p.k.cut[sending{p.name, n.Name(), p.seq}] = true
		}
		p.port.Send(n.Name(), b)
		if p.seq%25 == 0 && p.name != "c1" {
			p.port.Send(n.Name(), vote{p.seq / 25})
		}
		if p.seq%4 == 0 {
			p.port.Send(n.Name(), bulk{p.seq, p.k.now()})
		}
	}
	if p.name == "c1" && p.seq%2 == 0 {
		p.port.Send(fmt.Sprintf("n%d", 1+p.seq/2%5), request{p.seq})
	}
	if p.cache != nil && p.name != "c1" {
		if _, err := p.cache.Append([]byte("e")); err == nil {
			p.k.wrote[p.name]++
		}
	}
	if m := p.k.picture(); m != nil {
		for _, h := range p.k.hooks {
			if h.cuts != nil {
				h.cuts(m)
			}
		}
	}
	p.confirm()
	for _, h := range p.k.hooks {
		if h.tick != nil {
			h.tick(p)
		}
	}
	t.Reset(beatEvery)
	p.armed = p.k.now()
}

// confirm reports the gaps that have not been filled in time.
func (p *probe) confirm() {
	for _, n := range p.k.nodes {
		h := p.from[n.Name()]
		for h != nil && len(h.open) > 0 && p.k.now() > h.open[0].t1.Add(1200*time.Millisecond) {
			g := h.open[0]
			h.open = h.open[1:]
			for seq := g.lo; seq <= g.hi; seq++ {
				if _, ok := h.seen[seq]; !ok {
					g.lost++
				}
			}
			if g.lost*10 < (g.hi-g.lo+1)*8 {
				continue
			}
			p.k.gaps = append(p.k.gaps, g)
			for _, hook := range p.k.hooks {
				if hook.gap != nil {
					hook.gap(p, g)
				}
			}
		}
	}
}

// byChance reports whether no beat of a gap was sent into a cut.
func (k *kit) byChance(g gap) bool {
	for seq := g.lo; seq <= g.hi; seq++ {
		if k.cut[sending{g.from, g.to, seq}] {
			return false
		}
	}
	return true
}

// missing returns how many beats of each other node p had lost in runs of at
// least size that ended within 100 ms of t.
func (k *kit) missing(to string, t kernel.Time, size int) map[string]bool {
	out := map[string]bool{}
	for _, g := range k.gaps {
		if d := g.t1.Sub(t); g.to == to && g.lost >= size && d > -100*time.Millisecond && d < 100*time.Millisecond {
			out[g.from] = true
		}
	}
	return out
}

// arrived returns how many beats that were sent from t0 to t1 a node has heard
// of another.
func (k *kit) arrived(from, to string, t0, t1 kernel.Time) int {
	h, n := k.probes[to].from[from], 0
	for i := 0; h != nil && i < len(h.beats); i++ {
		if h.beats[i].sent >= t0 && h.beats[i].sent <= t1 {
			n++
		}
	}
	return n
}

func (p *probe) ended(what string, err error) {
	for _, h := range p.k.hooks {
		if h.conn != nil {
			h.conn(p, what, err)
		}
	}
}

func (p *probe) dial(q *kernel.Proc) {
	host := p.k.streams.Host("c1")
	for {
		q.Sleep(100 * time.Millisecond)
		c, err := host.DialWait(q, "n1", "x")
		p.ended("dial", err)
		for i := 0; i < 6 && err == nil; i++ {
			q.Sleep(150 * time.Millisecond)
			if _, err = c.Write(make([]byte, 100)); err != nil {
				break
			}
			if _, rerr := c.Read(make([]byte, 1)); err == nil && rerr != stream.WouldBlock {
				err = rerr
			}
		}
		p.ended("client", err)
		if c != nil {
			c.Close()
		}
	}
}

func (p *probe) listen(q *kernel.Proc) {
	l, err := p.k.streams.Host("n1").Listen("x", nil)
	for err == nil { // it serves for ever
		var c *stream.Conn
		if c, err = l.AcceptWait(q); err != nil {
			return
		}
		q.Node().Go("serve", func(q *kernel.Proc) {
			var err error
			for err == nil {
				if _, err = c.ReadWait(q, make([]byte, 1000)); err != nil {
					break
				}
				if n, werr := c.Write(make([]byte, 100)); werr == nil && n < 100 {
					p.ended("short", nil)
				}
			}
			p.ended("server", err)
		})
	}
}
