package kernel

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"
)

// TestPut: the bytes of a varint are those of the standard library, at every
// length and at both sides of each boundary, and nothing behind counts.
func TestPut(t *testing.T) {
	check := func(v uint64) {
		t.Helper()
		var got [16]byte
		n := put(got[:], 1, v)
		if w := binary.AppendUvarint([]byte{0}, v); !bytes.Equal(got[:n], w) {
			t.Errorf("%#x is written as %x, want %x", v, got[1:n], w[1:])
		}
	}
	for bit := range 64 {
		v := uint64(1) << bit
		for _, d := range []uint64{0, 1, 2, v - 1, v / 3} {
			check(v + d)
			check(v - d)
		}
	}
	s := NewStream(1, "varint")
	for i := range uint64(10_000) {
		check(s.At(i) >> (i % 64))
	}
}

// TestFormReadsAsEmit: a record that is written by a form reads like one that is
// written by Emit, with values of every type and size, on nodes and on none.
func TestFormReadsAsEmit(t *testing.T) {
	s := New(Config{Level: LevelFull})
	a, b := s.AddNode("a", func(*Node) Handler { return Idle{} }), s.AddNode("b", func(*Node) Handler { return Idle{} })
	k := s.Sym("key")
	f := s.Form(s.Sym("kind"), Field{k, AttrInt}, Field{k, AttrUint}, Field{k, AttrDur}, Field{k, AttrBool}, Field{k, AttrString}, Field{k, AttrHash})
	bare := s.Form(s.Sym("bare"))
	for i := range 200 {
		v := int64(s.Stream("v").At(uint64(i))) >> (i % 64)
		node := []*Node{nil, a, b}[i/2%3]
		s.At(Time(i/4), func() {
			f.Emit(node, uint64(v), uint64(v), uint64(v), uint64(v&1), uint64(k), uint64(v))
			s.Emit(s.Sym("kind")).On(node).Int(k, v).Uint(k, uint64(v)).Dur(k, time.Duration(v)).Bool(k, v&1 == 1).Sym(k, k).Hash(k, uint64(v)).Done()
			bare.Emit(node)
			s.Emit(s.Sym("bare")).On(node).Done()
		})
	}
	s.Run()
	if f := s.Failure(); f != nil {
		t.Fatal(f)
	}
	if n, err := readTrace(s.trace.kept); err != nil || n != int(s.RecordCount()) {
		t.Errorf("read %d records of %d: %v", n, s.RecordCount(), err)
	}
	var last string
	pairs := 0
	for _, line := range lines(s) {
		if line == last {
			pairs++
			line = ""
		}
		last = line
	}
	want(t, "pairs of equal records", pairs, 400)
}

// TestFormInARecord: a form that is made while a record is being written is
// defined before that record.
func TestFormInARecord(t *testing.T) {
	s := New(Config{Level: LevelFull})
	k := s.Sym("k")
	e := s.Emit(s.Sym("outer")).Int(k, 1)
	f := s.Form(s.Sym("inner"), Field{k, AttrInt})
	e.Int(k, 2).Done()
	f.Emit(nil, 3)
	s.Run()
	if n, err := readTrace(s.trace.kept); err != nil || n != 2 {
		t.Errorf("read %d records, want 2: %v", n, err)
	}
	want(t, "records", len(lines(s)), 2)
	off := New(Config{Level: LevelOff})
	off.Form(k, Field{k, AttrInt}).Emit(nil, 1)
	want(t, "hash at LevelOff", off.Hash(), New(Config{Level: LevelOff}).Hash())
}

// TestFormMisuse: mistakes are named, and the trace stays whole.
func TestFormMisuse(t *testing.T) {
	s := New(Config{Level: LevelFull})
	s.Form(s.Sym("odd"), Field{s.Sym("k"), AttrHash + 1}).Emit(nil, 5)
	mustContain(t, s.Err().Error(), `kernel: attribute 1 of a form of kind "odd" has type 6; use one of AttrInt to AttrHash`)

	s = New(Config{Level: LevelFull})
	f := s.Form(s.Sym("short"), Field{s.Sym("k"), AttrInt}, Field{s.Sym("l"), AttrInt})
	s.At(1, func() { f.Emit(nil, 1) })
	s.Run()
	mustContain(t, s.Failure().Error(), `a record of kind "short" was given 1 values; its form has 2 attributes, give one value for each`)
	if n, err := readTrace(s.trace.kept); err != nil || n != int(s.RecordCount()) {
		t.Errorf("read %d records of %d: %v", n, s.RecordCount(), err)
	}
}
