package linear_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// blob is a value that == cannot be used on and whose JSON is {}.
type blob struct{ data []byte }

// TestHiddenParts: values that differ only in what JSON does not show are not the
// same, in any of the models.
func TestHiddenParts(t *testing.T) {
	one, garbage := blob{[]byte("one")}, blob{[]byte("GARBAGE")}
	calls := func(of ...linear.Call) func(*history.Operation) linear.Call {
		return func(op *history.Operation) linear.Call { return of[op.ID] }
	}
	for _, c := range []struct {
		model func(func(*history.Operation) linear.Call) linear.Model
		a, b  linear.Call
		want  string
	}{
		{linear.Register, linear.Write("x", one), linear.Read("x", blob{[]byte("one")}), ""},
		{linear.Register, linear.Write("x", one), linear.Read("x", garbage), `nobody has written what it saw, {data:"GARBAGE"}`},
		{linear.Register, linear.Write("x", one), linear.CompareAndSwap("x", garbage, 1, true), "not linearizable"},
		{linear.Register, linear.Write("x", one), linear.CompareAndSwap("x", one, 1, true), ""},
		{linear.Queue, linear.Enqueue("x", one), linear.Dequeue("x", garbage), "not linearizable"},
		{linear.Queue, linear.Enqueue("x", one), linear.Dequeue("x", one), ""},
		{linear.Set, linear.Insert("x", one, true), linear.Contains("x", garbage, true), "not linearizable"},
		{linear.Set, linear.Insert("x", one, true), linear.Members("x", []blob{garbage}), "not linearizable"},
		{linear.Set, linear.Insert("x", one, true), linear.Insert("x", garbage, true), ""},
		{linear.Lock, linear.Acquire("x", one, true), linear.Release("x", garbage), "not linearizable"},
		{linear.Log, linear.Append("x", one, 0), linear.List("x", []blob{garbage}), "not linearizable"},
		{linear.Log, linear.Append("x", one, 0), linear.List("x", []blob{{[]byte("one")}}), ""},
		{linear.Register, linear.Write("x", 1), linear.Read("x", []any{func() {}}), `linear: key "x": a value of type []interface {} cannot be compared: it holds a function (func()); give a part of it, or a text`},
		{linear.Log, linear.Append("x", one, 0), linear.List("x", []func(){func() {}}), `linear: key "x": a value of type func() cannot be compared`},
	} {
		now := uint64(0)
		h := history.New(func() (time.Duration, uint64) { now++; return time.Duration(now), now })
		h.Invoke("a", "1", nil).OK(nil)
		h.Invoke("b", "2", nil).OK(nil)
		m := c.model(calls(c.a, c.b))
		err := m.Check(h.All())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %v and %v: got %v, want %q", m.Name, c.a, c.b, err, c.want)
		}
	}
}
