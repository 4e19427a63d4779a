package etcdraft

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// AdminRequest is what the administrator asks a node. There is no answer.
type AdminRequest struct {
	What   string               // transfer, forget, campaign or change
	Target uint64               // of a transfer
	Change *raftpb.ConfChangeV2 // of a change; empty leaves a joint configuration
	Simple bool                 // propose the one change in the old format
}

// Kind returns the word for the trace.
func (a AdminRequest) Kind() string { return "admin-" + a.What }

// Digest returns a digest of the content.
func (a AdminRequest) Digest() uint64 {
	d := digest(a.Target).bytes([]byte(a.What)).add(uint64(a.Change.GetTransition()))
	for _, ch := range a.Change.GetChanges() {
		d = d.add(uint64(ch.GetType())).add(ch.GetNodeId())
	}
	return uint64(d)
}

// onAdmin carries out what the administrator asks.
func (r *Replica) onAdmin(_ string, a AdminRequest) {
	switch a.What {
	case "transfer":
		r.noteTransfer(a.Target)
		r.rn.TransferLeader(a.Target)
		r.observe(&Event{Kind: Transferred, Index: a.Target})
	case "forget":
		r.c.meetIf(r.role == raft.StateFollower && r.lead != raft.None, leaderForgotten)
		err := r.rn.ForgetLeader()
		r.observe(&Event{Kind: Forgot, Err: err})
	case "campaign":
		r.c.meet(campaignAsked)
		r.c.meetIf(r.role != raft.StateLeader && r.changeWaits(), campaignInChange)
		err := r.rn.Campaign()
		r.observe(&Event{Kind: Campaigned, Err: err})
	case "change":
		var cc raftpb.ConfChangeI = a.Change
		if a.Simple {
			one := a.Change.Changes[0]
			cc = &raftpb.ConfChange{Type: one.Type, NodeId: one.NodeId}
		}
		if !r.mayChange(a.Change) {
			r.c.meetIf(r.mode.DisableConfChangeValidation, changesSerialised)
			return
		}
		err := r.rn.ProposeConfChange(cc)
		if err == nil {
			r.changing = r.rn.BasicStatus().GetTerm()
		}
		r.node.Log("conf-proposed", kernel.Str("change", changeText(a.Change)), kernel.Bool("taken", err == nil))
		r.observe(&Event{Kind: ConfAsked, Change: cc, Err: err})
	}
}

// changeText describes a change in a few characters, such as "+4 -1, joint".
func changeText(cc *raftpb.ConfChangeV2) string {
	if len(cc.GetChanges()) == 0 {
		return "leave joint"
	}
	text := ""
	for _, ch := range cc.GetChanges() {
		sign := map[raftpb.ConfChangeType]string{
			raftpb.ConfChangeAddNode: "+", raftpb.ConfChangeRemoveNode: "-", raftpb.ConfChangeAddLearnerNode: "learner ",
			raftpb.ConfChangeUpdateNode: "update ",
		}[ch.GetType()]
		text += fmt.Sprintf("%s%d ", sign, ch.GetNodeId())
	}
	return text + [...]string{"auto", "joint implicit", "joint explicit"}[cc.GetTransition()]
}

// admin is the program of the administrator. It stops when the faults are
// over, once no joint configuration waits for it.
func (c *Cluster) admin(cl *faultline.Client) {
	quiet, ends := c.world.QuietAt()
	for {
		cl.Sleep(50*time.Millisecond + time.Duration(cl.Rand().Int64N(int64(time.Second))))
		over := ends && c.world.Sim().Now() >= kernel.Time(quiet)
		if c.mode.Updates && !over && cl.Rand().IntN(2) == 0 {
			c.update(cl)
			continue
		}
		to, a, ok := c.nextAdmin(cl.Rand(), over)
		if !ok {
			continue
		}
		cl.Send(c.names[to-1], a)
		if a.What == "transfer" && cl.Rand().IntN(3) == 0 { // the operator changes his mind
			a.Target = uint64(1 + cl.Rand().IntN(len(c.names)))
			cl.Send(c.names[to-1], a)
		}
		if len(a.Change.GetChanges()) == 0 || over {
			continue
		}
		switch cl.Rand().IntN(4) { // or does two things at once
		case 0:
			cl.Sleep(time.Duration(cl.Rand().Int64N(int64(20 * time.Millisecond))))
			c.transferInChange(cl, to, a.Change)
		case 1:
			c.campaignInChange(cl)
		}
	}
}

