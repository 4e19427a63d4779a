// Package onewaytakeover is a primary and a backup that decide by what they hear
// themselves, and links that work in one direction only.
//
// Several public outages have this shape: a broken switch or a full table lets
// messages pass in one direction, or between some pairs of nodes only, and then
// a node that does not hear the leader acts although everybody else does
// (Cloudflare's report of 2020-11-02 on etcd,
// https://blog.cloudflare.com/a-byzantine-failure-in-the-real-world/; related:
// https://github.com/cockroachdb/cockroach/issues/92089, which is the case
// one-way-livelock).
//
// Here a register lives on a primary and a backup, n1 and n2, and on a witness,
// n3, that stores and votes but never leads. One client writes where it can, and
// two read, at n1 and at n2. With the mistake,
//
//   - a backup that does not hear the primary takes over, with what it has;
//   - a primary that hears no acknowledgement for a while goes on alone, and
//     tells its clients that their writes are done;
//   - a primary answers reads by itself.
//
// Mended, nobody decides alone: a backup first asks whether another node misses
// the primary too and then needs its vote, a write needs one more node, and a
// read one more that confirms the epoch. What to look at in the story: the put
// that n1 acknowledged while n2, which cannot hear it, has taken over.
package onewaytakeover

import (
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	beatEvery = 20 * time.Millisecond
	silence   = 100 * time.Millisecond // after which a primary is missed, by n2 later than by n1
	alone     = 60 * time.Millisecond  // after which a write is done without anybody, with the mistake
)

// stored is what a node has on its disk.
type stored struct {
	Epoch int // the newest that is known; at most one vote was given in it
	Cell  cell
}

// node is the program of all three.
type node struct {
	kernel.Handler
	node    *faultline.Node
	proc    *kernel.Proc
	others  []string
	silence time.Duration // after which it misses a primary
	stands  bool          // the witness does not
	mended  bool
	stored  stored

	primary, ready bool
	heard          time.Duration // of the primary
	asked          time.Duration
	standing       bool // a vote was asked for in this epoch
	seq, round     int
	beatAt         time.Duration
	done           string // value of the last finished write
	write          *write
	reads          []read
}

// write is the one that is being stored; nobody waits for that of a new primary.
type write struct {
	client string
	id     int
	since  time.Duration
}

// read is one that waits for a confirmation of this round.
type read struct {
	client    string
	id, round int
}

func newNode(n *faultline.Node, others []string, mended bool) *node {
	s := &node{node: n, others: others, mended: mended, silence: silence, stands: n.Name() != "n3"}
	if n.Name() == "n2" {
		s.silence += silence / 2
	}
	s.Handler = kernel.Main(s.run)(n.Node)
	return s
}

func (s *node) run(p *kernel.Proc) {
	s.proc = p
	bugs.Load(p, s.node.Disk(), "state", &s.stored)
	s.heard = s.node.Monotonic()
	for {
		if from, msg, ok := p.RecvTimeout(beatEvery / 2); ok {
			s.receive(from, msg)
		}
		s.tick()
	}
}

func (s *node) save() { bugs.Save(s.proc, s.node.Disk(), "state", s.stored) }

func (s *node) send(msg any) {
	for _, to := range s.others {
		s.node.Send(to, msg)
	}
}

// tick does what is due.
func (s *node) tick() {
	now := s.node.Monotonic()
	switch {
	case s.primary:
		if s.write != nil && !s.mended && now-s.write.since > alone {
			s.finish()
		}
		if now >= s.beatAt {
			s.beat()
		}
	case s.stands && now-s.heard > s.silence && now-s.asked > silence/2:
		s.asked = now
		if s.mended {
			s.send(ask{s.stored.Epoch + 1})
			return
		}
		s.stored.Epoch++
		s.lead()
		s.finish()
	}
}

func (s *node) beat() {
	s.round++
	s.beatAt = s.node.Monotonic() + beatEvery
	s.send(beat{s.stored.Epoch, s.round, s.stored.Cell})
}

// lead makes the node the primary of its epoch. It stores its value again, so
// that the epoch has one.
func (s *node) lead() {
	s.node.Log("leads", kernel.Int("epoch", int64(s.stored.Epoch)))
	s.primary, s.standing, s.ready, s.seq = true, false, false, 0
	s.propose(s.stored.Cell.Value, s.stored.Cell.Put, &write{})
}

func (s *node) propose(value string, put int, w *write) {
	s.seq++
	s.stored.Cell = cell{version{s.stored.Epoch, s.seq}, value, put}
	w.since = s.node.Monotonic()
	s.write = w
	s.save()
	s.beat()
}

// finish ends the write that is being stored.
func (s *node) finish() {
	w := s.write
	s.write, s.ready, s.done = nil, true, s.stored.Cell.Value
	if w.client != "" {
		s.node.Send(w.client, bugs.Reply{ID: w.id, Body: answer{OK: true}})
		s.node.Point("put done")
	}
}

// follow goes to another epoch, or gives way to the primary of this one.
func (s *node) follow(epoch int) {
	if w := s.write; w != nil && w.client != "" {
		s.node.Send(w.client, bugs.Reply{ID: w.id, Body: answer{Unknown: true}})
	}
	for _, r := range s.reads {
		s.node.Send(r.client, bugs.Reply{ID: r.id, Body: answer{}})
	}
	s.primary, s.ready, s.standing, s.write, s.reads = false, false, false, nil, nil
	if epoch > s.stored.Epoch {
		s.stored.Epoch = epoch
		s.save()
	}
}
