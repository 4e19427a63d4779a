package raftcheck_test

import (
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

var errGap = errors.New("gap")

// startFaults schedules everything random that goes on until the healing.
func (s *sim) startFaults() {
	s.every(s.mode.writeEvery*2, func() {
		n := pick(s.rng, s.nodes...)
		if l := s.leader(); l != nil && s.pct(60) {
			n = l
		}
		if n.rn != nil {
			for range 1 + s.rng.IntN(3) {
				n.propose()
			}
		}
	})
	s.every(25, func() {
		if n := pick(s.rng, s.nodes...); n.rn != nil {
			n.read()
		}
		for _, n := range s.nodes { // deposed leaders answer too early
			if n.rn != nil && s.pct(30) && n.rn.BasicStatus().RaftState == raft.StateLeader {
				n.read()
			}
		}
	})
	s.every(400, s.partition)
	s.every(500, s.crashSome)
	s.every(250, s.admin)
	if s.mode.members {
		s.every(150, s.changeMembers)
	}
}

// every repeats something at random times, on average once per that time.
func (s *sim) every(mean int, do func()) {
	s.after(1+s.rng.IntN(2*mean), func() {
		if !s.healed {
			do()
			s.every(mean, do)
		}
	})
}

// leader returns one of those that believe to lead: a deposed one that does not
// know gets its share of writes, and a tail that must go.
func (s *sim) leader() *node {
	var list []*node
	for _, n := range s.nodes {
		if n.rn != nil && n.rn.BasicStatus().RaftState == raft.StateLeader {
			list = append(list, n)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(s.rng, list...)
}

// partition cuts links, for a while: one node off, two halves, one direction.
func (s *sim) partition() {
	clear(s.cut)
	if s.pct(30) {
		return
	}
	side := map[uint64]bool{}
	for _, n := range s.nodes {
		side[n.id] = s.pct(50)
	}
	if s.pct(50) {
		n := pick(s.rng, s.nodes...)
		if l := s.leader(); l != nil && s.pct(60) {
			n = l
		}
		for id := range side {
			side[id] = id == n.id
		}
	}
	oneWay := s.pct(25)
	for _, a := range s.nodes {
		for _, b := range s.nodes {
			if side[a.id] != side[b.id] && (!oneWay || side[a.id]) {
				s.cut[[2]uint64{a.id, b.id}] = true
			}
		}
	}
	s.stats["partition"]++
}

func (s *sim) crashSome() {
	all := s.pct(10)
	for _, n := range s.nodes {
		if n.rn != nil && (all || s.pct(30)) {
			n.crash()
			s.after(1+s.rng.IntN(300), func() {
				if n.rn == nil && !s.healed {
					n.start()
				}
			})
		}
	}
}

// admin does what operators and other parts of an application do.
func (s *sim) admin() {
	n := pick(s.rng, s.nodes...)
	if n.rn == nil {
		return
	}
	switch s.rng.IntN(5) {
	case 0:
		n.call(func() { _ = n.rn.Campaign() }, n.check.Called)
	case 1:
		n.call(func() { _ = n.rn.ForgetLeader() }, n.check.Called)
	default:
		if l := s.leader(); l != nil && s.pct(70) {
			n = l
		}
		n.transfer(pick(s.rng, s.nodes...).id)
	}
}

// changeMembers proposes a random change on a leader.
func (s *sim) changeMembers() {
	l := s.leader()
	if l == nil {
		return
	}
	cc := &raftpb.ConfChangeV2{}
	if len(l.conf.GetVotersOutgoing()) == 0 || s.pct(20) {
		cc = s.drawChange(l)
	}
	var change raftpb.ConfChangeI = cc
	if len(cc.Changes) == 1 && cc.GetTransition() == raftpb.ConfChangeTransitionAuto && s.pct(50) {
		change = &raftpb.ConfChange{Type: cc.Changes[0].Type, NodeId: cc.Changes[0].NodeId}
	}
	for range 1 + s.rng.IntN(2) {
		l.call(func() { _ = l.rn.ProposeConfChange(change) }, l.check.ChangeProposed)
	}
}

func (s *sim) drawChange(l *node) *raftpb.ConfChangeV2 {
	cc := &raftpb.ConfChangeV2{}
	removes := 0
	for range pick(s.rng, 1, 1, 2, 3) {
		id := pick(s.rng, s.nodes...).id
		kind := pick(s.rng, raftpb.ConfChangeAddNode, raftpb.ConfChangeAddNode, raftpb.ConfChangeRemoveNode, raftpb.ConfChangeAddLearnerNode)
		if kind != raftpb.ConfChangeAddNode {
			removes++
			if slices.Contains(l.conf.GetVoters(), id) && len(l.conf.GetVoters())-removes < 2 {
				kind = raftpb.ConfChangeAddNode
			}
		}
		cc.Changes = append(cc.Changes, &raftpb.ConfChangeSingle{Type: kind.Enum(), NodeId: new(id)})
	}
	if s.pct(60) {
		cc.Transition = pick(s.rng, raftpb.ConfChangeTransitionJointImplicit, raftpb.ConfChangeTransitionJointExplicit).Enum()
	}
	return cc
}

// heal ends all faults.
func (s *sim) heal() {
	s.healed = true
	clear(s.cut)
	for _, n := range s.nodes {
		if n.rn == nil {
			n.start()
		}
	}
}

// newest returns the node that has applied most.
func (s *sim) newest() *node {
	best := s.nodes[0]
	for _, n := range s.nodes {
		if n.applied > best.applied {
			best = n
		}
	}
	return best
}

// memberOf reports whether a node is in a configuration.
func memberOf(conf *raftpb.ConfState, id uint64) bool {
	return slices.Contains(conf.GetVoters(), id) || slices.Contains(conf.GetLearners(), id) || slices.Contains(conf.GetVotersOutgoing(), id)
}

// retire stops nodes that are no members any more, which may disturb, when all
// members know: the others may need their votes before. It leaves a joint
// configuration that only an operator can leave.
func (s *sim) retire() {
	conf := s.newest().conf
	joint := len(conf.GetVotersOutgoing()) > 0
	for _, n := range s.nodes {
		if memberOf(conf, n.id) {
			if n.rn == nil {
				n.start()
			}
			continue
		}
		needed := slices.ContainsFunc(s.nodes, func(v *node) bool { return memberOf(conf, v.id) && memberOf(v.conf, n.id) })
		if n.rn != nil && !needed {
			n.crash()
		}
	}
	l := s.leader()
	if !joint || l == nil || l.rn.BasicStatus().LeadTransferee != raft.None {
		return
	}
	if conf.GetAutoLeave() {
		// Raft tries to leave when it has applied an entry, and gives up in a
		// transfer of leadership until it applies another one.
		l.propose()
	} else {
		l.call(func() { _ = l.rn.ProposeConfChange(&raftpb.ConfChangeV2{}) }, l.check.ChangeProposed)
	}
}

// finalTraffic demands that a read and a write are answered in a live cluster.
func (s *sim) finalTraffic() {
	l := s.leader()
	before, reads := s.stats["write"], s.stats["read"]
	s.waiting, s.live = nil, true
	l.read()
	if l.rn != nil {
		l.propose()
	}
	s.until(s.now+50*perTick, func() bool { return s.stats["write"] > before && s.stats["read"] > reads })
	if s.err == nil && (s.stats["write"] == before || s.stats["read"] == reads) {
		s.err = fmt.Errorf("P22: a healthy cluster has carried out %d writes and %d reads", s.stats["write"]-before, s.stats["read"]-reads)
	}
}
