package linear_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// byName makes an order of the processes' names.
func byName(names string) linear.Order {
	list := strings.Fields(names)
	return func(op *history.Operation) (int64, bool) {
		i := slices.Index(list, op.Process)
		return int64(i), i >= 0
	}
}

func TestOrder(t *testing.T) {
	const good = `
		a write x 1 @ 1-10
		b write x 2 @ 2-11
		c read x 1 @ 3-6
		d read x 2 @ 7-12
		e write x 3 @ 4-`
	for _, c := range []struct{ name, text, order, why string }{
		{"it explains", good, "a b", ""},
		{"with reads in it", good, "a c b d", ""},
		{"the other way round", good, "b a", "d read(…) fits nowhere"},
		{"unknown with effect", good, "a b e", ""},
		{"not all", good, "a", "it has no place for b write"},
		{"against real time", "a write x 1 @ 1-2 \n b write x 2 @ 3-4", "b a", "it puts a write(…) behind"},
		{"an impossible step", "a cas x 1 2 no @ 1-5 \n b write x 1 @ 2-6", "b a", "a cas(…) cannot be the operation number 2: the state there is 1"},
		{"reads in turn", "a write x 1 @ 1-20 \n b read x 1 @ 2-3 \n c read x - @ 4-5", "a", "c read(…) fits nowhere"},
	} {
		m := linear.Register(words)
		h := scene(t, c.text)
		r, err := linear.Checker{Model: m, Order: byName(c.order)}.Run(h.All())
		if err != nil {
			t.Fatal(err)
		}
		search, _ := linear.Checker{Model: m}.Run(h.All())
		if r.Verdict != search.Verdict {
			t.Errorf("%s: %v with an order, %v without", c.name, r.Verdict, search.Verdict)
		}
		got := strings.ReplaceAll(r.Order, "\n", " ")
		for _, op := range h.Operations() {
			got = strings.ReplaceAll(got, op.String(), op.Process+" "+op.Function+"(…)")
		}
		if (c.why == "") != (got == "") || !strings.Contains(got, strings.ReplaceAll(c.why, "(…)", "")) && !strings.Contains(got, c.why) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.why)
		}
	}
}

// TestOrderIsNoProof: whatever order is given, the verdict is that of the
// search.
func TestOrderIsNoProof(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	followed := 0
	for _, kind := range kinds {
		for range 300 {
			h := random(r, kind.draw)
			perm := r.Perm(h.Len())
			some := r.IntN(2) == 0
			order := func(op *history.Operation) (int64, bool) { return int64(perm[op.ID]), !some || perm[op.ID]%4 > 0 }
			a, err := linear.Checker{Model: kind.model(), Order: order}.Run(h.All())
			if err != nil {
				t.Fatal(err)
			}
			b, _ := linear.Checker{Model: kind.model()}.Run(h.All())
			if a.Verdict != b.Verdict {
				t.Fatalf("%s: %v with an order, %v without\n%s", kind.name, a, b, lines(h))
			}
			if a.Order == "" {
				followed++
			}
		}
	}
	if followed < 20 {
		t.Errorf("only %d orders were followed", followed)
	}
}

// hard makes a history that no order explains and whose search takes very
// long: many concurrent adds, and a count that none of their sums is.
func hard(n int) *history.History {
	event := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(event), event })
	var open []*history.Op
	for i := range n {
		event++
		open = append(open, h.Invoke(fmt.Sprint("c", i), "add", []string{"add", "n", fmt.Sprint(1 << i)}))
	}
	event++
	h.Invoke("first", "count", []string{"count", "n", "0"}).OK(nil)
	event++
	bad := h.Invoke("reader", "count", []string{"count", "n", fmt.Sprint(1<<n + 1)})
	event++
	bad.OK(nil)
	for _, op := range open {
		event++
		op.OK(nil)
	}
	return h
}

func TestLimits(t *testing.T) {
	h := hard(24)
	r, err := linear.Checker{Model: linear.Counter(words), Steps: 200_000, Memory: 1 << 20}.Run(h.All())
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != linear.Unknown || r.Op == nil || r.Op.Process != "reader" || r.Prefix != 1 || r.Steps != 200_000 {
		t.Errorf("got %v, %d steps", r, r.Steps)
	}
	again, _ := linear.Checker{Model: linear.Counter(words), Steps: 200_000, Memory: 1 << 20}.Run(h.All())
	if again.String() != r.String() {
		t.Errorf("two checks of one history differ:\n%v\n%v", r, again)
	}
	if err := (linear.Checker{Model: linear.Counter(words), Steps: 1000}).Check(h.All()); err == nil || !strings.Contains(err.Error(), "undecided after 1000 steps") {
		t.Errorf("an undecided check passes: %v", err)
	}
	if err := (linear.Checker{Model: linear.Counter(words), Steps: 1000, AllowUnknown: true}).Check(h.All()); err != nil {
		t.Errorf("AllowUnknown: %v", err)
	}
	said := ""
	lenient := linear.Checker{Model: linear.Counter(words), Steps: 1000, AllowUnknown: true}
	if err := lenient.CheckExcusing(h.All(), func(reason string) { said += reason }); err != nil || !strings.HasPrefix(said, "undecided after 1") {
		t.Errorf("what is allowed is counted as %q: %v", said, err)
	}
	stop := linear.Checker{Model: linear.Counter(words), Stop: func() bool { return true }}
	if r, _ := stop.Run(h.All()); r.Verdict != linear.Unknown {
		t.Errorf("Stop: %v", r)
	}
	// Small ones are decided, also when nearly nothing can be remembered.
	if r, _ := (linear.Checker{Model: linear.Counter(words), Memory: 2000}).Run(hard(6).All()); r.Verdict != linear.Violated {
		t.Errorf("with little memory: %v", r)
	}
}

