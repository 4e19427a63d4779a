package simnet

import (
	"fmt"
	"reflect"
	"unicode/utf8"
)

// MaxContent is how many bytes of a message's content are kept, see
// [Config.Contents].
const MaxContent = 120

// contentKey is the attribute that shows what is in a message.
const contentKey = "content"

// annotate adds the content of a readable message to the record that was
// written last.
func (f *flight) annotate() {
	f.wire.net.sim.Annotate(contentKey, shorten(fmt.Sprintf("%+v", f.msg)))
}

// shorten returns the first [MaxContent] bytes, in whole characters.
func shorten(s string) string {
	if len(s) <= MaxContent {
		return s
	}
	end := MaxContent
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// readable reports whether package fmt writes a message of a type as the same
// text in every run: it says itself what it is, or there is no address in it.
// Of a pointer to a message fmt writes what it points to.
func readable(t reflect.Type) bool {
	if t == nil || speaks(t) {
		return t != nil
	}
	if t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct {
		t = t.Elem()
	}
	return plain(t, true, map[reflect.Type]bool{})
}

// speaks reports whether values of a type have a text of their own.
func speaks(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[fmt.Stringer]()) || t.Implements(reflect.TypeFor[error]()) || t.Implements(reflect.TypeFor[fmt.Formatter]())
}

// plain reports whether there can be no address in the text of a value. fmt
// cannot ask the values of fields that are not exported for their own text.
func plain(t reflect.Type, exported bool, seen map[reflect.Type]bool) bool {
	if exported && speaks(t) || seen[t] {
		return true
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.UnsafePointer, reflect.Func, reflect.Chan, reflect.Interface:
		return false
	case reflect.Map:
		return plain(t.Key(), exported, seen) && plain(t.Elem(), exported, seen)
	case reflect.Slice, reflect.Array:
		return plain(t.Elem(), exported, seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !plain(f.Type, exported && f.IsExported(), seen) {
				return false
			}
		}
	}
	return true
}
