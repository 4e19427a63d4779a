package kernel

import "encoding/binary"

// Form is the shape of a record that is written often: its kind, and the key
// and type of each attribute. A record that is written through a form is the
// same, byte for byte, as one that is written by [Sim.Emit]; it only takes
// less time. Make forms once, at setup, with [Sim.Form].
type Form struct {
	t    *tracer
	s    *Sim
	kind uint64
	tags []tag
	room int // more than a record needs
}

// Field is the key and type of one attribute of a [Form]. An [AttrString] is
// an interned text, a [Sym].
type Field struct {
	Key  Sym
	Type AttrType
}

// tag is what comes before an attribute's value.
type tag struct {
	bytes  uint64 // the first in the lowest eight bits
	length uint8
	fixed  bool // its value has eight bytes, and is no varint
	signed bool
}

// Form makes a form of records of a kind with these attributes, in this order.
func (s *Sim) Form(kind Sym, fields ...Field) *Form {
	f := &Form{t: &s.trace, s: s, kind: uint64(kind) + 1, room: attrRoom + 2*varintRoom*len(fields)}
	for _, a := range fields {
		var b [16]byte
		n := putVarint(b[:], uint64(a.Key)*attrKinds+a.Type.code())
		f.tags = append(f.tags, tag{
			bytes:  binary.LittleEndian.Uint64(b[:]),
			length: uint8(n),
			fixed:  a.Type == AttrHash,
			signed: a.Type == AttrInt || a.Type == AttrDur,
		})
	}
	return f
}

// code returns the type's number in the trace.
func (t AttrType) code() uint64 {
	return [...]uint64{AttrInt: attrInt, AttrUint: attrUint, AttrDur: attrDur, AttrBool: attrBool, AttrString: attrSym, AttrHash: attrHash}[t]
}

// Emit writes a record about node on, which may be nil, at the current time
// and event. There must be one value for each of the form's attributes, in
// their order: signed numbers and durations converted to uint64, a truth value
// as 0 or 1, a [Sym] as its number.
func (f *Form) Emit(on *Node, values ...uint64) {
	t := f.t
	if t.off {
		return
	}
	t.reserve(f.room)
	b := t.buf[t.used:]
	i := t.preamble(b, f.kind, f.s, on)
	for j := range f.tags {
		g, v := &f.tags[j], values[j]
		binary.LittleEndian.PutUint64(b[i:], g.bytes)
		i += int(g.length)
		switch {
		case g.fixed:
			binary.BigEndian.PutUint64(b[i:], v)
			i += 8
			continue
		case g.signed:
			v = zigzag(int64(v))
		}
		if v < 0x80 {
			b[i] = byte(v)
			i++
			continue
		}
		i += putVarint(b[i:], v)
	}
	b[i] = attrEnd
	t.used += i + 1
	t.time, t.event = f.s.now, f.s.event
	t.wrote()
}

// preamble writes what every record begins with and returns its length.
func (t *tracer) preamble(b []byte, kind uint64, s *Sim, on *Node) int {
	i := 0
	if kind < 0x80 {
		b[0] = byte(kind)
		i = 1
	} else {
		i = putVarint(b, kind)
	}
	if d := uint64(s.now - t.time); d < 0x80 {
		b[i] = byte(d)
		i++
	} else {
		i += putVarint(b[i:], d)
	}
	event, cause, node, boot := s.event-t.event, s.event-s.cause, uint64(0), uint64(0)
	if on != nil {
		node, boot = uint64(on.index)+1, uint64(on.boot)
	}
	if event|cause|node|boot < 0x80 {
		binary.LittleEndian.PutUint32(b[i:], uint32(event|cause<<8|node<<16|boot<<24))
		if on == nil {
			return i + 3
		}
		return i + 4
	}
	i += putVarint(b[i:], event)
	i += putVarint(b[i:], cause)
	i += putVarint(b[i:], node)
	if on != nil {
		i += putVarint(b[i:], boot)
	}
	return i
}

// bare writes a record of a kind without attributes, about the node that the
// event runs on.
func (s *Sim) bare(kind Sym) {
	t := &s.trace
	if t.off {
		return
	}
	t.reserve(attrRoom)
	b := t.buf[t.used:]
	i := t.preamble(b, uint64(kind)+1, s, s.node)
	b[i] = attrEnd
	t.used += i + 1
	t.time, t.event = s.now, s.event
	t.wrote()
}
