package simnet

import (
	"reflect"

	"github.com/hmdsefi/faultline/kernel"
)

// MaxBits is the largest number of bits of one message that flip.
const MaxBits = 32

// corrupt replaces the message by a copy in which bits are flipped. One in
// which no bit can flip stays as it is.
func (f *flight) corrupt(bits int) {
	w := f.wire
	if f.msg == nil {
		return
	}
	c := copier{done: map[spot]reflect.Value{}}
	twin := c.copy(reflect.ValueOf(f.msg))
	if len(c.leaves) == 0 {
		return
	}
	q := kernel.Seq{Stream: w.net.sim.Stream(w.name + "/corrupt").Derive("where")}
	q.N = f.name * MaxBits
	for range bits {
		c.flip(q.Below(c.bits))
	}
	for _, b := range c.boxes { // the inner ones come first
		b.where.Set(b.what)
	}
	f.msg = twin.Interface()
	f.digest = w.net.payloads.digest(f.typ, f.msg)
	w.stats.Corrupted++
	w.net.stats.Corrupted++
	y := &w.net.syms
	e := w.net.sim.Emit(w.net.sim.Sym("net/corrupt")).On(w.from.node).Sym(y.to, w.to.sym)
	f.identify(e).Uint(w.net.sim.Sym("bits"), uint64(bits)).Done()
}

// copier makes a deep copy of a message and notes what can be flipped in it.
type copier struct {
	done   map[spot]reflect.Value
	leaves []leaf
	bits   uint64 // of all leaves
	boxes  []box
}

// box is an interface in the copy and the new value that it is to hold.
type box struct{ where, what reflect.Value }

// leaf is a value in the copy, and the number of bits before it.
type leaf struct {
	value reflect.Value
	first uint64
}

// copy returns a copy of v that can be set.
func (c *copier) copy(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	c.into(out, v)
	return out
}

func (c *copier) into(out, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		out.Set(v)
		for i := range v.NumField() {
			if f := v.Type().Field(i); !hidden(v.Type(), f) {
				c.into(reveal(out.Field(i)), reveal(out.Field(i)))
			}
		}
	case reflect.Array:
		out.Set(v)
		for i := range v.Len() {
			c.into(out.Index(i), out.Index(i))
		}
	case reflect.Slice:
		c.list(out, v)
	case reflect.Pointer:
		c.pointer(out, v)
	case reflect.Interface:
		out.Set(v)
		if !v.IsNil() { // what it holds cannot be set in place
			c.boxes = append(c.boxes, box{out, c.copy(v.Elem())})
		}
	case reflect.Map, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		out.Set(v)
	default:
		out.Set(v)
		c.leaf(out)
	}
}

func (c *copier) list(out, v reflect.Value) {
	if v.IsNil() {
		out.SetZero()
		return
	}
	made := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		c.into(made.Index(i), v.Index(i))
	}
	out.Set(made)
}

func (c *copier) pointer(out, v reflect.Value) {
	if v.IsNil() {
		out.SetZero()
		return
	}
	at := spot{uintptr(v.UnsafePointer()), v.Type()}
	if twin, ok := c.done[at]; ok {
		out.Set(twin)
		return
	}
	twin := reflect.New(v.Type().Elem())
	c.done[at] = twin
	c.into(twin.Elem(), v.Elem())
	out.Set(twin)
}

// leaf notes a number, a truth value or a text.
func (c *copier) leaf(v reflect.Value) {
	n := uint64(v.Type().Size()) * 8
	switch v.Kind() {
	case reflect.Bool:
		n = 1
	case reflect.String:
		n = uint64(v.Len()) * 8
	}
	if n > 0 {
		c.leaves = append(c.leaves, leaf{v, c.bits})
		c.bits += n
	}
}

// flip flips bit n of all leaves, counted from the lowest bit of each.
func (c *copier) flip(n uint64) {
	i := len(c.leaves) - 1
	for c.leaves[i].first > n {
		i--
	}
	v, bit := c.leaves[i].value, n-c.leaves[i].first
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.String:
		b := []byte(v.String())
		b[bit/8] ^= 1 << (bit % 8)
		v.SetString(string(b))
	default:
		flipNumber(v, bit)
	}
}
