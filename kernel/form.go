package kernel

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Form is the shape of a record that is written often: its kind, and the key
// and type of each attribute. What a form writes is read like any record, and
// takes about half of the time and space. Make forms once, at setup, with
// [Sim.Form].
type Form struct {
	sim    *Sim
	kind   Sym
	fields []Field
	head   uint64
	types  []uint8 // of the fields, in the trace
	room   int     // more than a record needs
}

// Field is an attribute of a [Form].
type Field struct {
	Key  Sym      // what it is called
	Type AttrType // of its value; AttrString is an interned text
}

// Form makes a form of records of a kind with these attributes, in this order.
// It becomes part of the trace. An attribute type that does not exist is a
// misuse, see [Sim.Misuse], and counts as [AttrUint].
func (s *Sim) Form(kind Sym, fields ...Field) *Form {
	t := &s.trace
	f := &Form{
		sim:    s,
		kind:   kind,
		fields: slices.Clone(fields),
		head:   uint64(len(t.forms))<<2 | headForm,
		room:   attrRoom + binary.MaxVarintLen64*len(fields),
	}
	t.forms = append(t.forms, f)
	for i, a := range f.fields {
		if a.Type > AttrHash {
			s.Misuse(fmt.Errorf("kernel: attribute %d of a form of kind %q has type %d; use one of AttrInt to AttrHash", i+1, t.names[kind], a.Type))
			f.fields[i].Type = AttrUint
		}
	}
	def := binary.AppendUvarint([]byte{entryForm}, uint64(kind))
	def = binary.AppendUvarint(def, uint64(len(fields)))
	for _, a := range f.fields {
		code := a.Type.code()
		f.types = append(f.types, uint8(code))
		def = binary.AppendUvarint(def, uint64(a.Key)*attrKinds+code)
	}
	if !t.off {
		t.insert(def)
	}
	return f
}

// code returns the type's number in the trace; that of a text means an
// interned one.
func (t AttrType) code() uint64 {
	return [...]uint64{AttrInt: attrInt, AttrUint: attrUint, AttrDur: attrDur, AttrBool: attrBool, AttrString: attrSym, AttrHash: attrHash}[t]
}

// Emit writes a record about node on, which may be nil, at the current time
// and event. There must be one value for each of the form's attributes, in
// their order: signed numbers and durations converted to uint64, a truth value
// as 0 or 1, a [Sym] as its number. Another number of values is a misuse, see
// [Sim.Misuse], and writes nothing.
func (f *Form) Emit(on *Node, values ...uint64) {
	t := &f.sim.trace
	if t.off {
		return
	}
	if len(values) != len(f.types) {
		f.miscounted(len(values))
		return
	}
	t.reserve(f.room)
	i, b := t.begin(f.head, on), t.buf
	for j, typ := range f.types {
		v := values[j]
		switch typ {
		case attrHash:
			binary.BigEndian.PutUint64(b[i:], v)
			i += 8
			continue
		case attrInt, attrDur:
			v = zigzag(int64(v))
		}
		i = put(b, i, v)
	}
	t.used = i
	t.wrote()
}

func (f *Form) miscounted(n int) {
	s := f.sim
	s.Misuse(fmt.Errorf("kernel: a record of kind %q was given %d values; its form has %d attributes, give one value for each", s.trace.names[f.kind], n, len(f.types)))
}

// bare writes a record of a kind without attributes, about the node that the
// event runs on.
func (s *Sim) bare(kind Sym) {
	t := &s.trace
	if t.off {
		return
	}
	t.reserve(attrRoom)
	i := t.begin(uint64(kind)<<2, s.node)
	t.buf[i] = attrEnd
	t.used = i + 1
	t.wrote()
}

// begin writes what a record about node on begins with, into room that was
// reserved, and returns the place in buf after it. It leaves used as it is.
//
//go:norace
func (t *tracer) begin(head uint64, on *Node) int {
	s, last, b, i := t.sim, &t.last, t.buf, t.used
	var node, boot uint64
	if on != nil {
		node, boot = uint64(on.index)+1, uint64(on.boot)
	}
	if s.event == last.event && node == last.node && boot == last.boot && s.cause == last.cause && s.now == last.time {
		return put(b, i, entryRecord+(head|headSame))
	}
	i = put(b, i, entryRecord+head)
	i = put(b, i, uint64(s.now-last.time))
	i = put(b, i, s.event-last.event)
	i = put(b, i, s.event-s.cause)
	i = put(b, i, node)
	if on != nil {
		i = put(b, i, boot)
	}
	last.time, last.event, last.cause, last.node, last.boot = s.now, s.event, s.cause, node, boot
	return i
}

// put writes a varint, one that is mostly small, at b[i] and returns what i is
// after it.
//
//go:norace
func put(b []byte, i int, v uint64) int {
	if v < 0x80 {
		b[i] = byte(v)
		return i + 1
	}
	return putLarge(b, i, v)
}

// putLarge works up to four bytes out side by side and stores them at once. The
// lengths of the numbers in a trace follow no pattern, and a loop over the
// bytes of one is mispredicted time and again.
//
//go:norace
func putLarge(b []byte, i int, v uint64) int {
	if v >= 1<<28 {
		return i + binary.PutUvarint(b[i:], v)
	}
	n := (bits.Len32(uint32(v))*9 + 64) >> 6 // seven bits in each
	x := uint32(v)
	x = x&0x00003fff | x&0x0fffc000<<2
	x = x&0x007f007f | x&0x3f803f80<<1
	more := uint32(1)<<(uint(8*n-8)&31) - 1 // all bytes but the last say so
	binary.LittleEndian.PutUint32(b[i:], x|0x80808080&more)
	return i + n
}
