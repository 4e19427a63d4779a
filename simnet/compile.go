package simnet

import (
	"math"
	"reflect"
	"strings"
)

// walker mixes a value of one type into a digest.
type walker func(d *digest, v reflect.Value)

// compiler makes walkers and keeps them, one for each type of a run.
type compiler struct {
	walkers map[reflect.Type]walker
	digest  digest // reused
}

// walker returns the walker of a type. While a type that contains itself is
// compiled, its inner walker looks the outer one up later.
func (c *compiler) walker(t reflect.Type) walker {
	if w := c.walkers[t]; w != nil {
		return w
	}
	var made walker
	c.walkers[t] = func(d *digest, v reflect.Value) { made(d, v) }
	made = c.compile(t)
	c.walkers[t] = made
	return made
}

func (c *compiler) compile(t reflect.Type) walker {
	switch t.Kind() {
	case reflect.Bool:
		return walkBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(d *digest, v reflect.Value) { d.add(uint64(v.Int())) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(d *digest, v reflect.Value) { d.add(v.Uint()) }
	case reflect.Float32, reflect.Float64:
		//faultline:allow float the bits of a number are read, nothing is computed
		return func(d *digest, v reflect.Value) { d.add(math.Float64bits(v.Float())) }
	case reflect.Complex64, reflect.Complex128:
		return func(d *digest, v reflect.Value) {
			//faultline:allow float the bits of a number are read, nothing is computed
			d.add(math.Float64bits(real(v.Complex())))
			//faultline:allow float the bits of a number are read, nothing is computed
			d.add(math.Float64bits(imag(v.Complex())))
		}
	case reflect.String:
		return func(d *digest, v reflect.Value) { addBytes(d, v.String()) }
	case reflect.Struct:
		return c.structure(t)
	case reflect.Array, reflect.Slice:
		return c.list(t)
	case reflect.Pointer:
		return c.pointer(t)
	case reflect.Map:
		return c.table(t)
	case reflect.Interface:
		return walkInterface
	default: // functions, channels, unsafe pointers: no content to compare
		return walkNothing
	}
}

func walkNothing(*digest, reflect.Value) {}

func walkBool(d *digest, v reflect.Value) {
	if v.Bool() {
		d.add(1)
	} else {
		d.add(0)
	}
}

// structure walks the fields but those that no reader of a message sees.
func (c *compiler) structure(t reflect.Type) walker {
	type field struct {
		index int
		walk  walker
	}
	var fields []field
	for i := range t.NumField() {
		if f := t.Field(i); !hidden(t, f) {
			fields = append(fields, field{i, c.walker(f.Type)})
		}
	}
	return func(d *digest, v reflect.Value) {
		if !d.spend() {
			return
		}
		for i := range fields {
			f := &fields[i]
			f.walk(d, v.Field(f.index))
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
func (c *compiler) list(t reflect.Type) walker {
	array := t.Kind() == reflect.Array
	if t.Elem().Kind() == reflect.Uint8 {
		return func(d *digest, v reflect.Value) {
			if array && !v.CanAddr() {
				walkByteArray(d, v)
				return
			}
			addBytes(d, v.Bytes())
		}
	}
	elem := c.walker(t.Elem())
	loose := !array && !frozen(t.Elem()) // it can be part of a cycle
	return func(d *digest, v reflect.Value) {
		n := v.Len()
		d.add(uint64(n))
		if n == 0 || loose && !d.enter(v) {
			return
		}
		for i := range n {
			if !d.spend() {
				break
			}
			elem(d, v.Index(i))
		}
		if loose {
			d.leave()
		}
	}
}

// walkByteArray is addBytes for an array that has no address.
func walkByteArray(d *digest, v reflect.Value) {
	n := v.Len()
	d.add(uint64(n))
	var word uint64
	for i := range n {
		word |= v.Index(i).Uint() << (8 * (i % 8))
		if i%8 == 7 || i == n-1 {
			d.add(word)
			word = 0
		}
	}
}

func (c *compiler) pointer(t reflect.Type) walker {
	elem := c.walker(t.Elem())
	loose := !frozen(t.Elem())
	return func(d *digest, v reflect.Value) {
		switch {
		case v.IsNil():
			d.add(0)
		case !d.spend():
		case !loose:
			d.add(1)
			elem(d, v.Elem())
		case d.enter(v):
			d.add(1)
			elem(d, v.Elem())
			d.leave()
		}
	}
}

// table walks a map. The entries' digests are added up, so their order, which
// Go leaves open, does not matter.
func (c *compiler) table(t reflect.Type) walker {
	key, elem := c.walker(t.Key()), c.walker(t.Elem())
	return func(d *digest, v reflect.Value) {
		d.add(uint64(v.Len()))
		if v.Len() == 0 || !d.enter(v) {
			return
		}
		before, total := d.sum, uint64(0)
		//faultline:allow map-range the digests of the entries are added up, in any order
		for it := v.MapRange(); it.Next() && d.spend(); {
			d.sum = 0
			key(d, it.Key())
			elem(d, it.Value())
			total += d.sum
		}
		d.sum = before
		d.add(total)
		d.leave()
	}
}

// walkInterface walks what is in an interface, with the name of its type.
func walkInterface(d *digest, v reflect.Value) {
	if v.IsNil() {
		d.add(0)
		return
	}
	in := v.Elem()
	addBytes(d, in.Type().String())
	if d.spend() {
		d.c.walker(in.Type())(d, in)
	}
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

// hasByteArray reports whether values of the type contain an array of bytes,
// which is read faster when it has an address.
func hasByteArray(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return t.Elem().Kind() == reflect.Uint8 || hasByteArray(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasByteArray(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
