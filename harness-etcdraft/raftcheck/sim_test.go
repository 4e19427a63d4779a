package raftcheck_test

import (
	"container/heap"
	"crypto/rand"
	"fmt"
	"math"
	mrand "math/rand/v2"

	"github.com/hmdsefi/faultline/harness-etcdraft/raftcheck"
	"go.etcd.io/raft/v3/raftpb"
)

// A small simulator for the tests of the checker: RawNodes on an in-memory
// network and in-memory disks, with everything decided by one seed. It shares
// nothing with the harness, so that a mistake in one does not hide in both.

// perTick is the time between two ticks.
const perTick = 10

type sim struct {
	mode    mode
	rng     *mrand.Rand
	now     int
	queue   events
	nodes   []*node
	check   *raftcheck.Checker
	cut     map[[2]uint64]bool // links that deliver nothing, by from and to
	healed  bool
	live    bool // and the final traffic has begun
	err     error
	writes  uint64
	reads   uint64
	stats   map[string]int
	done    map[uint64]bool
	waiting []*waiting
	again   *mrand.Rand                   // draws of overtake; nil in seeds without
	led     map[[2]uint64]*raftpb.Message // the last message of a leader, by from and to
}

// mode is what the seed draws.
type mode struct {
	voters, nodes                     int
	async, preVote, checkQuorum       bool
	rolling, stepDown, members, lease bool
	noForward                         bool
	maxSize, maxCommitted, maxPending uint64
	inflight                          int
	inflightBytes                     uint64
	every, retain                     uint64
	loss, dup, slow                   int // percent
	disk, apply                       int // longest delays
	writeEvery                        int
	stalled                           uint64 // a node whose disk is slow
	unguarded, singleReads            bool
	bug                               string // a mistake of the application
}

func drawMode(r *mrand.Rand) mode {
	pct := func(p int) bool { return r.IntN(100) < p }
	m := mode{
		voters: pick(r, 1, 2, 3, 3, 3, 3, 4, 5, 5), async: pct(50), preVote: pct(50), checkQuorum: pct(50),
		rolling: pct(10), stepDown: pct(50), members: pct(40), noForward: pct(30),
		maxSize:      pick[uint64](r, 0, 40, 120, 1000, math.MaxUint64),
		maxCommitted: pick[uint64](r, 1, 60, 500, math.MaxUint64),
		maxPending:   pick[uint64](r, 0, 0, 40, 400),
		inflight:     pick(r, 1, 2, 8, 256),
		every:        pick[uint64](r, 0, 3, 10, 30), retain: pick[uint64](r, 0, 1, 5),
		loss: pick(r, 0, 2, 10, 25), dup: pick(r, 0, 5, 20), slow: pick(r, 0, 2, 10),
		disk: pick(r, 0, 3, 10, 40), apply: pick(r, 0, 3, 20), writeEvery: pick(r, 3, 10, 30),
	}
	if m.maxSize < 1000 && pct(40) {
		m.inflightBytes = max(m.maxSize, pick[uint64](r, 20, 100))
	}
	if pct(25) {
		m.stalled = uint64(1 + r.IntN(m.voters))
	}
	m.nodes = m.voters
	if m.members {
		// Hazards of raft that are none of the checker's business: see the package
		// documentation.
		m.voters, m.rolling = max(m.voters, 2), false
		m.preVote = m.preVote || !m.checkQuorum
		m.nodes = m.voters + 2
	}
	return m
}

func pick[T any](r *mrand.Rand, of ...T) T { return of[r.IntN(len(of))] }

type event struct {
	at  int
	tie uint64
	do  func()
}

type events []event

func (q events) Len() int { return len(q) }
func (q events) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].tie < q[j].tie
}
func (q events) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *events) Push(x any)   { *q = append(*q, x.(event)) }
func (q *events) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}

// seeded makes raft's election timeouts a function of the seed.
type seeded struct{ r *mrand.Rand }

func (s seeded) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = byte(s.r.Uint32())
	}
	return len(b), nil
}

// newSim builds the cluster of a seed. tune may change what was drawn.
func newSim(seed uint64, off raftcheck.Set, tune func(*mode)) *sim {
	s := &sim{rng: mrand.New(mrand.NewPCG(seed, 1)), cut: map[[2]uint64]bool{}, stats: map[string]int{}, done: map[uint64]bool{}}
	rand.Reader = seeded{mrand.New(mrand.NewPCG(seed, 2))}
	s.mode = drawMode(s.rng)
	if again := mrand.New(mrand.NewPCG(seed, 3)); again.IntN(3) == 0 {
		s.again, s.led = again, map[[2]uint64]*raftpb.Message{}
	}
	if tune != nil {
		tune(&s.mode)
	}
	s.check = raftcheck.New(raftcheck.Config{Off: off, LeaseReads: s.mode.lease})
	s.check.LeaseWindow(s.mode.bug != "lease trusted")
	for i := range s.mode.nodes {
		n := &node{sim: s, id: uint64(i + 1)}
		n.check = s.check.Node(n.id)
		n.disk.forgetVote = s.mode.bug == "vote forgotten"
		if i < s.mode.voters {
			n.disk.format(s.mode.voters)
		}
		s.nodes = append(s.nodes, n)
		n.start()
	}
	return s
}

