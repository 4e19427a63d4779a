package history

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// mostDepth is how deep into a value its text goes.
const mostDepth = 20

var (
	marshaler     = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	stringer      = reflect.TypeFor[fmt.Stringer]()
	isError       = reflect.TypeFor[error]()
)

// hides reports whether a value has parts that its JSON leaves out: without them
// different values would be the same text.
func hides(v reflect.Value, depth int) bool {
	if !v.IsValid() || depth > mostDepth || v.Type().Implements(marshaler) || v.Type().Implements(textMarshaler) {
		return false
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return hides(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			hidden := !f.IsExported() && (!f.Anonymous || f.Type.Kind() != reflect.Struct) || f.Tag.Get("json") == "-"
			if hidden && f.Name != "_" || hides(v.Field(i), depth+1) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() <= reflect.Complex128 || v.Type().Elem().Kind() == reflect.String {
			return false
		}
		for i := range v.Len() {
			if hides(v.Index(i), depth+1) {
				return true
			}
		}
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			if hides(it.Value(), depth+1) {
				return true
			}
		}
	}
	return false
}

// speaks reports whether a value has a text of its own that can be asked for.
func speaks(v reflect.Value) bool {
	return v.CanInterface() && v.Kind() != reflect.Interface && (v.Type().Implements(stringer) || v.Type().Implements(isError))
}

// show returns a value with all its parts, as {name:"a" list:[1 2]}. It has no
// addresses, so that it is the same in every run.
func show(v reflect.Value, depth int) string {
	switch v.Kind() {
	case reflect.Invalid:
		return "nil"
	case reflect.Pointer, reflect.Interface, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		if v.IsNil() {
			return "nil"
		}
	}
	if depth > mostDepth {
		return "…"
	}
	if speaks(v) {
		text, _ := ownText(v.Interface())
		return text
	}
	var parts []string
	switch v.Kind() {
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Interface:
		return show(v.Elem(), depth)
	case reflect.Pointer:
		return "&" + show(v.Elem(), depth+1)
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.Type().String()
	case reflect.Struct:
		for i := range v.NumField() {
			parts = append(parts, v.Type().Field(i).Name+":"+show(v.Field(i), depth+1))
		}
		return "{" + strings.Join(parts, " ") + "}"
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return fmt.Sprintf("%q", v.Bytes())
		}
		for i := range v.Len() {
			parts = append(parts, show(v.Index(i), depth+1))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Map:
		for it := v.MapRange(); it.Next(); {
			parts = append(parts, show(it.Key(), depth+1)+":"+show(it.Value(), depth+1))
		}
		slices.Sort(parts)
		return "{" + strings.Join(parts, " ") + "}"
	}
	return fmt.Sprintf("%v", v)
}
