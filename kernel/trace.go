package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"
	"time"
)

// Level says what a run keeps of its trace.
type Level uint8

const (
	// LevelHash keeps the hash and its checkpoints only: memory does not grow
	// with the length of the run.
	LevelHash Level = iota
	// LevelFull also keeps every record, see [Sim.Records].
	LevelFull
	// LevelOff keeps nothing; the hash is that of an empty trace. It is for
	// measuring what tracing costs.
	LevelOff
)

// Sym is an interned string of one run: a record kind, an attribute key or a
// name. Make it once, at setup, with [Sim.Sym].
type Sym uint32

// The trace is a sequence of entries. An entry starts with a varint: 0 defines
// the next symbol (length, bytes), k+1 starts a record of kind k, followed by
// its header and attributes and closed by a 0. All integers are varints, so
// the bytes and their hash do not depend on the machine.
const (
	attrEnd = iota
	attrInt
	attrUint
	attrDur
	attrBool
	attrStr
	attrSym
	attrHash
	attrKinds
)

// tracer encodes and hashes the records of a run.
type tracer struct {
	level    Level
	off      bool   // nothing is written: LevelOff, or the run is closed
	buf      []byte // encoded, not yet hashed
	kept     []byte // everything, at LevelFull
	limit    int    // of kept
	cut      bool   // kept has reached its limit
	sum      hash.Hash
	room     []byte // for digests
	syms     map[string]Sym
	names    []string
	records  uint64
	start    int  // of the record being written in buf, or -1
	time     Time // of the last record
	event    uint64
	marks    []Checkpoint
	interval uint64 // records between checkpoints
	due      uint64 // record at which the next checkpoint is taken
}

const (
	hashBatch    = 4096
	markInterval = 4096
	maxMarks     = 1024
	maxKept      = 1 << 30
)

// Checkpoint is the state of the trace hash after a number of records. Two
// runs that agree at a checkpoint agree on every record before it.
type Checkpoint struct {
	Records uint64 // how many records it covers
	Digest  uint64 // first eight bytes of the SHA-256 of the trace so far
}

func (t *tracer) init(level Level) {
	t.level, t.sum, t.syms = level, sha256.New(), map[string]Sym{}
	t.off = level == LevelOff
	t.start = -1
	t.interval, t.due, t.limit = markInterval, markInterval, maxKept
}

// Sym interns a string. The first use of a string becomes part of the trace,
// before the record that is being written, if any.
func (s *Sim) Sym(name string) Sym {
	if id, ok := s.trace.syms[name]; ok {
		return id
	}
	return s.trace.define(name)
}

func (t *tracer) define(name string) Sym {
	id := Sym(len(t.names))
	t.syms[name] = id
	t.names = append(t.names, name)
	if t.off {
		return id
	}
	def := binary.AppendUvarint([]byte{0}, uint64(len(name)))
	def = append(def, name...)
	if t.start < 0 {
		t.buf = append(t.buf, def...)
	} else {
		t.buf = slices.Insert(t.buf, t.start, def...)
		t.start += len(def)
	}
	return id
}

// Emit starts a record of a kind, at the current time and event and on the
// node that the event runs on. Add attributes and finish with [Emit.Done]
// before anything else happens in the run.
func (s *Sim) Emit(kind Sym) Emit {
	t := &s.trace
	if t.off {
		return Emit{}
	}
	b := t.buf
	t.start = len(b)
	b = binary.AppendUvarint(b, uint64(kind)+1)
	b = binary.AppendUvarint(b, uint64(s.now-t.time))
	b = binary.AppendUvarint(b, s.event-t.event)
	b = binary.AppendUvarint(b, s.event-s.cause)
	t.buf = b
	return Emit{s: s, node: s.node}
}

// Emit is a record that is being written, see [Sim.Emit].
type Emit struct {
	s    *Sim
	node *Node
	open bool // the node has been written
}

// On says that the record is about node n, not about the node that the event
// runs on. It must come before the attributes.
func (e Emit) On(n *Node) Emit {
	e.node = n
	return e
}

// key returns the buffer with the record's head, if that is still missing, and
// the start of an attribute. The caller adds the value, stores the buffer and
// sets open.
func (e Emit) key(key Sym, kind uint64) []byte {
	b := e.s.trace.buf
	if !e.open {
		b = e.head(b)
	}
	return binary.AppendUvarint(b, uint64(key)*attrKinds+kind)
}

