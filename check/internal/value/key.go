// Package value compares the values that operations carry: by a key that can be
// looked up, and in depth, with the first place where two values differ.
package value

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/history"
)

// mostDepth is how deep values may be nested. One that is deeper contains itself.
const mostDepth = 1000

// Key returns what stands for a value in maps: equal values have equal keys,
// and others different ones. A value that == can be used on is its own key.
// Others are compared with == part by part: the elements of slices and maps, the
// fields of structs, unexported ones too. Nil and empty slices differ, pointers
// are equal if they point to the same variable. (Of floats in them 0 and -0 differ,
// as their texts do.) The error is about a value that
// cannot be compared, such as one with a function in it.
func Key(v any) (any, error) {
	switch v.(type) {
	case nil, int, string, int64, uint64, bool:
		return v, nil
	}
	r := reflect.ValueOf(v)
	if r.Comparable() {
		return v, nil
	}
	var e encoder
	if err := e.add(r, 0); err != nil {
		return nil, fmt.Errorf("a value of type %T cannot be compared: %w; give a part of it, or a text", v, err)
	}
	return key{r.Type(), string(e.text), e.exact, history.Text(v)}, nil
}

// key stands for a value that == cannot be used on.
type key struct {
	kind  reflect.Type
	text  string // everything but what exact has
	exact any    // nil, or a pair
	shown string // follows from the value
}

// String returns the value as people read it.
func (k key) String() string { return k.shown }

// pair is a list of pointers and types, which == compares to its end. It keeps
// what they point to alive, so that no address is used again.
type pair struct{ what, before any }

// encoder writes the parts of a value one after the other, each with its length.
type encoder struct {
	text  []byte
	exact any
	refs  map[any]int // the pointers and types so far, numbered as they come
}

// refer writes a pointer or a type.
func (e *encoder) refer(to any) {
	n, known := e.refs[to]
	if !known {
		if n = len(e.refs); n == 0 {
			e.refs = map[any]int{}
		}
		e.refs[to], e.exact = n, pair{to, e.exact}
	}
	e.number(uint64(n))
}

func (e *encoder) number(n uint64)    { e.text = binary.AppendUvarint(e.text, n) }
func (e *encoder) string(s string)    { e.number(uint64(len(s))); e.text = append(e.text, s...) }
func (e *encoder) isNil(is bool) bool { e.number(number(is)); return is }

func (e *encoder) float(f float64) { e.number(math.Float64bits(f)) }

func number(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func (e *encoder) add(v reflect.Value, depth int) error {
	if depth > mostDepth {
		return fmt.Errorf("it contains itself")
	}
	switch v.Kind() {
	case reflect.Bool:
		e.number(number(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		e.number(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		e.number(v.Uint())
	case reflect.Float32, reflect.Float64:
		e.float(v.Float())
	case reflect.Complex64, reflect.Complex128:
		e.float(real(v.Complex()))
		e.float(imag(v.Complex()))
	case reflect.String:
		e.string(v.String())
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		e.refer(v.UnsafePointer())
	case reflect.Interface:
		if !e.isNil(v.IsNil()) {
			e.refer(v.Elem().Type())
			return e.add(v.Elem(), depth+1)
		}
	case reflect.Struct:
		return e.fields(v, depth+1)
	case reflect.Array, reflect.Slice:
		return e.elements(v, depth+1)
	case reflect.Map:
		return e.entries(v, depth+1)
	default:
		if !e.isNil(v.IsNil()) {
			return fmt.Errorf("it holds a function (%s)", v.Type())
		}
	}
	return nil
}

func (e *encoder) fields(v reflect.Value, depth int) error {
	for i := range v.NumField() {
		if v.Type().Field(i).Name == "_" { // == passes over it
			continue
		}
		if err := e.add(v.Field(i), depth); err != nil {
			return err
		}
	}
	return nil
}

func (e *encoder) elements(v reflect.Value, depth int) error {
	if v.Kind() == reflect.Slice {
		if e.isNil(v.IsNil()) {
			return nil
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			e.string(string(v.Bytes()))
			return nil
		}
		e.number(uint64(v.Len()))
	}
	for i := range v.Len() {
		if err := e.add(v.Index(i), depth); err != nil {
			return err
		}
	}
	return nil
}

// entries adds what a map holds, sorted by its keys.
func (e *encoder) entries(v reflect.Value, depth int) error {
	if e.isNil(v.IsNil()) {
		return nil
	}
	type entry struct {
		key   string
		value reflect.Value
	}
	list := make([]entry, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		var k encoder
		if err := k.add(it.Key(), depth); err != nil {
			return err
		}
		if k.exact != nil {
			return fmt.Errorf("it holds a map whose keys are interfaces or pointers (%s)", v.Type())
		}
		list = append(list, entry{string(k.text), it.Value()})
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	e.number(uint64(len(list)))
	for _, x := range list {
		e.string(x.key)
		if err := e.add(x.value, depth); err != nil {
			return err
		}
	}
	return nil
}
