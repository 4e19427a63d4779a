package isolation_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

var histories = flag.Int("histories", 1500, "random histories that the checker is compared with the oracle on")

// small makes a history of up to four transactions on two lists, with arbitrary
// reads of the lists that a last transaction sees.
func small(r *rand.Rand) *history.History {
	type txn struct {
		call, ret int
		accesses  []history.Access
	}
	n := 2 + r.IntN(3)
	times := r.Perm(2 * n)
	keys := []string{"x", "y"}
	final := map[string][]int{}
	var txns []txn
	for i := range n {
		x := txn{call: 1 + min(times[2*i], times[2*i+1]), ret: 1 + max(times[2*i], times[2*i+1])}
		for j := range 1 + r.IntN(3) {
			k := keys[r.IntN(2)]
			if r.IntN(2) == 0 {
				v := 10*i + j
				final[k] = append(final[k], v)
				x.accesses = append(x.accesses, history.Access{Type: history.AccessAppend, Key: k, Value: v})
			} else {
				x.accesses = append(x.accesses, history.Access{Type: history.AccessRead, Key: k})
			}
		}
		txns = append(txns, x)
	}
	for _, k := range keys {
		l := final[k]
		shuffle(r, l)
	}
	for i := range txns { // a read sees some beginning, and what its transaction appended
		own := map[string][]int{}
		for j := range txns[i].accesses {
			a := &txns[i].accesses[j]
			if a.Type == history.AccessAppend {
				own[a.Key] = append(own[a.Key], a.Value.(int))
				continue
			}
			others := slices.DeleteFunc(slices.Clone(final[a.Key]), func(v int) bool { return v/10 == i })
			a.Value = append(others[:r.IntN(len(others)+1)], own[a.Key]...)
		}
	}
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	ops := make([]*history.Op, n)
	for now = 1; now <= uint64(2*n); now++ {
		for i, x := range txns {
			if uint64(x.call) == now {
				ops[i] = h.Invoke(fmt.Sprint("c", i), "txn", nil)
			}
			if uint64(x.ret) == now {
				for _, a := range x.accesses {
					if a.Type == history.AccessAppend {
						ops[i].Append(a.Key, a.Value)
					} else {
						ops[i].Read(a.Key, a.Value)
					}
				}
				ops[i].OK(nil)
			}
		}
	}
	last := h.Invoke("last", "txn", nil)
	now++
	for _, k := range keys {
		last.Read(k, final[k])
	}
	last.OK(nil)
	return h
}

// shuffle mixes values; those of one transaction stay in order.
func shuffle(r *rand.Rand, l []int) {
	r.Shuffle(len(l), func(i, j int) { l[i], l[j] = l[j], l[i] })
	for i := range l {
		for j := range i {
			if l[i]/10 == l[j]/10 && l[i] < l[j] {
				l[i], l[j] = l[j], l[i]
			}
		}
	}
}

// promise is a level as an order of starts and commits.
type promise struct {
	level    isolation.Level
	snapshot bool // reads see the state at the start, and writers of a key do not overlap
	realtime bool
	sessions bool
}

// comesFirst reports whether a transaction must appear before another one.
func (p promise) comesFirst(a, b *history.Operation) bool {
	return a.Status == history.OK && a.Return.Event < b.Invoke.Event && (p.realtime || p.sessions && a.Process == b.Process)
}

// promises are what the oracle can decide.
func promises() []promise {
	return []promise{
		{isolation.Serializable, false, false, false}, {isolation.StrongSessionSerializable, false, false, true},
		{isolation.StrictSerializable, false, true, false}, {isolation.SnapshotIsolation, true, false, false},
		{isolation.StrongSessionSnapshot, true, false, true}, {isolation.StrongSnapshot, true, true, false},
	}
}

