package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/history"
)

// blob is a value that == cannot be used on and whose JSON is {}.
type blob struct{ data []byte }

// did makes a history in which one operation follows the other, with the input
// of a put and the output of a take.
func did(calls ...any) *history.History {
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { now++; return time.Duration(now), now })
	for i := 0; i < len(calls); i += 2 {
		if calls[i] == "put" {
			h.Invoke("a", "put", calls[i+1]).OK(nil)
		} else {
			h.Invoke("b", "take", nil).OK(calls[i+1])
		}
	}
	return h
}

func input(op *history.Operation) (any, bool) { return op.Input, op.Function == "put" }

func output(op *history.Operation) (any, bool) { return op.Output, op.Function == "take" }

func list(op *history.Operation) ([]any, bool) { return []any{op.Output}, op.Function == "take" }

// TestHiddenParts: values that differ only in what JSON does not show are not the
// same.
func TestHiddenParts(t *testing.T) {
	one, garbage := blob{[]byte("one")}, blob{[]byte("GARBAGE")}
	saw := func(op *history.Operation) []any {
		if op.Function != "take" {
			return nil
		}
		return []any{op.Output}
	}
	queue := check.Queue{Put: input, Take: list, Drained: true}
	set := check.Set{Add: input, Read: list}
	durability := check.Durability{Wrote: input, Saw: saw, Kept: func(any) bool { return true }}
	for _, c := range []struct {
		c    checker
		h    *history.History
		want string
	}{
		{queue, did("put", one, "take", blob{[]byte("one")}), ""},
		{queue, did("put", one, "take", garbage), `took {data:"GARBAGE"}, which nobody put`},
		{queue, did("put", one, "put", garbage, "take", one, "take", garbage), ""},
		{queue, did("put", one, "put", blob{[]byte("one")}, "take", one), `{data:"one"} is put by`},
		{set, did("put", one, "take", garbage), `lacks {data:"one"}`},
		{durability, did("put", one, "take", garbage), "which nobody wrote"},
		{check.UniqueIDs{ID: output}, did("take", one, "take", garbage), ""},
		{check.UniqueIDs{ID: output}, did("take", one, "take", one), `{data:"one"} was given out twice`},
		{check.UniqueIDs{ID: output}, did("take", []any{func() {}}), "check: a value of type []interface {} cannot be compared: it holds a function (func())"},
	} {
		err := c.c.Check(c.h.All())
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: got %v, want %q", c.c, err, c.want)
		}
	}
}

// TestHiddenStates: replicas are compared with their unexported fields, and the
// difference can be seen.
func TestHiddenStates(t *testing.T) {
	type replica struct {
		entries []string
		next    *replica
	}
	none := slices.Values([]*history.Operation{})
	for _, c := range []struct {
		a, b any
		want string
	}{
		{replica{entries: []string{"a"}}, replica{entries: []string{"a"}}, ""},
		{&replica{next: &replica{}}, &replica{next: &replica{}}, ""},
		{replica{entries: []string{"a"}}, replica{entries: []string{"b", "c"}},
			`n1 has {entries:["a"] next:nil}, but n2 has {entries:["b" "c"] next:nil}; at .entries[0] it is "a", and "b"`},
		{map[string]*replica{"x": {}}, map[string]*replica{"x": {entries: []string{"b"}}},
			`n1 has {"x":&{entries:nil next:nil}}, but n2 has {"x":&{entries:["b"] next:nil}}; at ["x"].entries it is nil, and 1 element`},
		{1, int64(1), "n1 has 1, but n2 has 1; the one is 1 (int), the other one 1 (int64)"},
	} {
		err := check.Convergence{States: func() map[string]any { return map[string]any{"n1": c.a, "n2": c.b} }}.Check(none)
		if got := textOf(err); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestRequired: a checker without a function that it needs says so.
func TestRequired(t *testing.T) {
	for _, c := range []struct {
		c    checker
		want string
	}{
		{check.UniqueIDs{}, "UniqueIDs.ID"}, {check.Set{}, "Set.Add"}, {check.Set{Add: input}, "Set.Read"},
		{check.Queue{}, "Queue.Put"}, {check.Queue{Put: input}, "Queue.Take"}, {check.Counter{}, "Counter.Add"},
		{check.Counter{Add: delta("add")}, "Counter.Read"}, {check.Sessions{}, "Sessions.Versions"}, {check.Lock{}, "Lock.Acquired"},
		{check.Durability{}, "Durability.Wrote"}, {check.Durability{Wrote: input}, "Durability.Kept"}, {check.Convergence{}, "Convergence.States"},
	} {
		if got := textOf(c.c.Check(did("put", 1).All())); got != "check: "+c.want+" is nil; it is required" {
			t.Errorf("%T: got %q, want %s", c.c, got, c.want)
		}
	}
}