// TestExcused are operations that the system is not to blame for. Each history
// is a violation without the excuse.
func TestExcused(t *testing.T) {
	corrupt := scene(t, "a write x 1 @ 1-2 \n b read x 9 @ 3-4 \n c read x 1 @ 5-6")
	excuse := func(op *history.Operation) string {
		if op.Process == "b" {
			return "n1's disk returned corrupted data at 3ns"
		}
		return ""
	}
	now := uint64(0)
	twice := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	op := twice.Invoke("a", "add", []string{"add", "n", "5"})
	op.Attempt("n1").End("timeout")
	op.Attempt("n2")
	now++
	op.OK(nil)
	now++
	read := twice.Invoke("b", "count", []string{"count", "n", "10"})
	now++
	read.OK(nil)
	thrice := scene(t, "a add n 5 @ 1-2 \n b count n 10 @ 3-4")
	for _, c := range []struct {
		name   string
		h      *history.History
		strict linear.Checker
		with   linear.Checker
		reason string
	}{
		{"corrupted", corrupt, linear.Checker{Model: linear.Register(words)},
			linear.Checker{Model: linear.Register(words), Excuse: excuse}, "corrupted data"},
		{"sent twice", twice, linear.Checker{Model: linear.Counter(words)},
			linear.Checker{Model: linear.Counter(words), Retries: linear.AtLeastOnce}, "the client library sent it 2 times (to n1, n2)"},
		{"sent once", thrice, linear.Checker{Model: linear.Counter(words)},
			linear.Checker{Model: linear.Counter(words), Retries: linear.AtLeastOnce}, ""},
	} {
		if err := c.strict.Check(c.h.All()); err == nil {
			t.Errorf("%s: no violation without the excuse", c.name)
		}
		r, err := c.with.Run(c.h.All())
		switch {
		case err != nil:
			t.Error(err)
		case c.reason == "" && r.Verdict != linear.Violated:
			t.Errorf("%s: there is nothing to excuse: %v", c.name, r)
		case c.reason != "" && (r.Verdict != linear.OK || len(r.Excused) != 1 || !strings.Contains(r.String(), c.reason)):
			t.Errorf("%s: %v, want it excused because of %q", c.name, r, c.reason)
		}
		var counted []string
		err = c.with.CheckExcusing(c.h.All(), func(reason string) { counted = append(counted, reason) })
		if c.reason != "" && (err != nil || len(counted) != 1 || !strings.Contains(counted[0], c.reason)) || c.reason == "" && len(counted) > 0 {
			t.Errorf("%s: counted %q, %v", c.name, counted, err)
		}
	}
	// What needs no excuse is not excused.
	fine := scene(t, "a write x 1 @ 1-2 \n b read x 1 @ 3-4")
	if r, _ := (linear.Checker{Model: linear.Register(words), Excuse: excuse}).Run(fine.All()); len(r.Excused) != 0 {
		t.Errorf("excused without need: %v", r)
	}
	// An operation that timed out and took effect much later is no violation.
	late := scene(t, "a write x 1 @ 1- \n b read x - @ 5-6 \n b read x - @ 7-8 \n b read x 1 @ 90-91")
	if err := linear.Register(words).Check(late.All()); err != nil {
		t.Error(err)
	}
}

func TestPicture(t *testing.T) {
	h := scene(t, "a write x 1 @ 1-2 \n b write x 2 @ 3-4 \n c read x 1 @ 5-6 \n d read x 2 @ 7-8")
	v, ok := linear.Map(words).Check(h.All()).(*linear.Violation)
	if !ok {
		t.Fatal("no violation")
	}
	page := v.Artifacts()["linearizability.html"]
	if !bytes.Contains(page, []byte(`c read`)) || !bytes.Contains(page, []byte("<html")) {
		t.Errorf("%d bytes without the operation", len(page))
	}
	if bytes.Contains(page, []byte(`d read`)) {
		t.Error("an operation after the violation is in the picture")
	}
	// Of a long history the end is shown, beginning with the state before.
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "a write x %d @ %d-%d\n", i, 2*i+1, 2*i+2)
	}
	text.WriteString("b read x 7 @ 2001-2002")
	v, ok = linear.Map(words).Check(scene(t, text.String()).All()).(*linear.Violation)
	if !ok {
		t.Fatal("no violation")
	}
	page = v.Artifacts()["linearizability.html"]
	if !bytes.Contains(page, []byte(`b read`)) || bytes.Contains(page, []byte(`\"100\"`)) || !bytes.Contains(page, []byte(`\"999\"`)) {
		t.Errorf("%d bytes: not the end of the history", len(page))
	}
}

// TestFailedValue: who reads what a failed write had is told so.
func TestFailedValue(t *testing.T) {
	event := uint64(0)
	h := history.New(func() (time.Duration, uint64) { event++; return time.Duration(event), event })
	h.Invoke("a", "put", "v1").Fail("not the leader")
	h.Invoke("b", "get", nil).OK("v1")
	err := linear.Register(func(op *history.Operation) linear.Call {
		if op.Function == "put" {
			return linear.Write("x", op.Input)
		}
		return linear.Read("x", op.Output)
	}).Check(h.All())
	if err == nil || !strings.Contains(err.Error(), "a put(v1) fail: not the leader [1ns, 2ns], which took no effect, has that value") {
		t.Errorf("got %v", err)
	}
}