func (e Emit) head(b []byte) []byte {
	if e.node == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(e.node.index)+1)
	return binary.AppendUvarint(b, uint64(e.node.boot))
}

// Int adds a signed number.
func (e Emit) Int(key Sym, v int64) Emit {
	if e.s != nil {
		e.s.trace.buf = binary.AppendVarint(e.key(key, attrInt), v)
		e.open = true
	}
	return e
}

// Uint adds an unsigned number.
func (e Emit) Uint(key Sym, v uint64) Emit {
	if e.s != nil {
		e.s.trace.buf = binary.AppendUvarint(e.key(key, attrUint), v)
		e.open = true
	}
	return e
}

// Hash adds a 64-bit digest, shown in hexadecimal.
func (e Emit) Hash(key Sym, v uint64) Emit {
	if e.s != nil {
		e.s.trace.buf = binary.BigEndian.AppendUint64(e.key(key, attrHash), v)
		e.open = true
	}
	return e
}

// Dur adds a duration.
func (e Emit) Dur(key Sym, v time.Duration) Emit {
	if e.s != nil {
		e.s.trace.buf = binary.AppendVarint(e.key(key, attrDur), int64(v))
		e.open = true
	}
	return e
}

// Bool adds a truth value.
func (e Emit) Bool(key Sym, v bool) Emit {
	if e.s != nil {
		b := byte(0)
		if v {
			b = 1
		}
		e.s.trace.buf = append(e.key(key, attrBool), b)
		e.open = true
	}
	return e
}

// Str adds a text. For one that recurs, [Emit.Sym] is cheaper.
func (e Emit) Str(key Sym, v string) Emit {
	if e.s != nil {
		b := binary.AppendUvarint(e.key(key, attrStr), uint64(len(v)))
		e.s.trace.buf = append(b, v...)
		e.open = true
	}
	return e
}

// Sym adds an interned text.
func (e Emit) Sym(key Sym, v Sym) Emit {
	if e.s != nil {
		e.s.trace.buf = binary.AppendUvarint(e.key(key, attrSym), uint64(v))
		e.open = true
	}
	return e
}

// Done finishes the record.
func (e Emit) Done() {
	if e.s == nil {
		return
	}
	t := &e.s.trace
	b := t.buf
	if !e.open {
		b = e.head(b)
	}
	t.buf = append(b, attrEnd)
	t.time, t.event, t.start = e.s.now, e.s.event, -1
	t.records++
	if len(t.buf) >= hashBatch {
		t.flush()
	}
	if t.records == t.due {
		t.mark()
	}
}

// abandon throws away a record that a panic left unfinished.
func (t *tracer) abandon() {
	if t.start >= 0 {
		t.buf, t.start = t.buf[:t.start], -1
	}
}

// flush hashes what is buffered and keeps it at LevelFull.
func (t *tracer) flush() {
	t.sum.Write(t.buf)
	if t.level == LevelFull && !t.cut {
		if len(t.kept)+len(t.buf) > t.limit {
			t.cut = true
		} else {
			t.kept = append(t.kept, t.buf...)
		}
	}
	t.buf = t.buf[:0]
}

// mark takes a checkpoint. When there are too many, every other one goes and
// the interval doubles.
func (t *tracer) mark() {
	t.flush()
	sum := t.digest()
	t.marks = append(t.marks, Checkpoint{t.records, binary.BigEndian.Uint64(sum[:])})
	if len(t.marks) == maxMarks {
		for i := range maxMarks / 2 {
			t.marks[i] = t.marks[2*i+1]
		}
		t.marks = t.marks[:maxMarks/2]
		t.interval *= 2
	}
	t.due += t.interval
}

// Hash returns the SHA-256 of the trace so far.
func (s *Sim) Hash() [32]byte {
	s.trace.flush()
	return s.trace.digest()
}

func (t *tracer) digest() [sha256.Size]byte {
	t.room = t.sum.Sum(t.room[:0])
	return [sha256.Size]byte(t.room)
}

// Checkpoints returns the checkpoints taken so far. Their number is bounded:
// with length of the run they grow sparse.
func (s *Sim) Checkpoints() []Checkpoint { return s.trace.marks }

// RecordCount returns the number of records written so far.
func (s *Sim) RecordCount() uint64 { return s.trace.records }
