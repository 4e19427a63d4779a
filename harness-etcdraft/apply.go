package etcdraft

import (
	"fmt"

	"github.com/hmdsefi/faultline/kernel"
	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

// applyEntries applies committed entries in order.
func (r *Replica) applyEntries(list []*raftpb.Entry) {
	for _, e := range list {
		switch i := e.GetIndex(); {
		case i <= r.applied, i <= r.skip:
			r.c.meet(snapshotOvertakes)
			continue
		case i != r.applied+1:
			r.c.Violated(checkApply, r, "raft hands out entry %d to apply after entry %d", i, r.applied)
			return
		}
		ev := Event{Kind: Applied, Entry: e, Index: e.GetIndex()}
		switch e.GetType() {
		case raftpb.EntryNormal:
			r.applyNormal(e, &ev)
		default:
			if !r.c.cfg.Bugs.ApplyConfAtAppend {
				r.applyConf(e)
			}
		}
		r.applied, r.newest = e.GetIndex(), e.GetTerm()
		r.state.index = max(r.state.index, r.applied) // also for entries without a command: snapshots hold it
		r.observe(&ev)
		if ev.Command != nil {
			r.requests.answer(r, ev.Command, ev.Data)
		}
	}
}

// applyNormal carries out a command. The state machine may be ahead of raft
// after a restart; what it has had is skipped.
func (r *Replica) applyNormal(e *raftpb.Entry, ev *Event) {
	if len(e.GetData()) == 0 || e.GetIndex() <= r.state.index {
		return
	}
	cmd, err := decodeCommand(e.GetData())
	if err != nil {
		r.c.Violated(checkApply, r, "entry %d of term %d: %v", e.GetIndex(), e.GetTerm(), err)
		return
	}
	result, current, executed := r.state.apply(e.GetIndex(), &cmd)
	r.c.meetIf(cmd.Read, readByLog)
	ev.Command, ev.Executed, ev.Data = &cmd, executed, result
	if !current {
		ev.Data = nil
	}
}

// applyConf applies a configuration change.
func (r *Replica) applyConf(e *raftpb.Entry) {
	cc, err := decodeChange(e)
	if err != nil {
		r.c.Violated(checkApply, r, "entry %d of term %d: %v", e.GetIndex(), e.GetTerm(), err)
		return
	}
	was := r.conf
	conf := r.rn.ApplyConfChange(cc)
	r.changing = 0
	if e.GetIndex() > r.c.confIndex {
		r.c.noteConf(r, e, cc.AsV2(), was, conf)
	}
	if !r.c.cfg.Bugs.ForgetConfState {
		r.conf = conf
	}
	led := r.role == raft.StateLeader && r.rn.BasicStatus().RaftState != raft.StateLeader
	r.c.meetIf(led && r.mode.StepDownOnRemoval, steppedDownOnRemoval)
	r.confAt, r.confTo = e.GetIndex(), conf
	r.node.Log("conf-applied", kernel.Int("index", int64(e.GetIndex())), kernel.Str("conf", confText(conf)))
	r.observe(&Event{Kind: ConfApplied, Entry: e, Change: cc, Conf: conf})
	r.c.confChanged(e.GetIndex(), conf)
}

// applyConfNow is where Bugs.ApplyConfAtAppend is made.
func (r *Replica) applyConfNow(list []*raftpb.Entry) {
	for _, e := range list {
		if e.GetType() != raftpb.EntryNormal {
			r.applyConf(e)
		}
	}
}

// decodeChange reads the configuration change in an entry.
func decodeChange(e *raftpb.Entry) (raftpb.ConfChangeI, error) {
	switch e.GetType() {
	case raftpb.EntryConfChange:
		cc := &raftpb.ConfChange{}
		return cc, proto.Unmarshal(e.GetData(), cc)
	case raftpb.EntryConfChangeV2:
		cc := &raftpb.ConfChangeV2{}
		return cc, proto.Unmarshal(e.GetData(), cc)
	}
	return nil, fmt.Errorf("type %v is no configuration change", e.GetType())
}

// confText describes a configuration in a few characters, such as
// "voters 1 2 3, learners 4".
func confText(c *raftpb.ConfState) string {
	text := "voters " + idsText(c.GetVoters())
	for _, set := range []struct {
		name string
		ids  []uint64
	}{{"outgoing", c.GetVotersOutgoing()}, {"learners", c.GetLearners()}, {"learners next", c.GetLearnersNext()}} {
		if len(set.ids) > 0 {
			text += ", " + set.name + " " + idsText(set.ids)
		}
	}
	if c.GetAutoLeave() {
		text += ", leaving by itself"
	}
	return text
}

func idsText(ids []uint64) string {
	text := ""
	for i, id := range ids {
		if i > 0 {
			text += " "
		}
		text += fmt.Sprint(id)
	}
	return text
}

// afterApply does what waits for entries to be applied.
func (r *Replica) afterApply() {
	if !r.node.Alive() {
		return
	}
	r.serveReads()
	r.maybeSnapshot()
	r.maybeCheckpoint()
}
