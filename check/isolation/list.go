package isolation

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// list is a list that was read, of whatever type. Lists of ints and strings are
// kept as they are, because there can be very many.
type list struct {
	ints    []int
	strings []string
	anys    []any
	n       int
}

// listOf returns a value as a list, and false if it is none.
func listOf(v any) (list, bool) {
	switch v := v.(type) {
	case nil:
		return list{}, true
	case []int:
		return list{ints: v, n: len(v)}, true
	case []string:
		return list{strings: v, n: len(v)}, true
	case history.Value:
		var raw []json.RawMessage
		if json.Unmarshal(v.JSON, &raw) != nil {
			return list{}, false
		}
		anys := make([]any, len(raw))
		for i := range raw {
			anys[i] = plain(history.Value{JSON: raw[i]})
		}
		return list{anys: anys, n: len(anys)}, true
	}
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Slice && r.Kind() != reflect.Array {
		return list{}, false
	}
	anys := make([]any, r.Len())
	for i := range anys {
		anys[i] = plain(r.Index(i).Interface())
	}
	return list{anys: anys, n: len(anys)}, true
}

func (l *list) at(i int) any {
	switch {
	case l.ints != nil:
		return l.ints[i]
	case l.strings != nil:
		return l.strings[i]
	}
	return l.anys[i]
}

// begins reports whether a list begins with the first n of another one.
func (l *list) begins(o *list, n int) bool {
	switch {
	case n > l.n:
		return false
	case n == 0:
		return true
	case l.ints != nil && o.ints != nil:
		return slices.Equal(l.ints[:n], o.ints[:n])
	case l.strings != nil && o.strings != nil:
		return slices.Equal(l.strings[:n], o.strings[:n])
	}
	for i := range n {
		if l.at(i) != o.at(i) {
			return false
		}
	}
	return true
}

// has reports whether a value is among the first n of a list.
func (l *list) has(v any, n int) bool {
	switch {
	case l.ints != nil:
		x, ok := v.(int)
		return ok && slices.Contains(l.ints[:n], x)
	case l.strings != nil:
		x, ok := v.(string)
		return ok && slices.Contains(l.strings[:n], x)
	}
	return n > 0 && slices.Contains(l.anys[:n], v)
}

// plain makes a value comparable.
func plain(v any) any {
	if h, ok := v.(history.Value); ok {
		if h.JSON == nil && h.Text == "" {
			return nil
		}
		return text{"", string(h.JSON) + h.Text, h.String()}
	}
	switch v.(type) {
	case nil, int, string:
		return v
	}
	if reflect.ValueOf(v).Comparable() {
		return v
	}
	return text{reflect.TypeOf(v).String(), history.Text(v), history.Text(v)}
}

// text stands for a value that is not comparable.
type text struct{ kind, key, shown string }

func (t text) String() string { return t.shown }