// explains tries all orders of the starts and commits of transactions (of the
// commits alone, where reads see the state at the commit). The lists must begin
// with the given ones at the end.
func explains(p promise, ops []history.Operation, given map[string][]int) bool {
	n := len(ops)
	start, commit := make([]int, n), make([]int, n)
	lists := map[string][]int{}
	var at int
	var try func(done int) bool
	try = func(done int) bool {
		if done == n {
			return !differs(lists, given)
		}
		for i := range ops {
			if commit[i] > 0 {
				continue
			}
			if start[i] == 0 && waits(p, ops, i, commit) {
				continue
			}
			if start[i] == 0 {
				if !sees(lists, &ops[i]) {
					continue
				}
				if p.snapshot {
					at++
					start[i] = at
					if try(done) {
						return true
					}
					start[i] = 0
					at--
					continue
				}
			}
			if p.snapshot && overlaps(ops, i, start, commit) {
				continue
			}
			at++
			commit[i] = at
			if start[i] == 0 {
				start[i] = at
			}
			before := map[string]int{"x": len(lists["x"]), "y": len(lists["y"])}
			for _, a := range ops[i].Txn {
				if a.Type != history.AccessRead {
					lists[a.Key] = append(lists[a.Key], a.Value.(int))
				}
			}
			if try(done + 1) {
				return true
			}
			for k, n := range before {
				lists[k] = lists[k][:n]
			}
			if start[i] == commit[i] {
				start[i] = 0
			}
			commit[i] = 0
			at--
		}
		return false
	}
	return try(0)
}

// waits reports that a transaction must not start before others have committed.
func waits(p promise, ops []history.Operation, i int, commit []int) bool {
	for j := range ops {
		if j != i && commit[j] == 0 && p.comesFirst(&ops[j], &ops[i]) {
			return true
		}
	}
	return false
}

// differs reports that a list does not begin as given.
func differs(lists, given map[string][]int) bool {
	for k, g := range given {
		if len(lists[k]) < len(g) || !slices.Equal(lists[k][:len(g)], g) {
			return true
		}
	}
	return false
}

// sees reports whether a transaction that starts now sees what it says. A
// register is a list of which the last value is seen.
func sees(lists map[string][]int, op *history.Operation) bool {
	own := map[string][]int{}
	for _, a := range op.Txn {
		if a.Type != history.AccessRead {
			own[a.Key] = append(own[a.Key], a.Value.(int))
			continue
		}
		is := append(slices.Clone(lists[a.Key]), own[a.Key]...)
		switch got := a.Value.(type) {
		case int:
			if len(is) == 0 || is[len(is)-1] != got {
				return false
			}
		case []int:
			if !slices.Equal(got, is) {
				return false
			}
		default:
			if len(is) > 0 {
				return false
			}
		}
	}
	return true
}

// overlaps reports whether a transaction that commits now wrote a key that one
// that committed after its start wrote too.
func overlaps(ops []history.Operation, i int, start, commit []int) bool {
	for j := range ops {
		if j == i || commit[j] == 0 || commit[j] < start[i] {
			continue
		}
		for _, a := range ops[i].Txn {
			for _, b := range ops[j].Txn {
				if a.Type != history.AccessRead && b.Type != history.AccessRead && a.Key == b.Key {
					return true
				}
			}
		}
	}
	return false
}

// TestAgainstOracle compares the checker with a search through all orders, on
// random histories of which all versions are known.
func TestAgainstOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	promises := promises()
	bad := make([]int, len(promises))
	for range *histories {
		h := small(r)
		res, err := isolation.Checker{}.Run(h.All())
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range promises {
			want := explains(p, h.Operations(), nil)
			if got := res.Holds(p.level); got != want {
				text := ""
				for op := range h.All() {
					text += fmt.Sprintln(op, op.Txn)
				}
				t.Fatalf("%s holds: %v, the oracle says %v; found %v\n%s", p.level, got, want, res.Found, text)
			}
			if !want {
				bad[i]++
			}
		}
	}
	for i, n := range bad {
		if n < *histories/20 || n > *histories*19/20 {
			t.Errorf("%s: %d of %d histories are wrong; the comparison needs many of both", promises[i].level, n, *histories)
		}
	}
}
