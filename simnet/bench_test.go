package simnet

import (
	"container/heap"
	"crypto/sha256"
	"fmt"
	"hash"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// BenchmarkPair holds what is measured against each other in one run: the
// ratio of ours to base says how much of the time the design saves.
func BenchmarkPair(b *testing.B) {
	messages := func(level kernel.Level, noDigest bool) func(*testing.B) {
		return func(b *testing.B) { benchMessages(b, level, noDigest) }
	}
	for _, p := range []struct {
		name       string
		ours, base func(b *testing.B)
	}{
		{"message-event", messages(kernel.LevelHash, false), benchHeapMessages},
		{"ping-pong-net", benchPingPong, benchSynctestPingPong},
		{"trace-hash", messages(kernel.LevelHash, false), messages(kernel.LevelOff, false)},
		{"digest", messages(kernel.LevelHash, false), messages(kernel.LevelHash, true)},
	} {
		b.Run(p.name+"/ours", func(b *testing.B) { onCPU(b, p.ours) })
		b.Run(p.name+"/base", func(b *testing.B) { onCPU(b, p.base) })
	}
	b.Run("idle-topology/ours", benchIdleTopology)
}

// onCPU also reports the CPU time of the whole process for each operation:
// goroutines that hand over to each other keep more than one core busy, which
// the time on the clock does not show.
func onCPU(b *testing.B, f func(b *testing.B)) {
	before := cpuTime()
	f(b)
	if used := cpuTime() - before; used > 0 {
		b.ReportMetric(float64(used)/float64(b.N), "cpu-ns/op")
	}
}

const benchNodes = 5

type benchMsg struct {
	N    uint64
	Body [64]byte
}

// relay passes each message on and rearms a timer, as a protocol's node does.
type relay struct {
	kernel.Idle
	node  *kernel.Node
	port  *Port
	peers []string
	timer *kernel.Timer
	seen  uint64
	after func()
}

func (r *relay) Receive(_ string, msg any) {
	r.seen++
	r.after()
	r.timer.Reset(300 * ms)
	if err := r.port.Send(r.peers[r.seen%uint64(len(r.peers))], msg); err != nil {
		panic(err)
	}
}

// benchMessages makes b.N deliveries: 64 messages on five nodes, each passed
// on with random latency, losses and duplicates in equal numbers, two records,
// a timer that is reset, and an invariant.
func benchMessages(b *testing.B, level kernel.Level, noDigest bool) {
	sim := kernel.New(kernel.Config{Seed: 1, Level: level, MaxEvents: 1 << 62})
	net, err := New(sim, Config{Link: Link{Loss: 10_000, Duplicate: 10_000}, NoDigest: noDigest})
	if err != nil {
		b.Fatal(err)
	}
	relays := make([]*relay, benchNodes)
	until := uint64(0)
	after := func() {
		if net.stats.Delivered == until {
			sim.Stop()
		}
		if net.stats.Delivered%64 == 0 {
			for net.stats.InFlight() < 64 { // what was lost beyond what was doubled
				relays[0].port.Send("n1", &benchMsg{})
			}
		}
	}
	for i := range relays {
		relays[i] = &relay{after: after}
		node := sim.AddNode(fmt.Sprint("n", i), func(n *kernel.Node) kernel.Handler {
			relays[i].node, relays[i].timer = n, n.NewTimer()
			return relays[i]
		})
		if relays[i].port, err = net.Attach(node); err != nil {
			b.Fatal(err)
		}
		for j := range benchNodes {
			if j != i {
				relays[i].peers = append(relays[i].peers, fmt.Sprint("n", j))
			}
		}
	}
	sim.Invariant("counts agree", func(n *kernel.Node) error {
		if n != nil && relays[n.Index()].seen > net.stats.Delivered {
			return fmt.Errorf("more seen than delivered")
		}
		return nil
	})
	sim.RunFor(1)
	feed := func(n uint64) {
		until = net.stats.Delivered + n
		for net.stats.InFlight() < 64 {
			relays[0].port.Send("n1", &benchMsg{})
		}
		if r := sim.RunUntil(kernel.MaxTime); r.Reason != kernel.StopAsked {
			b.Fatal(r.Reason, sim.Failure())
		}
	}
	feed(20_000)
	b.ReportAllocs()
	b.ResetTimer()
	feed(uint64(b.N))
}

// baseSim is the same work as it is usually written: container/heap, closures,
// a shared generator, records formatted by hand into a hash.
type baseSim struct {
	now   int64
	seq   uint64
	queue baseQueue
	rng   *rand.Rand
	sum   hash.Hash
	buf   []byte
	nodes [benchNodes]*baseNode
	done  uint64
	live  int
}

type baseEvent struct {
	at  int64
	seq uint64
	fn  func()
}

type baseQueue []*baseEvent

func (q baseQueue) Len() int { return len(q) }
func (q baseQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q baseQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *baseQueue) Push(x any)   { *q = append(*q, x.(*baseEvent)) }
func (q *baseQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}

type baseNode struct {
	id    int
	seen  uint64
	timer *baseEvent
}

func (s *baseSim) after(d int64, fn func()) *baseEvent {
	s.seq++
	e := &baseEvent{s.now + d, s.seq, fn}
	heap.Push(&s.queue, e)
	return e
}

func (s *baseSim) record(kind string, from, to int, id uint64, digest [32]byte) {
	s.buf = fmt.Appendf(s.buf[:0], "%d %s n%d n%d %d %x\n", s.now, kind, from, to, id, digest[:8])
	s.sum.Write(s.buf)
}

func (s *baseSim) send(from, to int, msg *benchMsg) {
	digest := sha256.Sum256(msg.Body[:])
	s.seq++
	id := s.seq
	s.record("send", from, to, id, digest)
	copies := 1
	if s.rng.Float64() < 0.01 {
		copies = 0
	} else if s.rng.Float64() < 0.01 {
		copies = 2
	}
	for range copies {
		s.live++
		s.after(1_000_000+s.rng.Int64N(4_000_000), func() {
			if sha256.Sum256(msg.Body[:]) != digest {
				panic("changed")
			}
			s.live--
			s.done++
			s.record("deliver", from, to, id, digest)
			s.receive(s.nodes[to], msg)
		})
	}
}

func (s *baseSim) receive(n *baseNode, msg *benchMsg) {
	n.seen++
	if n.timer != nil {
		n.timer.fn = nil // cancelled
	}
	n.timer = s.after(300_000_000, func() { n.timer = nil })
	to := (n.id + 1 + int(n.seen%(benchNodes-1))) % benchNodes
	s.send(n.id, to, msg)
}

func benchHeapMessages(b *testing.B) {
	s := &baseSim{rng: rand.New(rand.NewPCG(1, 2)), sum: sha256.New()}
	for i := range s.nodes {
		s.nodes[i] = &baseNode{id: i}
	}
	invariant := func() bool {
		for _, n := range s.nodes {
			if n.seen > s.done {
				return false
			}
		}
		return true
	}
	feed := func(until uint64) {
		for s.done < until {
			for s.live < 64 {
				s.send(0, 1, &benchMsg{})
			}
			e := heap.Pop(&s.queue).(*baseEvent)
			s.now = e.at
			if e.fn != nil {
				e.fn()
			}
			if !invariant() {
				b.Fatal("invariant")
			}
		}
	}
	feed(20_000)
	b.ReportAllocs()
	b.ResetTimer()
	feed(20_000 + uint64(b.N))
}

type pinger struct {
	kernel.Idle
	port *Port
	to   string
	left int
}

func (p *pinger) Receive(_ string, msg any) {
	if p.left--; p.left > 0 {
		p.port.Send(p.to, msg)
	}
}

// benchPingPong makes b.N one-way trips of one message between two nodes.
func benchPingPong(b *testing.B) {
	sim := kernel.New(kernel.Config{Seed: 1, MaxEvents: 1 << 62})
	net, _ := New(sim, Config{})
	p, q := &pinger{to: "q", left: b.N/2 + 1}, &pinger{to: "p", left: b.N/2 + 1}
	p.port, _ = net.Attach(sim.AddNode("p", func(*kernel.Node) kernel.Handler { return p }))
	q.port, _ = net.Attach(sim.AddNode("q", func(*kernel.Node) kernel.Handler { return q }))
	sim.RunFor(1)
	msg := &benchMsg{}
	b.ReportAllocs()
	b.ResetTimer()
	p.port.Send("q", msg)
	sim.Run()
}

// benchSynctestPingPong makes as many trips with two goroutines and channels in
// a bubble, sleeping for as long. It keeps no record, takes no digest and loses
// nothing: ours does all that besides.
func benchSynctestPingPong(b *testing.B) {
	test := func(t *testing.T) {
		ping, pong := make(chan *benchMsg), make(chan *benchMsg)
		rng := rand.New(rand.NewPCG(1, 2))
		latency := func() { time.Sleep(ms + time.Duration(rng.Int64N(int64(4*ms)))) }
		go func() {
			for m := range ping {
				latency()
				pong <- m
			}
			close(pong)
		}()
		msg := &benchMsg{}
		for range b.N / 2 {
			latency()
			ping <- msg
			<-pong
		}
		close(ping)
	}
	b.ReportAllocs()
	b.ResetTimer() // outside: the bubble has its own time
	runInBubble(b, test)
}

// runInBubble runs f in a synctest bubble, which wants a *testing.T.
func runInBubble(b *testing.B, f func(t *testing.T)) {
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil },
		[]testing.InternalTest{{Name: "bubble", F: func(t *testing.T) { synctest.Test(t, f) }}})
	if !ok {
		b.Fatal("the bubble failed")
	}
}

