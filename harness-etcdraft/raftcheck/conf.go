package raftcheck

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/quorum"
	"go.etcd.io/raft/v3/raftpb"
)

// conf is a configuration. Its sets are sorted. It is not changed once made.
type conf struct {
	voters, outgoing, learners, next []uint64
	autoLeave                        bool
}

func newConf(s *raftpb.ConfState) *conf {
	sorted := func(ids []uint64) []uint64 { return slices.Sorted(slices.Values(ids)) }
	return &conf{
		voters: sorted(s.GetVoters()), outgoing: sorted(s.GetVotersOutgoing()),
		learners: sorted(s.GetLearners()), next: sorted(s.GetLearnersNext()), autoLeave: s.GetAutoLeave(),
	}
}

// raftConf returns the configuration that raft uses. Its Status leaves AutoLeave
// out (tracker.Config.Clone does not copy it), so that is taken from want.
func raftConf(s *raft.Status, want *conf) *conf {
	set := func(m map[uint64]struct{}) []uint64 { return quorum.MajorityConfig(m).Slice() }
	return &conf{
		voters: set(s.Config.Voters[0]), outgoing: set(s.Config.Voters[1]),
		learners: set(s.Config.Learners), next: set(s.Config.LearnersNext), autoLeave: want.autoLeave,
	}
}

func (c *conf) equal(d *conf) bool {
	return c == d || slices.Equal(c.voters, d.voters) && slices.Equal(c.outgoing, d.outgoing) &&
		slices.Equal(c.learners, d.learners) && slices.Equal(c.next, d.next) && c.autoLeave == d.autoLeave
}

func (c *conf) joint() bool { return len(c.outgoing) > 0 }

// voter reports whether a node has a vote, in either half.
func (c *conf) voter(id uint64) bool {
	return slices.Contains(c.voters, id) || slices.Contains(c.outgoing, id)
}

func (c *conf) learner(id uint64) bool { return slices.Contains(c.learners, id) }

// member reports whether a node gets entries.
func (c *conf) member(id uint64) bool { return c.voter(id) || c.learner(id) }

// String describes the configuration, such as "voters 1 2 3, learners 4".
func (c *conf) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "voters %v", c.voters)
	for _, s := range []struct {
		name string
		ids  []uint64
	}{{"outgoing", c.outgoing}, {"learners", c.learners}, {"learners next", c.next}} {
		if len(s.ids) > 0 {
			fmt.Fprintf(&b, ", %s %v", s.name, s.ids)
		}
	}
	if c.autoLeave {
		b.WriteString(", leaving by itself")
	}
	return b.String()
}

// change returns the configuration after a change, by the rules of the library
// written down anew.
func (c *conf) change(cc *raftpb.ConfChangeV2) (*conf, error) {
	auto, enter := true, cc.GetTransition() != raftpb.ConfChangeTransitionAuto || len(cc.GetChanges()) > 1
	if cc.GetTransition() == raftpb.ConfChangeTransitionJointExplicit {
		auto = false
	}
	if !enter && len(cc.GetChanges()) == 0 {
		return c.leave()
	}
	d := &conf{
		voters: slices.Clone(c.voters), outgoing: slices.Clone(c.outgoing),
		learners: slices.Clone(c.learners), next: slices.Clone(c.next), autoLeave: c.autoLeave,
	}
	if c.joint() {
		return nil, errors.New("a joint configuration can only be left")
	}
	if enter {
		d.outgoing, d.autoLeave = slices.Clone(c.voters), auto
	}
	for _, x := range cc.GetChanges() {
		d.single(x.GetType(), x.GetNodeId())
	}
	if len(d.voters) == 0 {
		return nil, errors.New("no voter is left")
	}
	if moved := distance(c.voters, d.voters); !enter && moved > 1 {
		return nil, fmt.Errorf("a simple change moves %d voters", moved)
	}
	return d, nil
}

// leave ends a joint configuration.
func (c *conf) leave() (*conf, error) {
	if !c.joint() {
		return nil, errors.New("the configuration is not joint")
	}
	d := &conf{voters: slices.Clone(c.voters), learners: slices.Clone(c.learners)}
	for _, id := range c.next {
		d.learners = with(d.learners, id)
	}
	return d, nil
}

// single makes one of the steps of a change.
func (c *conf) single(kind raftpb.ConfChangeType, id uint64) {
	known := c.member(id)
	switch {
	case id == 0:
	case kind == raftpb.ConfChangeAddNode:
		c.learners, c.next = without(c.learners, id), without(c.next, id)
		c.voters = with(c.voters, id)
	case kind == raftpb.ConfChangeRemoveNode && known:
		c.drop(id)
	case kind == raftpb.ConfChangeAddLearnerNode && !c.learner(id):
		c.drop(id)
		if slices.Contains(c.outgoing, id) {
			c.next = with(c.next, id)
		} else {
			c.learners = with(c.learners, id)
		}
	}
}

func (c *conf) drop(id uint64) {
	c.voters, c.learners, c.next = without(c.voters, id), without(c.learners, id), without(c.next, id)
}

func with(ids []uint64, id uint64) []uint64 {
	if k, found := slices.BinarySearch(ids, id); !found {
		return slices.Insert(ids, k, id)
	}
	return ids
}

func without(ids []uint64, id uint64) []uint64 {
	if k, found := slices.BinarySearch(ids, id); found {
		return slices.Delete(ids, k, k+1)
	}
	return ids
}

// distance returns how many IDs are in one of the sets only.
func distance(a, b []uint64) int {
	n := len(b)
	for _, id := range a {
		if slices.Contains(b, id) {
			n--
		} else {
			n++
		}
	}
	return n
}

// valid reports what is wrong with a configuration in itself.
func (c *conf) valid() error {
	for _, id := range c.learners {
		if c.voter(id) {
			return fmt.Errorf("node %d is a voter and a learner", id)
		}
	}
	for _, id := range c.next {
		if !slices.Contains(c.outgoing, id) {
			return fmt.Errorf("node %d is to become a learner and is no outgoing voter", id)
		}
	}
	if !c.joint() && (len(c.next) > 0 || c.autoLeave) {
		return errors.New("it is not joint and has something left to do")
	}
	return nil
}

// placed is the configuration from an index on.
type placed struct {
	index uint64
	conf  *conf
}

// confAsOf returns the configuration as of an index.
func (c *Checker) confAsOf(index uint64) *conf {
	for k := len(c.confs) - 1; k >= 0; k-- {
		if c.confs[k].index <= index {
			return c.confs[k].conf
		}
	}
	return &conf{}
}
