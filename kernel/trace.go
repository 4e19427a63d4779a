package kernel

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
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

// The trace is a sequence of entries. An entry starts with a varint:
//
//	0          defines the next symbol: length, bytes
//	1          defines the next form: kind, number of attributes, their tags
//	2+4k, +1   a record of kind k: preamble, attributes with tags, a 0
//	4+4f, +1   a record of form f: preamble, the values of its attributes
//
// The preamble says when, in which event and on which node; it is left out,
// and the +1 added, where it is that of the record before. A tag is an
// attribute's key and type. All integers but digests are varints, so the bytes
// and their hash do not depend on the machine.
const (
	entrySym = iota
	entryForm
	entryRecord
)

// The two lowest bits of what starts a record, above entryRecord.
const (
	headSame = 1 << iota
	headForm
)

// The types of attributes in the trace.
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
	sim      *Sim
	level    Level
	off      bool   // nothing is written: LevelOff, or the run is closed
	buf      []byte // its first used bytes are encoded, not yet hashed
	used     int
	kept     []byte // everything, at LevelFull
	limit    int    // of kept
	cut      bool   // kept has reached its limit
	sum      hash.Hash
	room     []byte // for digests
	syms     map[string]Sym
	names    []string
	forms    []*Form
	records  uint64
	last     moment // of the last record
	open     opened // the record being written
	marks    []Checkpoint
	interval uint64 // records between checkpoints
	due      uint64 // record at which the next checkpoint is taken
	notes    []note // texts of records, in the records' order
	noted    int    // bytes of them
}

// opened is a record that is being written.
type opened struct {
	start  int // in buf, or -1 if there is none
	kind   Sym
	node   *Node
	headed bool   // kind and preamble have been written
	before moment // tracer.last, to go back to
}

// moment is when and where a record was made: what its preamble says.
type moment struct {
	time         Time
	event, cause uint64
	node         uint64 // index of the node from 1, or 0
	boot         uint64
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

func (t *tracer) init(s *Sim, level Level) {
	t.sim, t.level, t.sum, t.syms = s, level, sha256.New(), map[string]Sym{}
	t.off = level == LevelOff
	t.open.start = -1
	t.buf = make([]byte, 2*hashBatch)
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
	def := binary.AppendUvarint([]byte{entrySym}, uint64(len(name)))
	t.insert(append(def, name...))
	return id
}

// insert writes a definition, before the record that is being written.
func (t *tracer) insert(def []byte) {
	t.reserve(len(def))
	at := t.used
	if t.open.start >= 0 {
		at = t.open.start
		t.open.start += len(def)
		copy(t.buf[at+len(def):], t.buf[at:t.used])
	}
	copy(t.buf[at:], def)
	t.used += len(def)
}

// attrRoom is more than any attribute without text needs, its record's head
// with it.
const attrRoom = 128

// reserve makes room for n more bytes.
func (t *tracer) reserve(n int) {
	if len(t.buf)-t.used < n {
		t.grow(n)
	}
}

func (t *tracer) grow(n int) {
	buf := make([]byte, 2*len(t.buf)+n)
	copy(buf, t.buf[:t.used])
	t.buf = buf
}

// put writes a varint into room that was reserved.
func (t *tracer) put(v uint64) { t.used = put(t.buf, t.used, v) }

// Emit starts a record of a kind, at the current time and event and on the
// node that the event runs on. Add attributes and finish with [Emit.Done]
// before anything else happens in the run.
func (s *Sim) Emit(kind Sym) Emit {
	t := &s.trace
	if t.off {
		return Emit{}
	}
	o := &t.open
	o.start, o.kind, o.node, o.headed = t.used, kind, s.node, false
	return Emit{t}
}

// Emit is a record that is being written, see [Sim.Emit].
type Emit struct {
	t *tracer // nil when nothing is written
}

// On says that the record is about node n, not about the node that the event
// runs on. It must come before the attributes.
func (e Emit) On(n *Node) Emit {
	if e.t != nil {
		e.t.open.node = n
	}
	return e
}

// attr starts an attribute: its key and the type of its value. The record's
// head comes before the first one.
func (t *tracer) attr(key Sym, kind uint64) {
	t.reserve(attrRoom)
	if !t.open.headed {
		t.head()
	}
	t.put(uint64(key)*attrKinds + kind)
}

func (t *tracer) head() {
	o := &t.open
	o.headed, o.before = true, t.last
	t.used = t.begin(uint64(o.kind)<<2, o.node)
}

// zigzag makes small numbers of either sign small.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

// Int adds a signed number.
func (e Emit) Int(key Sym, v int64) Emit {
	if e.t != nil {
		e.t.attr(key, attrInt)
		e.t.put(zigzag(v))
	}
	return e
}

// Uint adds an unsigned number.
func (e Emit) Uint(key Sym, v uint64) Emit {
	if e.t != nil {
		e.t.attr(key, attrUint)
		e.t.put(v)
	}
	return e
}

// Hash adds a 64-bit digest, shown in hexadecimal.
func (e Emit) Hash(key Sym, v uint64) Emit {
	if e.t != nil {
		e.t.attr(key, attrHash)
		binary.BigEndian.PutUint64(e.t.buf[e.t.used:], v)
		e.t.used += 8
	}
	return e
}

// Dur adds a duration.
func (e Emit) Dur(key Sym, v time.Duration) Emit {
	if e.t != nil {
		e.t.attr(key, attrDur)
		e.t.put(zigzag(int64(v)))
	}
	return e
}

// Bool adds a truth value.
func (e Emit) Bool(key Sym, v bool) Emit {
	if e.t != nil {
		e.t.attr(key, attrBool)
		b := uint64(0)
		if v {
			b = 1
		}
		e.t.put(b)
	}
	return e
}

// Str adds a text. For one that recurs, [Emit.Sym] is cheaper.
func (e Emit) Str(key Sym, v string) Emit {
	if t := e.t; t != nil {
		t.attr(key, attrStr)
		t.put(uint64(len(v)))
		t.reserve(len(v))
		t.used += copy(t.buf[t.used:], v)
	}
	return e
}

// Sym adds an interned text.
func (e Emit) Sym(key Sym, v Sym) Emit {
	if e.t != nil {
		e.t.attr(key, attrSym)
		e.t.put(uint64(v))
	}
	return e
}

// Done finishes the record.
func (e Emit) Done() {
	t := e.t
	if t == nil {
		return
	}
	t.reserve(attrRoom)
	if !t.open.headed {
		t.head()
	}
	t.put(attrEnd)
	t.open.start = -1
	t.wrote()
}

// wrote counts a record that is complete.
func (t *tracer) wrote() {
	t.records++
	if t.used >= hashBatch || t.records == t.due {
		t.settle()
	}
}

// settle hashes a full buffer and takes a checkpoint that is due.
func (t *tracer) settle() {
	if t.used >= hashBatch {
		t.flush()
	}
	if t.records == t.due {
		t.mark()
	}
}

// abandon throws away a record that a panic left unfinished.
func (t *tracer) abandon() {
	o := &t.open
	if o.start >= 0 {
		t.used, o.start = o.start, -1
		if o.headed {
			t.last = o.before
		}
	}
}

// flush hashes what is buffered and keeps it at LevelFull.
func (t *tracer) flush() {
	full := t.buf[:t.used]
	t.sum.Write(full)
	if t.level == LevelFull && !t.cut {
		if len(t.kept)+len(full) > t.limit {
			t.cut = true
		} else {
			t.kept = append(t.kept, full...)
		}
	}
	t.used = 0
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