// gossiper sends a message to the next of its peers every 100 ms.
type gossiper struct {
	kernel.Idle
	node  *kernel.Node
	port  *Port
	names []string
	timer *kernel.Timer
	turn  uint64
	order kernel.Stream
}

func (g *gossiper) Start() {
	g.order = g.node.Stream("peers")
	g.timer = g.node.NewTimer()
	g.timer.Reset(time.Duration(g.order.Below(0, uint64(100*ms))))
}

func (g *gossiper) Timer(*kernel.Timer) {
	g.turn++
	g.timer.Reset(100 * ms)
	g.port.Send(g.names[g.order.Below(g.turn, uint64(len(g.names)))], g.turn)
}

// benchIdleTopology is a thousand nodes over 60 virtual seconds, each
// sending one message in 100 ms to a random other, so that most links that
// there could be are used at most once.
func benchIdleTopology(b *testing.B) {
	const nodes = 1000
	for range b.N {
		sim := kernel.New(kernel.Config{Seed: 1, MaxTime: 60 * time.Second})
		net, _ := New(sim, Config{})
		var names []string
		for i := range nodes {
			names = append(names, fmt.Sprint("n", i))
		}
		for _, name := range names {
			g := &gossiper{names: names}
			g.node = sim.AddNode(name, func(*kernel.Node) kernel.Handler { return g })
			g.port, _ = net.Attach(g.node)
		}
		sim.Run()
		if got := net.Stats().Sent; got < nodes*590 {
			b.Fatalf("only %d messages were sent", got)
		}
		b.ReportMetric(float64(len(net.wires)), "links")
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "cpu-s")
}
