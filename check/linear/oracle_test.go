package linear_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

var histories = flag.Int("histories", 6000, "random histories that the checker is compared with the oracle on")

// call is an operation of the random histories: the call of a ready model, made
// with a result.
type call struct {
	make   func(result any) linear.Call
	result any
	text   string
}

func (c call) String() string { return c.text }

func toCall(op *history.Operation) linear.Call {
	c := op.Input.(call)
	return c.make(c.result)
}

// kinds of random histories, by model.
var kinds = []struct {
	name  string
	model func() linear.Model
	draw  func(r *rand.Rand, unique int) call
}{
	{"register", func() linear.Model { return linear.Register(toCall) }, func(r *rand.Rand, unique int) call {
		if r.IntN(2) == 0 {
			return call{func(any) linear.Call { return linear.Write("k", unique) }, nil, fmt.Sprint("w", unique)}
		}
		v := any(r.IntN(8))
		if r.IntN(4) == 0 {
			v = nil
		}
		return call{func(v any) linear.Call { return linear.Read("k", v) }, v, fmt.Sprint("r", v)}
	}},
	{"cas", func() linear.Model { return linear.Register(toCall) }, func(r *rand.Rand, _ int) call {
		v, w := r.IntN(3), r.IntN(3)
		switch r.IntN(3) {
		case 0:
			return call{func(any) linear.Call { return linear.Write("k", v) }, nil, fmt.Sprint("w", v)}
		case 1:
			return call{func(v any) linear.Call { return linear.Read("k", v) }, v, fmt.Sprint("r", v)}
		}
		is := r.IntN(2) == 0
		return call{func(any) linear.Call { return linear.CompareAndSwap("k", v, w, is) }, nil, fmt.Sprint("cas", v, w, is)}
	}},
	{"counter", func() linear.Model { return linear.Counter(toCall) }, func(r *rand.Rand, _ int) call {
		n := int64(r.IntN(3))
		if r.IntN(2) == 0 {
			return call{func(any) linear.Call { return linear.Add("k", n) }, nil, fmt.Sprint("add", n)}
		}
		return call{func(any) linear.Call { return linear.Count("k", n) }, nil, fmt.Sprint("count", n)}
	}},
	{"queue", func() linear.Model { return linear.Queue(toCall) }, func(r *rand.Rand, _ int) call {
		v := r.IntN(3)
		if r.IntN(2) == 0 {
			return call{func(any) linear.Call { return linear.Enqueue("k", v) }, nil, fmt.Sprint("enq", v)}
		}
		if r.IntN(3) == 0 {
			return call{func(any) linear.Call { return linear.Dequeue("k", nil) }, nil, "deq nothing"}
		}
		return call{func(any) linear.Call { return linear.Dequeue("k", v) }, nil, fmt.Sprint("deq", v)}
	}},
	{"set", func() linear.Model { return linear.Set(toCall) }, func(r *rand.Rand, _ int) call {
		v, is := r.IntN(2), r.IntN(2) == 0
		switch r.IntN(4) {
		case 0:
			return call{func(any) linear.Call { return linear.Insert("k", v, linear.Whatever) }, nil, fmt.Sprint("ins", v)}
		case 1:
			return call{func(any) linear.Call { return linear.Remove("k", v, is) }, nil, fmt.Sprint("rem", v, is)}
		case 2:
			return call{func(any) linear.Call { return linear.Contains("k", v, is) }, nil, fmt.Sprint("has", v, is)}
		}
		list := [][]int{nil, {0}, {1}, {1, 0}}[r.IntN(4)]
		if r.IntN(2) == 0 {
			return call{func(any) linear.Call { return linear.Insert("k", v, is) }, nil, fmt.Sprint("ins", v, is)}
		}
		return call{func(any) linear.Call { return linear.Members("k", list) }, nil, fmt.Sprint("all", list)}
	}},
	{"lock", func() linear.Model { return linear.Lock(toCall) }, func(r *rand.Rand, _ int) call {
		who, got := r.IntN(2), r.IntN(3) > 0
		if r.IntN(2) == 0 {
			return call{func(any) linear.Call { return linear.Acquire("k", who, got) }, nil, fmt.Sprint("acq", who, got)}
		}
		return call{func(any) linear.Call { return linear.Release("k", who) }, nil, fmt.Sprint("rel", who)}
	}},
	{"log", func() linear.Model { return linear.Log(toCall) }, func(r *rand.Rand, _ int) call {
		v := r.IntN(2)
		if r.IntN(2) == 0 {
			place := any(r.IntN(2))
			if r.IntN(2) == 0 {
				place = linear.Whatever
			}
			return call{func(any) linear.Call { return linear.Append("k", v, place) }, nil, fmt.Sprint("app", v, place)}
		}
		list := [][]int{nil, {0}, {1}, {1, 0}, {0, 1}, {0, 0}}[r.IntN(6)]
		return call{func(any) linear.Call { return linear.List("k", list) }, nil, fmt.Sprint("list", list)}
	}},
}

