package etcdraft

import (
	"math/rand/v2"
	"testing"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
	"google.golang.org/protobuf/proto"
)

func entries(r *rand.Rand, first, term uint64, n int) []*raftpb.Entry {
	var out []*raftpb.Entry
	for i := range uint64(n) {
		e := &raftpb.Entry{Index: new(first + i), Term: new(term)}
		if k := r.IntN(200); k > 0 {
			e.Data = make([]byte, k)
		}
		if r.IntN(3) == 0 {
			e.Type = raftpb.EntryConfChangeV2.Enum()
		}
		out = append(out, e)
	}
	return out
}

// The storage does what raft's own does, whatever is appended and compacted.
func TestMemoryLikeMemoryStorage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ours, theirs := newMemory(1, 1), raft.NewMemoryStorage()
	if err := theirs.ApplySnapshot(firstSnapshot(3, NewKV())); err != nil {
		t.Fatal(err)
	}
	term := uint64(1)
	for range 5000 {
		last := ours.last()
		switch r.IntN(10) {
		case 0:
			index := ours.before() + uint64(r.IntN(int(last-ours.before()+1)))
			if ours.compact(index) != (theirs.Compact(index) == nil) {
				t.Fatalf("compaction at %d", index)
			}
		case 1:
			term++
			fallthrough
		default:
			first := max(ours.before()+1, last+1-min(last, uint64(r.IntN(4))))
			list := entries(r, first, term, 1+r.IntN(4))
			if err := ours.append(list); err != nil {
				t.Fatal(err)
			}
			if err := theirs.Append(list); err != nil {
				t.Fatal(err)
			}
		}
		compare(t, r, ours, theirs)
	}
	if err := ours.append(entries(r, ours.last()+2, term, 1)); err == nil {
		t.Error("a gap is no error")
	}
}

func compare(t *testing.T, r *rand.Rand, ours *memory, theirs *raft.MemoryStorage) {
	t.Helper()
	first, _ := theirs.FirstIndex()
	last, _ := theirs.LastIndex()
	if f, _ := ours.FirstIndex(); f != first || ours.last() != last {
		t.Fatalf("entries %d to %d, want %d to %d", f, ours.last(), first, last)
	}
	i := first - 1 + uint64(r.IntN(int(last-first+3)))
	a, errA := ours.Term(i)
	b, errB := theirs.Term(i)
	if a != b || errA != errB {
		t.Fatalf("term of %d is %d, %v; want %d, %v", i, a, errA, b, errB)
	}
	if last < first {
		return
	}
	lo := first + uint64(r.IntN(int(last-first+1)))
	hi := lo + uint64(r.IntN(int(last-lo+1))) + 1
	most := uint64(r.IntN(1000))
	la, errA := ours.Entries(lo, hi, most)
	lb, errB := theirs.Entries(lo, hi, most)
	if len(la) != len(lb) || errA != errB {
		t.Fatalf("entries [%d, %d) up to %d bytes: %d, %v; want %d, %v", lo, hi, most, len(la), errA, len(lb), errB)
	}
	if cap(la) != len(la) {
		t.Fatal("the caller could append into the log")
	}
}

// The size of an entry is counted without encoding it.
func TestEntrySize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		e := entries(r, r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64), 1)[0]
		if got, want := entrySize(e), uint64(proto.Size(e)); got != want {
			t.Fatalf("%v: size %d, want %d", e, got, want)
		}
	}
}
