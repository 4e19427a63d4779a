package etcdraft

import (
	"math/bits"
	"slices"
	"strings"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// message is a raft message on the network. It travels by reference, and the
// conversion from [raftpb.Message] costs nothing.
type message raftpb.Message

// messageKinds are the names of raft's message types, by number.
var messageKinds = [...]string{
	"MsgHup", "MsgBeat", "MsgProp", "MsgApp", "MsgAppResp", "MsgVote", "MsgVoteResp", "MsgSnap",
	"MsgHeartbeat", "MsgHeartbeatResp", "MsgUnreachable", "MsgSnapStatus", "MsgCheckQuorum",
	"MsgTransferLeader", "MsgTimeoutNow", "MsgReadIndex", "MsgReadIndexResp", "MsgPreVote", "MsgPreVoteResp",
	"MsgStorageAppend", "MsgStorageAppendResp", "MsgStorageApply", "MsgStorageApplyResp", "MsgForgetLeader",
}

// kindName returns the name of a message type.
func kindName(t raftpb.MessageType) string {
	if i := int(t); i >= 0 && i < len(messageKinds) {
		return messageKinds[i]
	}
	return t.String()
}

func (m *message) raft() *raftpb.Message { return (*raftpb.Message)(m) }

// Kind returns the type of the message, for the trace.
func (m *message) Kind() string { return kindName(m.raft().GetType()) }

// String returns what is in the message, in one line, for people.
func (m *message) String() string {
	return strings.Join(strings.Fields(raft.DescribeMessage(m.raft(), nil)), " ")
}

// Digest returns a digest of everything that a receiver can see.
func (m *message) Digest() uint64 {
	r := m.raft()
	d := digest(r.GetType())
	d = d.add(r.GetTo()).add(r.GetFrom()).add(r.GetTerm()).add(r.GetLogTerm()).add(r.GetIndex())
	d = d.add(r.GetCommit()).add(r.GetVote()).add(r.GetRejectHint())
	if r.GetReject() {
		d = d.add(1)
	}
	d = d.bytes(r.GetContext())
	for _, e := range r.GetEntries() {
		d = d.entry(e)
	}
	if s := r.GetSnapshot(); s != nil {
		d = d.snapshot(s)
	}
	return uint64(d)
}

// owned returns a message that raft may change. It changes those that it may
// pass on, and the network delivers them by reference; in a real cluster each
// receiver decodes a message of its own.
func (m *message) owned() *raftpb.Message {
	r := m.raft()
	switch r.GetType() {
	case raftpb.MsgProp, raftpb.MsgReadIndex, raftpb.MsgTransferLeader:
		return &raftpb.Message{
			Type: r.Type, To: r.To, From: r.From, Term: r.Term, Context: r.Context,
			Entries: slices.Clone(r.Entries),
		}
	}
	return r
}

// digest is a sum over numbers and bytes.
type digest uint64

const (
	digestKey  = 0x9E3779B97F4A7C15 // the golden ratio's digits
	digestSalt = 0x6A09E667F3BCC909 // those of the root of 2
)

func (d digest) add(v uint64) digest {
	hi, lo := bits.Mul64(uint64(d)^v^digestSalt, digestKey)
	return digest(hi ^ lo)
}

func (d digest) bytes(b []byte) digest {
	d = d.add(uint64(len(b)))
	for len(b) >= 8 {
		d = d.add(word(b))
		b = b[8:]
	}
	if len(b) > 0 {
		var rest [8]byte
		copy(rest[:], b)
		d = d.add(word(rest[:]))
	}
	return d
}

// word returns eight bytes as a number, the lowest first.
func word(b []byte) uint64 {
	_ = b[7]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func (d digest) entry(e *raftpb.Entry) digest {
	return d.add(e.GetTerm()).add(e.GetIndex()).add(uint64(e.GetType())).bytes(e.GetData())
}

func (d digest) snapshot(s *raftpb.Snapshot) digest {
	meta := s.GetMetadata()
	d = d.add(meta.GetIndex()).add(meta.GetTerm())
	conf := meta.GetConfState()
	for _, set := range [][]uint64{conf.GetVoters(), conf.GetLearners(), conf.GetVotersOutgoing(), conf.GetLearnersNext()} {
		d = d.add(uint64(len(set)))
		for _, id := range set {
			d = d.add(id)
		}
	}
	if conf.GetAutoLeave() {
		d = d.add(1)
	}
	return d.bytes(s.GetData())
}
