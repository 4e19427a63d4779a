// Package latecatchup is a follower that takes a late message of one catch-up
// for news.
//
// In NATS, a follower that was behind could ask for a second catch-up while the
// first was still on its way. A message of the first that came after the second
// had completed cut off entries that the follower had already confirmed, and
// that the leader counted on. Dealt with in
// https://github.com/nats-io/nats-server/pull/7424.
//
// Here n1 leads and does not fail; n2 and n3 follow, and an entry is done when
// one of them has confirmed it. A follower that misses entries asks for what
// comes after its last one, and gets it in batches. With the mistake, it puts
// each batch in its place and drops what was behind that place. Mended, it takes
// from a batch only what it does not have. What to look at in the story: the
// batch arrives late, and the log of the follower gets shorter.
package latecatchup

import (
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	perBatch = 8
	askEvery = 20 * time.Millisecond // a follower that is behind
)

// Messages between the leader and its followers.
type (
	add     struct{ Entry entry }     // the newest entry
	confirm struct{ Index int }       // the follower has all entries up to here
	catchUp struct{ After int }       // the follower lacks what comes after this one
	batch   struct{ Entries []entry } // a part of that
)

// entry is a put, with its place in the log, from 1.
type entry struct {
	Index int
	Value string
}

// follower is the program of n2 and n3.
type follower struct {
	kernel.Handler
	node      *faultline.Node
	mended    bool // take only what is new
	log       []entry
	confirmed int // the last index that the leader was told of
	asked     time.Duration
}

func newFollower(n *faultline.Node, mended bool) *follower {
	f := &follower{node: n, mended: mended, asked: -askEvery}
	f.Handler = kernel.Main(f.run)(n.Node)
	return f
}

func (f *follower) run(p *kernel.Proc) {
	bugs.Load(p, f.node.Disk(), "log", &f.log)
	f.confirmed = len(f.log)
	for {
		from, msg := p.Recv()
		switch m := msg.(type) {
		case add:
			f.take(p, []entry{m.Entry}, true)
		case batch:
			f.take(p, m.Entries, f.mended)
		}
		f.node.Send(from, confirm{f.confirmed})
	}
}

// take puts entries into the log, those that are new or all.
func (f *follower) take(p *kernel.Proc, entries []entry, onlyNew bool) {
	first, last := entries[0].Index, entries[len(entries)-1].Index
	switch {
	case first > len(f.log)+1: // some are missing in between
		if now := f.node.Monotonic(); now-f.asked >= askEvery {
			f.asked = now
			f.node.Send("n1", catchUp{After: len(f.log)})
		}
		return
	case onlyNew && last <= len(f.log):
		return
	case onlyNew:
		f.log = append(f.log, entries[len(f.log)+1-first:]...)
	default:
		f.log = append(f.log[:first-1:first-1], entries...)
	}
	bugs.Save(p, f.node.Disk(), "log", f.log)
	f.confirmed = len(f.log)
}

// leader is the program of n1.
type leader struct {
	kernel.Idle
	node    *faultline.Node
	log     []entry
	client  string
	waiting bugs.Request // the put of the last entry, if it is not done
}

// Receive takes a put, or what a follower says.
func (l *leader) Receive(from string, msg any) {
	switch m := msg.(type) {
	case bugs.Request:
		if m.ID != len(l.log)+1 { // a repeated one
			return
		}
		e := entry{m.ID, m.Body.(string)}
		l.log = append(l.log, e)
		l.client, l.waiting = from, m
		l.node.Send("n2", add{e})
		l.node.Send("n3", add{e})
	case confirm:
		if l.waiting.ID > 0 && m.Index >= l.waiting.ID {
			l.node.Send(l.client, bugs.Reply{ID: l.waiting.ID})
			l.waiting = bugs.Request{}
		}
	case catchUp:
		for i := m.After; i < len(l.log); i += perBatch {
			end := min(i+perBatch, len(l.log))
			l.node.Send(from, batch{l.log[i:end:end]})
		}
	}
}