// random makes a history of up to 8 operations of 3 processes. Some ends fall
// into one event; outcomes may be unknown, and operations may fail or not end.
func random(r *rand.Rand, draw func(*rand.Rand, int) call) *history.History {
	event := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(event), event })
	open := map[string]*history.Op{}
	names := []string{"c0", "c1", "c2"}
	boot := 0
	for n := 1 + r.IntN(8); n > 0; {
		if r.IntN(5) > 0 {
			event++
		}
		i := r.IntN(3)
		if op := open[names[i]]; op != nil {
			delete(open, names[i])
			switch r.IntN(8) {
			case 0:
				op.Unknown("timeout")
				boot++
				names[i] = fmt.Sprint("c", i, "#", boot)
			case 1:
				op.Fail("no")
			default:
				op.OK(op.Record().Input.(call).result)
			}
			continue
		}
		n--
		c := draw(r, h.Len()+1)
		open[names[i]] = h.Invoke(names[i], c.text, c)
	}
	for _, p := range slices.Sorted(func(yield func(string) bool) {
		for p := range open {
			if !yield(p) {
				return
			}
		}
	}) {
		if r.IntN(2) == 0 {
			event++
			open[p].OK(open[p].Record().Input.(call).result)
		}
	}
	return h
}

// possible is the oracle: it tries all orders of all operations.
func possible(m *linear.Model, state any, left []history.Operation) bool {
	done := true
	for i, op := range left {
		done = done && op.Status != history.OK
		first := true
		for j := range left {
			first = first && (i == j || !before(left, j, i))
		}
		if !first {
			continue
		}
		_, c := m.Call(&op)
		rest := slices.Delete(slices.Clone(left), i, i+1)
		if next, ok := m.Step(state, c); ok && possible(m, next, rest) {
			return true
		}
	}
	return done
}

// before reports whether one operation was over when another one began.
func before(ops []history.Operation, a, b int) bool {
	p, q := ops[a], ops[b]
	if p.Status != history.OK || p.Return.Event > q.Invoke.Event {
		return false
	}
	if p.Return.Event < q.Invoke.Event {
		return true
	}
	if p.Process != q.Process || p.ID > q.ID {
		return false
	}
	return !crowded[q.Invoke.Event]
}

// crowded holds the events of the current history in which several processes
// did something.
var crowded map[uint64]bool

func crowd(h *history.History) {
	who := map[uint64]string{}
	crowded = map[uint64]bool{}
	add := func(e uint64, p string) {
		crowded[e] = crowded[e] || who[e] != "" && who[e] != p
		who[e] = p
	}
	for op := range h.All() {
		if op.Status == history.Fail {
			add(op.Invoke.Event, op.Process)
			continue
		}
		add(op.Invoke.Event, op.Process)
		if op.Status == history.OK {
			add(op.Return.Event, op.Process)
		}
	}
}

func lines(h *history.History) string {
	var b strings.Builder
	for op := range h.All() {
		fmt.Fprintf(&b, "%v %d-%d\n", op, op.Invoke.Event, op.Return.Event)
	}
	return b.String()
}

