package etcdraft

import (
	"testing"

	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Every field of a message that a receiver can see is in its digest. Responses
// are for local workers only.
func TestDigestCoversEveryField(t *testing.T) {
	base := func() *raftpb.Message {
		return &raftpb.Message{
			Entries:  []*raftpb.Entry{{Term: new(uint64(1)), Index: new(uint64(2)), Data: []byte("x")}},
			Snapshot: firstSnapshot(3, NewKV()),
		}
	}
	before := (*message)(base()).Digest()
	changed := func(what string, m *raftpb.Message) {
		t.Helper()
		if (*message)(m).Digest() == before {
			t.Errorf("a change of %s is not seen", what)
		}
	}
	fields := base().ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		if f.Name() == "responses" {
			continue
		}
		m := base()
		if f.IsList() || f.Kind() == protoreflect.MessageKind {
			m.ProtoReflect().Clear(f)
		} else {
			m.ProtoReflect().Set(f, someValue(f))
		}
		changed(string(f.Name()), m)
	}
	for what, change := range map[string]func(m *raftpb.Message){
		"an entry's term":   func(m *raftpb.Message) { m.Entries[0].Term = new(uint64(9)) },
		"an entry's index":  func(m *raftpb.Message) { m.Entries[0].Index = new(uint64(9)) },
		"an entry's type":   func(m *raftpb.Message) { m.Entries[0].Type = raftpb.EntryConfChange.Enum() },
		"an entry's data":   func(m *raftpb.Message) { m.Entries[0].Data[0]++ },
		"a snapshot's term": func(m *raftpb.Message) { m.Snapshot.Metadata.Term = new(uint64(9)) },
		"a snapshot's data": func(m *raftpb.Message) { m.Snapshot.Data = []byte("y") },
		"its learners":      func(m *raftpb.Message) { m.Snapshot.Metadata.ConfState.Learners = []uint64{4} },
		"its auto leave":    func(m *raftpb.Message) { m.Snapshot.Metadata.ConfState.AutoLeave = new(true) },
	} {
		m := base()
		change(m)
		changed(what, m)
	}
}

func someValue(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(3)
	case protoreflect.BytesKind:
		return protoreflect.ValueOfBytes([]byte("z"))
	}
	return protoreflect.ValueOfUint64(7)
}

// The names of the types are those of raft.
func TestKindNames(t *testing.T) {
	for n, name := range raftpb.MessageType_name {
		if got := kindName(raftpb.MessageType(n)); got != name {
			t.Errorf("type %d is called %q, want %q", n, got, name)
		}
	}
}

// What raft may change is copied for it, completely.
func TestOwned(t *testing.T) {
	m := &raftpb.Message{
		Type: raftpb.MsgProp.Enum(), To: new(uint64(2)), From: new(uint64(1)), Context: []byte("c"),
		Entries: []*raftpb.Entry{{Data: []byte("x")}},
	}
	got := (*message)(m).owned()
	if got == m || !proto.Equal(got, m) {
		t.Errorf("got %v, want a copy of %v", got, m)
	}
	got.Entries[0] = nil
	if m.Entries[0] == nil {
		t.Error("the entries are shared")
	}
	app := &raftpb.Message{Type: raftpb.MsgApp.Enum()}
	if (*message)(app).owned() != app {
		t.Error("raft does not change a MsgApp, so it need not be copied")
	}
}
