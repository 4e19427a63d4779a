package isolation

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/hmdsefi/faultline/check/internal/value"
	"github.com/hmdsefi/faultline/history"
)

// list is a list that was read, of whatever type. Lists of ints and strings are
// kept as they are, because there can be very many.
type list struct {
	ints    []int
	strings []string
	anys    []any
	n       int
	bad     any // an element that cannot be compared
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
	l := list{anys: make([]any, r.Len()), n: r.Len()}
	for i := range l.anys {
		l.anys[i] = plain(r.Index(i).Interface())
		if _, bad := l.anys[i].(incomparable); bad {
			l.bad = l.anys[i]
		}
	}
	return l, true
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
	switch v := v.(type) {
	case nil, int, string:
		return v
	case history.Value:
		if v.JSON == nil && v.Text == "" {
			return nil
		}
		return fromFile{string(v.JSON) + v.Text, v.String()}
	}
	k, err := value.Key(v)
	if err != nil {
		return incomparable{err}
	}
	return k
}

// fromFile stands for a value that was read from a file.
type fromFile struct{ key, shown string }

func (f fromFile) String() string { return f.shown }

// incomparable stands for a value that cannot be compared.
type incomparable struct{ err error }

// comparable returns an error if a value cannot be compared.
func comparable(v any, op *history.Operation, key string) error {
	if bad, is := v.(incomparable); is {
		return fmt.Errorf("isolation: %v, key %q: %w", op, key, bad.err)
	}
	return nil
}