// TestAgainstOracle compares the checker with a search through all orders, on
// random histories of each model; -histories=1000000 is the long run.
func TestAgainstOracle(t *testing.T) {
	for k, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(k), 7))
			n, bad := *histories/len(kinds), 0
			for range n {
				h := random(r, kind.draw)
				crowd(h)
				m := kind.model()
				res, err := linear.Checker{Model: m}.Run(h.All())
				if err != nil {
					t.Fatal(err)
				}
				left := slices.DeleteFunc(h.Operations(), func(o history.Operation) bool { return o.Status == history.Fail })
				want := linear.OK
				if !possible(&m, m.Init(), left) {
					want = linear.Violated
					bad++
				}
				if res.Verdict != want {
					t.Fatalf("got %v, the oracle says %s, of\n%s", res, want, lines(h))
				}
				if want == linear.Violated {
					confirm(t, h, kind.model(), res, left)
				}
			}
			if bad < n/20 || bad > n*19/20 {
				t.Errorf("%d of %d histories are not linearizable; the comparison needs many of both", bad, n)
			}
		})
	}
}

// confirm checks what a violation says: up to its operation the run is
// linearizable, with it it is not.
func confirm(t *testing.T, h *history.History, m linear.Model, res *linear.Result, left []history.Operation) {
	t.Helper()
	if res.Op == nil {
		t.Fatalf("no operation is named: %v\n%s", res, lines(h))
	}
	cut := func(with bool) []history.Operation {
		var out []history.Operation
		for _, op := range left {
			if op.Invoke.Event > res.Op.Return.Event {
				continue
			}
			if op.Status == history.OK && (op.Return.Event > res.Op.Return.Event || op.ID == res.Op.ID && !with) {
				op.Status = "running"
			}
			out = append(out, op)
		}
		return out
	}
	// Ends in one event are left out here: which of them comes first is open.
	for _, op := range left {
		if op.ID != res.Op.ID && (op.Return.Event == res.Op.Return.Event || op.Invoke.Event == res.Op.Return.Event) {
			return
		}
	}
	strict := m
	strict.Call = func(op *history.Operation) (string, any) {
		o := *op
		if o.Status == "running" {
			o.Status = history.OK
		}
		return m.Call(&o)
	}
	if !possible(&strict, m.Init(), cut(false)) {
		t.Fatalf("the run is not linearizable even without %v\n%s", res.Op, lines(h))
	}
	if possible(&strict, m.Init(), cut(true)) {
		t.Fatalf("the run is still linearizable with %v\n%s", res.Op, lines(h))
	}
}

// TestPorcupineAgrees gives the same histories to porcupine alone, as far as it
// can take them: all operations have ended well, and no two ends are in one
// event.
func TestPorcupineAgrees(t *testing.T) {
	for k, kind := range kinds {
		r := rand.New(rand.NewPCG(uint64(k), 8))
		compared := 0
		for range *histories / len(kinds) {
			h := random(r, kind.draw)
			m := kind.model()
			var ops []porcupine.Operation
			used, plain := map[uint64]bool{}, true
			for op := range h.All() {
				plain = plain && op.Status == history.OK && !used[op.Invoke.Event] && !used[op.Return.Event] && op.Invoke.Event != op.Return.Event
				used[op.Invoke.Event], used[op.Return.Event] = true, true
				_, c := m.Call(op)
				ops = append(ops, porcupine.Operation{Input: c, Call: int64(op.Invoke.Event), Return: int64(op.Return.Event)})
			}
			if !plain {
				continue
			}
			compared++
			res, err := linear.Checker{Model: kind.model()}.Run(h.All())
			if err != nil {
				t.Fatal(err)
			}
			if ok := porcupine.CheckOperations(m.Porcupine(nil), ops); ok != (res.Verdict == linear.OK) {
				t.Fatalf("porcupine says %v, we say %v\n%s", ok, res, lines(h))
			}
		}
		if compared < *histories/len(kinds)/20 {
			t.Errorf("%s: only %d compared", kind.name, compared)
		}
	}
}
