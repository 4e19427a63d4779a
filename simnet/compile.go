package simnet

import (
	"reflect"
	"strings"
)

// walker mixes the value at p, of one type, into a digest.
type walker func(d *digest, p place)

// compiler makes the programs that walk over messages and keeps them, one for
// each type of a run.
type compiler struct {
	shapes map[reflect.Type]*shape
	digest digest // reused
}

// shape is what is known about a type.
type shape struct {
	typ     reflect.Type
	text    string // of the type
	program program
	elem    *shape // of a pointer: what it points to
	loose   bool   // of a pointer: it can be part of a cycle
	spare   []reflect.Value
}

// shape returns the shape of a type. While a type that contains itself is
// compiled, the shape of the inner one is the outer one's, not yet complete.
func (c *compiler) shape(t reflect.Type) *shape {
	if s := c.shapes[t]; s != nil {
		return s
	}
	s := &shape{typ: t, text: t.String()}
	c.shapes[t] = s
	c.compile(s)
	return s
}

// walk mixes in a value that has no address.
func (s *shape) walk(d *digest, v reflect.Value) {
	if s.elem != nil {
		s.follow(d, v.UnsafePointer())
		return
	}
	room := s.borrow()
	room.Set(v)
	s.program.run(d, room.Addr().UnsafePointer())
	s.giveBack(room)
}

// borrow returns room for a value of the type.
func (s *shape) borrow() reflect.Value {
	if n := len(s.spare); n > 0 {
		v := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return v
	}
	return reflect.New(s.typ).Elem()
}

func (s *shape) giveBack(v reflect.Value) {
	v.SetZero()
	s.spare = append(s.spare, v)
}

func (c *compiler) compile(s *shape) {
	t := s.typ
	switch t.Kind() {
	case reflect.Struct:
		c.structure(s)
	case reflect.Array, reflect.Slice:
		c.list(s)
	case reflect.Pointer:
		c.pointer(s)
	case reflect.Map:
		c.table(s)
	case reflect.Interface:
		c.dynamic(s)
	default: // functions, channels and unsafe pointers have no content to compare
		if k := int(t.Kind()); k < len(codes) && codes[k] != stepCall {
			s.program.steps = []step{{code: codes[k]}}
		}
	}
}

// structure puts the programs of the fields together, but those of fields that
// no reader of a message sees.
func (c *compiler) structure(s *shape) {
	s.program.values = 1
	for i := range s.typ.NumField() {
		if f := s.typ.Field(i); !hidden(s.typ, f) {
			s.program.add(&c.shape(f.Type).program, f.Offset)
		}
	}
}

// hidden reports whether a field is not content: blank, tagged simnet:"-", a
// lock or an atomic, the runtime state of a generated protobuf message, or
// the location of a time, which is the machine's.
func hidden(t reflect.Type, f reflect.StructField) bool {
	from := f.Type.PkgPath()
	switch {
	case f.Name == "_" || f.Tag.Get("simnet") == "-":
		return true
	case from == "sync" || from == "sync/atomic":
		return true
	case strings.HasPrefix(from, "google.golang.org/protobuf/"):
		return strings.HasPrefix(from, "google.golang.org/protobuf/internal/")
	case f.Name == "sizeCache" && t.NumField() > 0:
		_, generated := t.FieldByName("state")
		return generated
	}
	return t.PkgPath() == "time" && t.Name() == "Time" && f.Name == "loc"
}

// list walks an array or a slice.
func (c *compiler) list(s *shape) {
	t := s.typ
	array, bytes := t.Kind() == reflect.Array, t.Elem().Kind() == reflect.Uint8
	switch {
	case array && bytes:
		s.program.steps = []step{{code: stepByteArray, length: t.Len()}}
		return
	case bytes:
		s.program.steps = []step{{code: stepBytes}}
		return
	}
	var elem *shape // looked up last: it may contain this type
	size := t.Elem().Size()
	walk := func(d *digest, p place, n int) {
		for i := range n {
			if !d.spend() {
				break
			}
			elem.program.run(d, after(p, uintptr(i)*size))
		}
	}
	if array {
		n := t.Len()
		s.program.call(func(d *digest, p place) {
			d.add(uint64(n))
			walk(d, p, n)
		})
		elem = c.shape(t.Elem())
		return
	}
	loose := !frozen(t.Elem()) // it can be part of a cycle
	s.program.call(func(d *digest, p place) {
		first, n := listAt(p)
		d.add(uint64(n))
		if n == 0 || loose && !d.enter(first, t) {
			return
		}
		walk(d, first, n)
		if loose {
			d.leave()
		}
	})
	elem = c.shape(t.Elem())
}

// pointer walks what a pointer points to.
func (c *compiler) pointer(s *shape) {
	s.loose = !frozen(s.typ.Elem())
	s.program.call(func(d *digest, p place) { s.follow(d, load[place](p)) })
	s.elem = c.shape(s.typ.Elem())
}

// follow walks what the pointer p of type s points to.
func (s *shape) follow(d *digest, p place) {
	switch {
	case p == nil:
		d.add(0)
	case !d.spend():
	case !s.loose:
		d.add(1)
		s.elem.program.run(d, p)
	case d.enter(p, s.typ):
		d.add(1)
		s.elem.program.run(d, p)
		d.leave()
	}
}

// table walks a map. The entries' digests are added up, so their order, which
// Go leaves open, does not matter.
func (c *compiler) table(s *shape) {
	var key, elem *shape
	t := s.typ
	s.program.call(func(d *digest, p place) {
		m := reflect.NewAt(t, p).Elem()
		d.add(uint64(m.Len()))
		if m.Len() == 0 || !d.enter(m.UnsafePointer(), t) {
			return
		}
		before, total := d.sum, uint64(0)
		k, v := key.borrow(), elem.borrow()
		//faultline:allow map-range the digests of the entries are added up, in any order
		for it := m.MapRange(); it.Next() && d.spend(); {
			d.sum = 0
			k.SetIterKey(it)
			v.SetIterValue(it)
			key.program.run(d, k.Addr().UnsafePointer())
			elem.program.run(d, v.Addr().UnsafePointer())
			total += d.sum
		}
		key.giveBack(k)
		elem.giveBack(v)
		d.sum = before
		d.add(total)
		d.leave()
	})
	key, elem = c.shape(t.Key()), c.shape(t.Elem())
}

// dynamic walks what is in an interface, with the name of its type.
func (c *compiler) dynamic(s *shape) {
	s.program.call(func(d *digest, p place) {
		v := reflect.NewAt(s.typ, p).Elem()
		if v.IsNil() {
			d.add(0)
			return
		}
		in := v.Elem()
		inner := c.shape(in.Type())
		d.addText(inner.text)
		if d.spend() {
			inner.walk(d, in)
		}
	})
}

// frozen reports whether values of the type hold nothing that is shared when
// they are copied, so that nobody can change them through another copy.
func frozen(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !frozen(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return frozen(t.Elem())
	case reflect.Slice, reflect.Pointer, reflect.Map, reflect.Interface, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	}
	return true
}
