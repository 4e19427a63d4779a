package faultline

import (
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// mail is a client that sends a letter in each operation, the twentieth of which
// must not be lost.
func mail(w *World) {
	var s *shopServer
	w.Server("n1", func(n *Node) kernel.Handler { s = &shopServer{n: n}; return s })
	w.Client("c", func(c *Client) {
		for n := range c.Operations() {
			c.Send("n1", n)
			c.Sleep(100 * time.Millisecond)
			if n == 20 && s.last != n {
				w.Fail("mail", "the letter is lost")
			}
		}
	})
	w.Faults(fault.Rules{{Kind: fault.Loss, Every: time.Second, For: fault.Span{Min: time.Second, Max: 2 * time.Second}, Rate: fault.Range{Min: 300_000, Max: 500_000}}})
}

// A lost message is the first on its link when the operations before it are
// gone.
func TestFatesFollowOperations(t *testing.T) {
	for seed := range uint64(50) {
		r := shopRecipe(t, mail, seed)
		x := r.execute(time.Time{})
		if x.failure == nil {
			continue
		}
		small, note := shrinkOf(r, x)
		if small == nil {
			t.Fatal(note)
		}
		n := tallyOf(small.after)
		lost := slices.IndexFunc(small.after.Choices, func(c kernel.Choice) bool { return c.Point == "net/c>n1/drop" })
		if n != (tally{choices: 1, operations: 1}) || lost < 0 || small.after.Choices[lost].N > 1 {
			t.Errorf("left are %v: %v", n, describe(small.after, nil))
		}
		return
	}
	t.Fatal("no letter is lost")
}

// Fates follow operations that come before them, and only a few fates do.
func TestFollow(t *testing.T) {
	op := func(at int64) entry {
		return entry{choice: &kernel.Choice{Point: "work/c/op", N: uint64(at), Value: at, Time: kernel.Time(at)}}
	}
	fate := func(n uint64, at int64) entry {
		return entry{choice: &kernel.Choice{Point: "net/c>n1/drop", N: n, Value: 1, Time: kernel.Time(at)}}
	}
	numbers := func(lists [][]entry) (out [][]uint64) {
		for _, list := range lists {
			var ns []uint64
			for _, e := range list {
				ns = append(ns, e.choice.N)
			}
			out = append(out, ns)
		}
		return out
	}
	early, late := fate(5, 10), fate(18, 30)
	rest := []entry{early, late}
	got := numbers(follow([]entry{op(20)}, rest))
	if want := [][]uint64{{5, 17}, {5, 16}, {5, 15}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("without one operation fates are %v, want %v", got, want)
	}
	got = numbers(follow([]entry{op(1), op(2), op(3), op(4)}, rest))
	if want := [][]uint64{{1, 14}, {1, 18}, {5, 14}, {3, 16}, {3, 18}, {5, 16}, {5, 10}}; !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("without four operations fates are %v, want %v", got, want)
	}
	waits := fault.Fault{When: fault.Trigger{Op: "sync", Nth: 3}}
	if lists := follow([]entry{op(1)}, []entry{{fault: &waits}, early}); len(lists) != 7 || lists[0][0].fault.When.Nth != 2 || waits.When.Nth != 3 {
		t.Errorf("%d lists in which a fault that waits follows", len(lists))
	}
	many := slices.Repeat([]entry{late}, fewFates+1)
	for name, lists := range map[string][][]entry{
		"no fate is later":   follow([]entry{op(40)}, rest),
		"many fates":         follow([]entry{op(1)}, many),
		"a fate is gone":     follow([]entry{early}, rest),
		"nothing is gone":    follow(nil, rest),
		"a fault is gone":    follow([]entry{{fault: &fault.Fault{}}}, rest),
		"a number below one": follow([]entry{op(1)}, []entry{fate(1, 30)}),
	} {
		if lists != nil {
			t.Errorf("%s: %v", name, numbers(lists))
		}
	}
	if late.choice.N != 18 {
		t.Error("the fate itself was changed")
	}
}
