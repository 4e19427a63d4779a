// Package deadforever is a group of members in which one that has restarted is
// dead to others for good.
//
// In memberlist, what is said of a member carries the member's incarnation
// number, and one that hears that it is dead says that it is not, with a higher
// number. A member that restarts begins with a low number again, while others
// hold a notice of its death with a high one. Members that held newer facts
// dropped what they did not believe, without a word, so that the one that was
// concerned never heard of its death and never denied it. Reported as
// https://github.com/hashicorp/memberlist/issues/311 and dealt with in
// https://github.com/hashicorp/memberlist/pull/345.
//
// Here six members ping each other and tell what they believe. The mended one
// answers news that it knows better with the notice of death that it holds. No
// client is concerned, and no safety: the check is that after the faults every
// member is alive to all. What to look at in the story: the member that was
// killed after it had denied its death once.
package deadforever

import (
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	pingEvery = 50 * time.Millisecond
	patience  = 40 * time.Millisecond // with the answer to a ping
)

// fact is what a member believes of another one.
type fact struct {
	Name        string
	Incarnation int
	Dead        bool
}

// ping tells what the sender knows of itself and of one other member; pong
// answers with what the receiver knows of itself; notice tells a member that it
// is dead.
type (
	ping   struct{ Self, Other fact }
	pong   struct{ Self fact }
	notice struct{ Fact fact }
)

// member is the program of a node.
type member struct {
	kernel.Handler
	node        *faultline.Node
	mended      bool // tell a member that it is dead also if it is behind
	incarnation int  // its own, only in memory
	others      []fact
}

func newMember(n *faultline.Node, names []string, mended bool) *member {
	m := &member{node: n, mended: mended, incarnation: 1}
	for _, name := range names {
		if name != n.Name() {
			m.others = append(m.others, fact{Name: name})
		}
	}
	m.Handler = kernel.Main(m.run)(n.Node)
	return m
}

// run pings a random member, dead ones too, and takes one that does not answer
// for dead.
func (m *member) run(p *kernel.Proc) {
	for {
		to, other := m.others[m.node.Rand().IntN(len(m.others))], m.others[m.node.Rand().IntN(len(m.others))]
		if other.Name == to.Name {
			other = fact{}
		}
		m.node.Send(to.Name, ping{m.self(), other})
		began := m.node.Monotonic()
		if !m.listen(p, began+patience, to.Name) {
			m.believe(fact{to.Name, to.Incarnation, true})
		}
		m.listen(p, began+pingEvery, "")
	}
}

func (m *member) self() fact { return fact{Name: m.node.Name(), Incarnation: m.incarnation} }

// listen takes in messages until some time. It reports whether a member has
// answered a ping, and returns as soon as it has.
func (m *member) listen(p *kernel.Proc, until time.Duration, name string) bool {
	for {
		from, msg, ok := p.RecvTimeout(until - m.node.Monotonic())
		if !ok {
			return false
		}
		switch msg := msg.(type) {
		case ping:
			m.believe(msg.Self)
			m.believe(msg.Other)
			m.node.Send(from, pong{m.self()})
		case pong:
			m.believe(msg.Self)
			if from == name {
				return true
			}
		case notice:
			m.believe(msg.Fact)
		}
	}
}

// believe takes in a fact, if it is newer than what is known.
func (m *member) believe(f fact) {
	if f.Name == m.node.Name() {
		if f.Dead && f.Incarnation >= m.incarnation {
			m.incarnation = f.Incarnation + 1 // it is not
			m.node.Point("denied")
		}
		return
	}
	for i := range m.others {
		known := &m.others[i]
		switch {
		case known.Name != f.Name:
		case f.Incarnation > known.Incarnation, f.Dead && f.Incarnation == known.Incarnation:
			*known = f
		case known.Dead && !f.Dead && (m.mended || f.Incarnation == known.Incarnation):
			m.node.Send(f.Name, notice{*known})
		}
	}
}
