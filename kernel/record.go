package kernel

import (
	"encoding/binary"
	"fmt"
	"iter"
	"strconv"
	"time"
)

// Record is one line of the trace: something that happened.
type Record struct {
	Index uint64 // number in the trace, from 0
	Time  Time   // virtual time
	Event uint64 // number of the event that it happened in, 0 before the run
	Cause uint64 // number of the event that scheduled that event, 0 for none
	Node  string // the node it is about, empty for the world
	Boot  int    // incarnation of that node, from 1; 0 before its first start
	Kind  string // what happened, such as "net/send" or the user's own kind
	Attrs []Attr // in the order in which they were written
}

// Attr is one attribute of a record.
type Attr struct {
	Key  string   // what it is called
	Type AttrType // says which of the next two holds the value
	Num  int64    // all types but AttrString; unsigned ones are reinterpreted
	Text string   // AttrString
}

// AttrType is the type of an attribute's value.
type AttrType uint8

// The types of attributes.
const (
	AttrInt    AttrType = iota // signed number
	AttrUint                   // unsigned number, in Num's bits
	AttrDur                    // duration in nanoseconds
	AttrBool                   // 0 or 1
	AttrString                 // text
	AttrHash                   // 64-bit digest, in Num's bits
)

// Value returns the value as text, the way reports show it.
func (a Attr) Value() string {
	switch a.Type {
	case AttrUint:
		return strconv.FormatUint(uint64(a.Num), 10)
	case AttrDur:
		return time.Duration(a.Num).String()
	case AttrBool:
		return strconv.FormatBool(a.Num != 0)
	case AttrString:
		return a.Text
	case AttrHash:
		return fmt.Sprintf("%016x", uint64(a.Num))
	default:
		return strconv.FormatInt(a.Num, 10)
	}
}

// Get returns the attribute with that key.
func (r *Record) Get(key string) (Attr, bool) {
	for _, a := range r.Attrs {
		if a.Key == key {
			return a, true
		}
	}
	return Attr{}, false
}

// Records returns the trace in order; it is empty unless the run's level is
// [LevelFull]. The records' Attrs are valid until the next one. Beyond 1 GiB
// of encoded trace nothing more is kept, and [Sim.TraceCut] says so. It must
// not be called while a record is being written.
func (s *Sim) Records() iter.Seq[Record] {
	s.trace.flush()
	return func(yield func(Record) bool) {
		d := decoder{s: s, b: s.trace.kept, notes: s.trace.notes}
		for len(d.b) > 0 {
			switch entry := d.uvarint(); entry {
			case entrySym:
				d.text()
			case entryForm:
				d.skipForm()
			default:
				d.record(entry - entryRecord)
				if !yield(d.rec) {
					return
				}
				d.rec.Index++
			}
		}
	}
}

// TraceCut reports whether the trace grew beyond what is kept, so that
// [Sim.Records] ends early.
func (s *Sim) TraceCut() bool { return s.trace.cut }

// decoder reads the simulator's own encoding back.
type decoder struct {
	s   *Sim
	b   []byte
	rec Record

	notes []note // of the records from here on
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	d.b = d.b[n:]
	return v
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.b)
	d.b = d.b[n:]
	return v
}

func (d *decoder) text() string {
	n := d.uvarint()
	v := string(d.b[:n])
	d.b = d.b[n:]
	return v
}

func (d *decoder) name(v uint64) string { return d.s.trace.names[v] }

// skipForm passes over the definition of a form, which the run still has.
func (d *decoder) skipForm() {
	d.uvarint() // its kind
	for range d.uvarint() {
		d.uvarint()
	}
}

// record reads a record that starts with head.
func (d *decoder) record(head uint64) {
	r := &d.rec
	if head&headSame == 0 {
		d.preamble()
	}
	r.Attrs = r.Attrs[:0]
	d.attrs(head)
	for ; len(d.notes) > 0 && d.notes[0].index == r.Index; d.notes = d.notes[1:] {
		r.Attrs = append(r.Attrs, d.notes[0].attr)
	}
}

// attrs reads the kind and the attributes of a record.
func (d *decoder) attrs(head uint64) {
	r := &d.rec
	id := head >> 2
	if head&headForm != 0 {
		f := d.s.trace.forms[id]
		r.Kind = d.name(uint64(f.kind))
		for i, a := range f.fields {
			r.Attrs = append(r.Attrs, d.attr(uint64(a.Key)*attrKinds+uint64(f.types[i])))
		}
		return
	}
	r.Kind = d.name(id)
	for tag := d.uvarint(); tag != attrEnd; tag = d.uvarint() {
		r.Attrs = append(r.Attrs, d.attr(tag))
	}
}

func (d *decoder) preamble() {
	r := &d.rec
	r.Time += Time(d.uvarint())
	r.Event += d.uvarint()
	r.Cause = r.Event - d.uvarint()
	r.Node, r.Boot = "", 0
	if n := d.uvarint(); n > 0 {
		r.Node = d.s.nodes[n-1].name
		r.Boot = int(d.uvarint())
	}
}

func (d *decoder) attr(tag uint64) Attr {
	a := Attr{Key: d.name(tag / attrKinds)}
	switch tag % attrKinds {
	case attrInt:
		a.Num = d.varint()
	case attrUint:
		a.Type, a.Num = AttrUint, int64(d.uvarint())
	case attrDur:
		a.Type, a.Num = AttrDur, d.varint()
	case attrBool:
		a.Type, a.Num = AttrBool, int64(d.uvarint())
	case attrStr:
		a.Type, a.Text = AttrString, d.text()
	case attrSym:
		a.Type, a.Text = AttrString, d.name(d.uvarint())
	case attrHash:
		a.Type, a.Num = AttrHash, int64(binary.BigEndian.Uint64(d.b))
		d.b = d.b[8:]
	}
	return a
}
