// Package zombieleaserevoke is a deposed leader that still revokes leases.
//
// An etcd leader that hangs in a disk sync does not notice that another one was
// elected. Clients renew their leases at the new leader; the old one sees none of
// it and takes the leases for expired. When it wakes, its requests to revoke them
// are forwarded and applied like any other. Reported as
// https://github.com/etcd-io/etcd/issues/12528 and
// https://github.com/etcd-io/etcd/issues/15247 and dealt with in
// https://github.com/etcd-io/etcd/pull/16822.
//
// Here a node called raft stands for what the members agree on: it says who leads
// in which term, and does not fail. The leader keeps the times of the leases in
// memory and asks raft to revoke those that have expired. The mended leader says
// in which term it asks, and raft takes that from the current leader only. What
// to look at in the story: the member whose disk was slow, that another one was
// elected meanwhile, and the renewal that the new one acknowledged.
package zombieleaserevoke

import (
	"maps"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/docs/examples/bugs"
	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
)

const (
	ttl       = 2 * time.Second // of a lease
	workEvery = 50 * time.Millisecond
)

// renew asks the leader to renew a lease, or to make it.
type renew struct{ Lease string }

// done answers that it did.
type done struct{}

// member is the program of a server.
type member struct {
	kernel.Handler
	node   *faultline.Node
	mended bool // revoke in its own term only

	term    int
	leads   bool
	round   int                      // how often it has asked raft
	waiting []renewal                // requests that wait for an answer of raft
	expire  map[string]time.Duration // as leader: when each lease does
	revoked map[string]bool          // those that it has asked for
	ask     []revoke                 // that raft is to be sent
}

// renewal is a request that came in a round; that the member leads must be
// confirmed in a later one.
type renewal struct {
	from  string
	id    int
	lease string
	round int
}

func newMember(n *faultline.Node, mended bool) *member {
	m := &member{node: n, mended: mended, expire: map[string]time.Duration{}, revoked: map[string]bool{}}
	m.Handler = kernel.Main(m.run)(n.Node)
	return m
}

// run is the raft side of a member: it writes, says that it is alive, sends what
// is to be agreed on, and takes in messages. The leases are looked after beside
// it, whatever it waits for.
func (m *member) run(p *kernel.Proc) {
	m.node.Go("lessor", m.lessor)
	disk := m.node.Disk().In(p)
	for {
		_ = m.write(disk) // what it writes does not matter here, only how long it takes
		for _, r := range m.ask {
			m.node.Send("raft", r)
		}
		m.ask = nil
		m.askRaft()
		until := m.node.Monotonic() + workEvery
		for {
			from, msg, ok := p.RecvTimeout(until - m.node.Monotonic())
			if !ok {
				break
			}
			m.receive(from, msg)
		}
	}
}

func (m *member) write(disk *simdisk.Volume) error {
	f, err := disk.Create("wal")
	if err != nil {
		return err
	}
	if _, err := f.Append([]byte("entry\n")); err != nil {
		return err
	}
	return f.Sync()
}

// askRaft says that the member is alive, and asks who leads.
func (m *member) askRaft() {
	m.round++
	m.node.Send("raft", alive{m.round})
}

func (m *member) receive(from string, msg any) {
	switch msg := msg.(type) {
	case lead:
		if msg.Term < m.term {
			return
		}
		if msg.Term > m.term {
			m.expire, m.revoked = map[string]time.Duration{}, map[string]bool{}
		}
		m.term, m.leads = msg.Term, msg.Leader == m.node.Name()
		m.answer(msg.Round)
	case bugs.Request:
		m.waiting = append(m.waiting, renewal{from, msg.ID, msg.Body.(renew).Lease, m.round})
		m.askRaft()
	}
}

// answer answers the requests that came before a round: whether the member led
// then is known now.
func (m *member) answer(round int) {
	for len(m.waiting) > 0 && m.waiting[0].round < round {
		r := m.waiting[0]
		m.waiting = m.waiting[1:]
		if !m.leads || m.revoked[r.lease] {
			m.node.Send(r.from, bugs.Reply{ID: r.id})
			continue
		}
		m.expire[r.lease] = m.node.Monotonic() + ttl
		m.node.Send(r.from, bugs.Reply{ID: r.id, Body: done{}})
	}
}

// lessor revokes leases that have expired, as long as the member takes itself
// for the leader.
func (m *member) lessor(p *kernel.Proc) {
	for {
		p.Sleep(workEvery)
		if !m.leads {
			continue
		}
		for _, lease := range slices.Sorted(maps.Keys(m.expire)) {
			if m.node.Monotonic() > m.expire[lease] {
				m.revoked[lease] = true
				r := revoke{Lease: lease}
				if m.mended {
					r.Term = m.term
				}
				m.ask = append(m.ask, r)
				m.expire[lease] = m.node.Monotonic() + ttl // ask again if that is lost
			}
		}
	}
}
