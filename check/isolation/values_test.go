package isolation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// blob is a value that == cannot be used on and whose JSON is {}.
type blob struct{ data []byte }

// TestHiddenParts: values that differ only in what JSON does not show are not the
// same.
func TestHiddenParts(t *testing.T) {
	one, garbage := blob{[]byte("one")}, blob{[]byte("GARBAGE")}
	write := func(v any) history.Access { return history.Access{Type: history.AccessWrite, Key: "x", Value: v} }
	add := func(v any) history.Access { return history.Access{Type: history.AccessAppend, Key: "x", Value: v} }
	read := func(v any) history.Access { return history.Access{Type: history.AccessRead, Key: "x", Value: v} }
	for _, c := range []struct {
		name string
		txns []history.Access
		want string
	}{
		{"written and read", []history.Access{write(one), read(blob{[]byte("one")})}, ""},
		{"read another", []history.Access{write(one), read(garbage)}, `saw {data:"GARBAGE"} in x, which nobody wrote`},
		{"two writes", []history.Access{write(one), write(garbage), read(garbage)}, ""},
		{"the same twice", []history.Access{write(one), write(blob{[]byte("one")})}, `{data:"one"} was written to key "x" twice`},
		{"a list", []history.Access{add(one), read([]blob{one})}, ""},
		{"a list of another", []history.Access{add(one), read([]blob{garbage})}, `saw {data:"GARBAGE"} in x, which nobody wrote`},
		{"written function", []history.Access{write([]any{func() {}})}, `key "x": a value of type []interface {} cannot be compared: it holds a function (func())`},
		{"read function", []history.Access{write(1), read(func() {})}, `key "x": a value of type func() cannot be compared`},
		{"list of functions", []history.Access{add(1), read([]func(){func() {}})}, `key "x": a value of type func() cannot be compared`},
		{"another type", []history.Access{{Type: "zz", Key: "x", Value: 1}}, `has an access of type "zz" to key "x"; use "read", "write" or "append"`},
	} {
		now := uint64(0)
		var ops []*history.Operation
		for i, a := range c.txns {
			now += 2
			at := func(n uint64) history.Point { return history.Point{Time: time.Duration(n), Event: n} }
			ops = append(ops, &history.Operation{ID: i, Process: "a", Function: "txn", Status: history.OK, Invoke: at(now), Return: at(now + 1), Txn: []history.Access{a}})
		}
		err := isolation.StrictSerializable.Check(func(yield func(*history.Operation) bool) {
			for _, op := range ops {
				if !yield(op) {
					return
				}
			}
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}
