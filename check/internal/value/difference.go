package value

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Difference is the first place where two values differ.
type Difference struct {
	At   string // the path to it, such as .entries[2]; empty for the whole
	A, B string // what the two have there
}

// Differ compares two values as reflect.DeepEqual does, following pointers, and
// returns nil if they are equal. Only of functions it says more: they are never
// equal.
func Differ(a, b any) *Difference {
	d := differ{seen: map[visit]bool{}}
	if d.at("", reflect.ValueOf(a), reflect.ValueOf(b)) {
		return nil
	}
	return &d.found
}

// visit is a comparison that is going on, or was made: a value may contain itself.
type visit struct {
	a, b place
	kind reflect.Type
}

// place is what a pointer, a map or a slice refers to.
type place struct {
	address uintptr
	n       int
}

type differ struct {
	seen  map[visit]bool
	found Difference
}

// differs notes a difference, and returns false.
func (d *differ) differs(path, a, b string) bool {
	d.found = Difference{path, a, b}
	return false
}

// at reports whether two values are equal.
func (d *differ) at(path string, a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid() || d.differs(path, kindOf(a), kindOf(b))
	}
	if a.Type() != b.Type() {
		return d.differs(path, kindOf(a), kindOf(b))
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Func:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil() || d.differs(path, set(a), set(b))
		}
	}
	switch a.Kind() {
	case reflect.Func:
		return d.differs(path, "a function", "one that need not be the same")
	case reflect.Interface:
		return d.at(path, a.Elem(), b.Elem())
	case reflect.Pointer:
		return d.visited(a, b) || d.at(path, a.Elem(), b.Elem())
	case reflect.Struct:
		for i := range a.NumField() {
			if !d.at(path+"."+a.Type().Field(i).Name, a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		return d.visited(a, b) || d.elements(path, a, b)
	case reflect.Array:
		return d.elements(path, a, b)
	case reflect.Map:
		return d.visited(a, b) || d.entries(path, a, b)
	}
	return a.Equal(b) || d.differs(path, leaf(a), leaf(b))
}

// visited reports whether two references are the same, or are compared already.
func (d *differ) visited(a, b reflect.Value) bool {
	v := visit{placeOf(a), placeOf(b), a.Type()}
	if v.a == v.b || d.seen[v] {
		return true
	}
	d.seen[v] = true
	return false
}

func placeOf(v reflect.Value) place {
	if v.Kind() == reflect.Pointer {
		return place{v.Pointer(), 1}
	}
	return place{v.Pointer(), v.Len()}
}

func (d *differ) elements(path string, a, b reflect.Value) bool {
	for i := range min(a.Len(), b.Len()) {
		if !d.at(fmt.Sprintf("%s[%d]", path, i), a.Index(i), b.Index(i)) {
			return false
		}
	}
	return a.Len() == b.Len() || d.differs(path, elements(a.Len()), elements(b.Len()))
}

func (d *differ) entries(path string, a, b reflect.Value) bool {
	for _, k := range sorted(a) {
		at := path + "[" + leaf(k) + "]"
		x, y := a.MapIndex(k), b.MapIndex(k)
		if !y.IsValid() {
			return d.differs(at, elements(1), elements(0))
		}
		if !d.at(at, x, y) {
			return false
		}
	}
	for _, k := range sorted(b) {
		if !a.MapIndex(k).IsValid() {
			return d.differs(path+"["+leaf(k)+"]", elements(0), elements(1))
		}
	}
	return true
}

// sorted returns the keys of a map by their text, so that the difference that is
// found first is always the same.
func sorted(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(leaf(a), leaf(b)) })
	return keys
}

// leaf returns the text of a value without parts.
func leaf(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Interface:
		if !v.IsNil() {
			return leaf(v.Elem())
		}
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return "a " + v.Type().String() // its address is another one in each run
	}
	return fmt.Sprintf("%v", v)
}

// set says whether a reference is nil.
func set(v reflect.Value) string {
	switch {
	case v.IsNil():
		return "nil"
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Map:
		return elements(v.Len())
	}
	return "a " + v.Type().String()
}

func elements(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}

// kindOf returns the text of a value with its type.
func kindOf(v reflect.Value) string {
	switch {
	case !v.IsValid():
		return "nothing"
	case v.Kind() <= reflect.Complex128 || v.Kind() == reflect.String:
		return leaf(v) + " (" + v.Type().String() + ")"
	}
	return "a " + v.Type().String()
}