// after schedules a call.
func (s *sim) after(d int, do func()) {
	heap.Push(&s.queue, event{s.now + d, s.rng.Uint64(), do})
}

func (s *sim) pct(p int) bool { return s.rng.IntN(100) < p }

// fail notes the first error, which ends the run.
func (s *sim) fail(err error) {
	if s.err == nil && err != nil {
		s.err = err
	}
}

// run runs faults for that many ticks, heals everything, and waits until the
// cluster is live.
func (s *sim) run(ticks int) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = s.panicked(v)
		}
	}()
	s.startFaults()
	s.until(ticks*perTick, nil)
	s.heal()
	var last error
	const patience = 3000 // ticks
	s.until(s.now+patience*perTick, func() bool {
		s.retire()
		last = s.check.Live()
		return last == nil
	})
	if s.err == nil && last != nil {
		s.err = last
	}
	if s.err == nil {
		s.finalTraffic()
	}
	return s.err
}

// until runs events up to a time; enough is asked once per tick.
func (s *sim) until(end int, enough func() bool) {
	next := s.now + perTick
	for s.err == nil && len(s.queue) > 0 && s.queue[0].at <= end {
		e := heap.Pop(&s.queue).(event)
		s.now = e.at
		e.do()
		if enough != nil && s.now >= next {
			if enough() {
				return
			}
			next = s.now + perTick
		}
	}
	if s.err == nil {
		s.now = end
	}
}

func (s *sim) panicked(v any) error {
	for _, n := range s.nodes {
		if n.inRaft {
			return n.check.Panicked(fmt.Sprint(v))
		}
	}
	panic(v)
}

// send puts a message on the network.
func (s *sim) send(m *raftpb.Message) {
	m.Entries = m.Entries[:len(m.Entries):len(m.Entries)]
	s.overtake(m)
	if s.healed {
		s.after(1+s.rng.IntN(3), func() { s.deliver(m) })
		return
	}
	for copies := 1; copies > 0; copies-- {
		if s.pct(s.mode.dup) {
			copies++
		}
		d := 1 + s.rng.IntN(6)
		if s.pct(s.mode.slow) {
			d = s.rng.IntN(400)
		}
		if s.pct(s.mode.loss) {
			s.lost(m)
			continue
		}
		s.after(d, func() { s.deliver(m) })
	}
}

// overtake delivers the last message of a leader's last term behind the first
// ones of its next.
func (s *sim) overtake(m *raftpb.Message) {
	leads := m.GetType() == raftpb.MsgApp || m.GetType() == raftpb.MsgHeartbeat
	if s.again == nil || s.healed || !leads && m.GetType() != raftpb.MsgVote {
		return
	}
	link := [2]uint64{m.GetFrom(), m.GetTo()}
	old := s.led[link]
	if old != nil && m.GetTerm() > old.GetTerm() {
		delete(s.led, link)
		for range 1 + s.again.IntN(4) {
			s.after(5+s.again.IntN(30), func() { s.deliver(old) })
		}
	}
	if leads {
		s.led[link] = m
	}
}

// lost tells a sender now and then that its message was lost.
func (s *sim) lost(m *raftpb.Message) {
	n := s.nodes[m.GetFrom()-1]
	boot := n.boot
	s.after(5, func() {
		if n.rn == nil || n.boot != boot {
			return
		}
		if m.GetType() == raftpb.MsgSnap {
			n.reportSnapshot(m.GetTo(), true)
		} else if s.pct(20) {
			n.reportUnreachable(m.GetTo())
		}
	})
}

func (s *sim) deliver(m *raftpb.Message) {
	n := s.nodes[m.GetTo()-1]
	cut := s.cut[[2]uint64{m.GetFrom(), m.GetTo()}]
	if cut && s.pct(30) { // it survives the partition
		s.after(50+s.rng.IntN(400), func() { s.deliver(m) })
		return
	}
	if cut || n.rn == nil {
		s.lost(m)
		return
	}
	if m.GetType() == raftpb.MsgSnap {
		if n.unapplied() { // see the package documentation
			s.after(3, func() { s.deliver(m) })
			return
		}
		from, boot := s.nodes[m.GetFrom()-1], s.nodes[m.GetFrom()-1].boot
		s.after(3+s.rng.IntN(20), func() {
			if from.rn != nil && from.boot == boot {
				from.reportSnapshot(m.GetTo(), s.pct(10) && !s.healed)
			}
		})
	}
	n.step(m)
}