// update asks the leader for a change that changes nothing, as applications do
// that keep addresses in it, and before that is applied for others, or a node to
// stand for election.
func (c *Cluster) update(cl *faultline.Client) {
	leader, led := c.Leader()
	if !led {
		return
	}
	again := cl.Rand().IntN(2) == 0
	ask := func() {
		id := uint64(1 + cl.Rand().IntN(len(c.names)))
		one := &raftpb.ConfChangeSingle{Type: raftpb.ConfChangeUpdateNode.Enum(), NodeId: new(id)}
		cl.Send(c.names[leader.id-1], AdminRequest{
			What: "change", Simple: cl.Rand().IntN(2) == 0, Change: &raftpb.ConfChangeV2{Changes: []*raftpb.ConfChangeSingle{one}},
		})
	}
	ask()
	if !again {
		c.campaignInChange(cl)
		return
	}
	for range 4 {
		cl.Sleep(time.Duration(cl.Rand().Int64N(int64(8 * time.Millisecond))))
		ask()
	}
}

// campaignInChange waits until a change that was asked for is committed on a
// node and not applied there, and asks it to stand for election.
func (c *Cluster) campaignInChange(cl *faultline.Client) {
	for range 50 {
		cl.Sleep(time.Duration(cl.Rand().Int64N(int64(3 * time.Millisecond))))
		for _, i := range cl.Rand().Perm(len(c.names)) {
			if r, ok := c.Replica(uint64(i + 1)); ok && r.role != raft.StateLeader && r.changeWaits() {
				cl.Send(c.names[i], AdminRequest{What: "campaign"})
				return
			}
		}
	}
}

// transferInChange asks a leader that has just been asked for a change to hand
// leadership over to a node that the change leaves as it is; see
// Hazards.RemoveLeader.
func (c *Cluster) transferInChange(cl *faultline.Client, leader uint64, cc *raftpb.ConfChangeV2) {
	target := uint64(1 + cl.Rand().IntN(len(c.names)))
	for _, ch := range cc.Changes {
		if ch.GetNodeId() == target {
			return
		}
	}
	cl.Send(c.names[leader-1], AdminRequest{What: "transfer", Target: target})
}

// nextAdmin draws what to ask of whom.
func (c *Cluster) nextAdmin(r *rand.Rand, over bool) (to uint64, a AdminRequest, ok bool) {
	leader, led := c.Leader()
	anyone := func() uint64 { return uint64(1 + r.IntN(len(c.names))) }
	if over || c.cfg.Membership && r.IntN(3) > 0 {
		if !led {
			return 0, a, false
		}
		a, ok = c.nextChange(r, leader, over)
		return leader.id, a, ok
	}
	switch r.IntN(6) {
	case 0:
		return anyone(), AdminRequest{What: "campaign"}, true
	case 1, 2:
		return anyone(), AdminRequest{What: "forget"}, true
	}
	if !led {
		return 0, a, false
	}
	to = leader.id
	if r.IntN(4) == 0 { // a follower passes it on
		to = anyone()
	}
	return to, AdminRequest{What: "transfer", Target: anyone()}, true
}

