package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/history"
)

// correct runs four clients on a set, a queue and a counter that are right:
// each operation takes effect at one moment, some with an outcome that nobody
// learns, some after their client gave up, and some not at all.
func correct(r *rand.Rand) []history.Operation {
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	var set, queue []string
	sum, value := 0, 0
	type running struct {
		op   *history.Op
		name string
		arg  string
		done bool
		out  []string
	}
	open := map[int]*running{}
	effect := func(x *running) {
		switch x.name {
		case "add":
			set = append(set, x.arg)
		case "read":
			x.out = slices.Clone(set)
		case "put":
			queue = append(queue, x.arg)
		case "take":
			if len(queue) > 0 {
				x.out, queue = []string{queue[0]}, queue[1:]
			}
		case "plus":
			sum += len(x.arg)
		case "count":
			x.out = []string{fmt.Sprint(sum)}
		}
		x.done = true
	}
	for step := range 400 {
		now++
		c := r.IntN(4)
		x := open[c]
		switch {
		case x == nil && step < 300:
			value++
			x = &running{name: []string{"add", "read", "put", "take", "plus", "count"}[r.IntN(6)], arg: fmt.Sprint("v", value)}
			x.op = h.Invoke(fmt.Sprint("c", c), x.name, []string{x.arg})
			open[c] = x
		case x == nil:
		case !x.done && r.IntN(12) == 0:
			x.op.Fail("refused")
			delete(open, c)
		case !x.done:
			effect(x)
		case r.IntN(12) == 0:
			x.op.Unknown("timeout")
			delete(open, c)
		default:
			x.op.OK(x.out)
			delete(open, c)
		}
	}
	for len(queue) > 0 { // drain it
		now++
		x := &running{name: "take", op: h.Invoke("last", "take", []string{""})}
		effect(x)
		now++
		x.op.OK(x.out)
	}
	for _, name := range []string{"read", "count"} {
		now++
		x := &running{name: name, op: h.Invoke("last", name, []string{""})}
		effect(x)
		now++
		x.op.OK(x.out)
	}
	return h.Operations()
}

func all(ops []history.Operation) func(func(*history.Operation) bool) {
	return func(yield func(*history.Operation) bool) {
		for i := range ops {
			if !yield(&ops[i]) {
				return
			}
		}
	}
}

// TestMutations: histories of systems that are right pass, and each change to
// one of their results is found.
func TestMutations(t *testing.T) {
	plus := func(op *history.Operation) (int64, bool) {
		return int64(len(op.Input.([]string)[0])), op.Function == "plus"
	}
	checkers := map[string]checker{
		"set":     check.Set{Add: arg("add"), Read: outputs("read")},
		"queue":   check.Queue{Put: arg("put"), Take: outputs("take"), Drained: true},
		"counter": check.Counter{Add: plus, Read: number("count")},
	}
	mutations := []struct {
		name, of, function string
		change             func(out []string, acknowledged string) []string
	}{
		{"an element is lost", "set", "read", func(out []string, acknowledged string) []string {
			return slices.DeleteFunc(out, func(e string) bool { return e == acknowledged })
		}},
		{"an element is there twice", "set", "read", func(out []string, _ string) []string { return append(out, out[0]) }},
		{"an element comes from nowhere", "set", "read", func(out []string, _ string) []string { return append(out, "x") }},
		{"another element is taken", "queue", "take", func([]string, string) []string { return []string{"x"} }},
		{"the counter is far too large", "counter", "count", func([]string, string) []string { return []string{"99999"} }},
		{"the counter is too small", "counter", "count", func([]string, string) []string { return []string{"-1"} }},
	}
	for seed := range uint64(50) {
		ops := correct(rand.New(rand.NewPCG(seed, 1)))
		for name, c := range checkers {
			if err := c.Check(all(ops)); err != nil {
				t.Fatalf("seed %d: the %s is right: %v", seed, name, err)
			}
		}
		acknowledged := ""
		for _, op := range ops {
			if op.Function == "add" && op.Status == history.OK {
				acknowledged = op.Input.([]string)[0]
			}
		}
		for _, m := range mutations {
			bad := slices.Clone(ops)
			for i := len(bad) - 1; i >= 0; i-- { // the last one with something in it
				out, _ := bad[i].Output.([]string)
				if bad[i].Function == m.function && len(out) > 0 {
					bad[i].Output = m.change(slices.Clone(out), acknowledged)
					break
				}
			}
			if err := checkers[m.of].Check(all(bad)); err == nil {
				t.Errorf("seed %d: %s, and nobody notices", seed, m.name)
			}
		}
	}
}
