package etcdraft

import (
	"bytes"
	"fmt"
	"testing"
)

func request(client, seq uint64, op KVOp) *Command {
	return &Command{Client: client, Seq: seq, Data: op.Encode()}
}

// A repeated command gets its first answer and changes nothing, also after a
// snapshot.
func TestSessions(t *testing.T) {
	r := newReplicated(NewKV(), &Bugs{})
	put := request(1, 1, KVOp{Kind: "put", Key: "x", Value: "a"})
	cas := request(2, 1, KVOp{Kind: "cas", Key: "x", Old: "a", Value: "b"})
	for i, c := range []*Command{put, cas, put} {
		result, current, executed := r.apply(uint64(i+1), c)
		if executed != (i < 2) || !current {
			t.Errorf("command %d: %q, current %v, executed %v", i, result, current, executed)
		}
	}
	again := newReplicated(NewKV(), &Bugs{})
	if err := again.restore(r.snapshot()); err != nil {
		t.Fatal(err)
	}
	if result, _, executed := again.apply(4, cas); executed || string(result) != "ok b" {
		t.Errorf("after a snapshot: %q, executed %v", result, executed)
	}
	if again.index != 4 || !bytes.Equal(again.machine.Snapshot(), r.machine.Snapshot()) {
		t.Errorf("the snapshot has changed the state: %q, want %q", again.machine.Snapshot(), r.machine.Snapshot())
	}
	r.apply(5, request(1, 2, KVOp{Kind: "delete", Key: "x"}))
	if _, current, executed := r.apply(6, put); current || executed {
		t.Error("an old command of a client that has gone on is carried out, or answered")
	}
}

// Whatever is cut off a snapshot, restoring it does not panic.
func TestCutSnapshots(t *testing.T) {
	r := newReplicated(NewKV(), &Bugs{})
	for i := range uint64(5) {
		r.apply(i+1, request(i%3+1, i+1, KVOp{Kind: "put", Key: fmt.Sprint(i), Value: "value"}))
	}
	whole := r.snapshot()
	for n := range whole {
		_ = newReplicated(NewKV(), &Bugs{}).restore(whole[:n])
	}
}

// Commands and operations are read as they were written; other bytes are not.
func TestEncoding(t *testing.T) {
	in := Command{Client: 1 << 40, Seq: 300, Read: true, Data: []byte("d")}
	out, err := decodeCommand(in.encode())
	if err != nil || fmt.Sprint(out) != fmt.Sprint(in) {
		t.Errorf("%v became %v, %v", in, out, err)
	}
	for _, bad := range [][]byte{nil, {0}, {9, 1, 1}, {1}, {1, 0x80}} {
		if _, err := decodeCommand(bad); err == nil {
			t.Errorf("%x is read as a command", bad)
		}
	}
	kv := NewKV()
	for _, bad := range [][]byte{nil, {9}, {0}, {0, 5, 'x'}} {
		if kv.Apply(bad) != nil || kv.Query(bad) != nil {
			t.Errorf("%x is carried out", bad)
		}
	}
}