// nextChange draws a change of the leader's configuration. Some are against the
// rules, so that raft must turn them down: one in a joint configuration, and to
// leave one that is not joint.
func (c *Cluster) nextChange(r *rand.Rand, leader *Replica, over bool) (AdminRequest, bool) {
	conf := leader.conf
	joint := len(conf.GetVotersOutgoing()) > 0
	leave := AdminRequest{What: "change", Change: &raftpb.ConfChangeV2{}}
	switch wrong := !over && r.IntN(8) == 0; {
	case wrong && !joint:
		return leave, true
	case wrong: // goes on below
	case joint && !conf.GetAutoLeave():
		return leave, true
	case joint || over:
		return AdminRequest{}, false
	}
	count := 1
	cc := &raftpb.ConfChangeV2{}
	if r.IntN(2) == 0 {
		count = 1 + r.IntN(3)
		cc.Transition = raftpb.ConfChangeTransition(r.IntN(3)).Enum()
	}
	voters := len(conf.GetVoters())
	for _, id := range r.Perm(len(c.names)) {
		if len(cc.Changes) == count {
			break
		}
		if uint64(id+1) == leader.id && !c.mode.Hazards.RemoveLeader {
			continue
		}
		if ch := c.drawChange(r, conf, uint64(id+1), &voters); ch != nil {
			cc.Changes = append(cc.Changes, ch)
		}
	}
	c.drawMore(r, conf, cc)
	simple := len(cc.Changes) == 1 && cc.GetTransition() == raftpb.ConfChangeTransitionAuto && r.IntN(2) == 0
	return AdminRequest{What: "change", Change: cc, Simple: simple}, len(cc.Changes) > 0
}

// maxVoters bounds the configurations that are drawn.
const maxVoters = 7

// drawChange draws what to do with one node. At least one voter stays, or two, see
// Hazards.LastVoter.
func (c *Cluster) drawChange(r *rand.Rand, conf *raftpb.ConfState, id uint64, voters *int) *raftpb.ConfChangeSingle {
	is := func(set []uint64) bool {
		for _, x := range set {
			if x == id {
				return true
			}
		}
		return false
	}
	t := raftpb.ConfChangeAddNode
	switch voter, learner := is(conf.GetVoters()), is(conf.GetLearners()); {
	case voter && *voters <= 2 && c.mode.Async && !c.mode.Hazards.LastVoter:
		return nil
	case voter && (*voters <= 1 || *voters <= 3 && r.IntN(3) > 0): // keep most clusters at three or more
		return nil
	case voter && r.IntN(3) == 0:
		t = raftpb.ConfChangeAddLearnerNode
		*voters--
	case voter:
		t = raftpb.ConfChangeRemoveNode
		*voters--
	case learner && r.IntN(4) == 0:
		t = raftpb.ConfChangeRemoveNode
	case !learner && r.IntN(2) == 0:
		t = raftpb.ConfChangeAddLearnerNode
	case *voters >= maxVoters:
		return nil
	default:
		*voters++
	}
	return &raftpb.ConfChangeSingle{Type: t.Enum(), NodeId: new(id)}
}

// drawMore adds a step to some of the changes that have steps already: one that
// changes nothing, which applications use to update what they know of a node,
// or one that makes a learner of a voter before it is what it is to become.
func (c *Cluster) drawMore(r *rand.Rand, conf *raftpb.ConfState, cc *raftpb.ConfChangeV2) {
	if len(cc.Changes) == 0 || r.IntN(3) > 0 {
		return
	}
	step := func(t raftpb.ConfChangeType, id uint64) *raftpb.ConfChangeSingle {
		return &raftpb.ConfChangeSingle{Type: t.Enum(), NodeId: new(id)}
	}
	first := cc.Changes[0]
	if first.GetType() == raftpb.ConfChangeRemoveNode && r.IntN(2) == 0 {
		cc.Changes = append([]*raftpb.ConfChangeSingle{step(raftpb.ConfChangeAddLearnerNode, first.GetNodeId())}, cc.Changes...)
		return
	}
	id := conf.GetVoters()[r.IntN(len(conf.GetVoters()))]
	for _, ch := range cc.Changes {
		if ch.GetNodeId() == id {
			return
		}
	}
	if r.IntN(2) == 0 {
		cc.Changes = append(cc.Changes, step(raftpb.ConfChangeUpdateNode, id))
		return
	}
	cc.Changes = append(cc.Changes, step(raftpb.ConfChangeAddLearnerNode, id), step(raftpb.ConfChangeAddNode, id))
}
