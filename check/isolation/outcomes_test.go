package isolation_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// mixed is a random history of up to four transactions, some of one process,
// some that fail, and some with an unknown outcome.
type mixed struct {
	registers bool
	txns      []mixedTxn
	installed map[string][]int // the versions of each key, first ones first
	late      map[string]int   // how many values came after those, perhaps
}

type mixedTxn struct {
	process   string
	call, ret int
	status    history.Status
	accesses  []history.Access
}

// values are 10 times the number of the transaction plus that of the access.
func (m *mixed) draw(r *rand.Rand) {
	m.installed, m.late = map[string][]int{}, map[string]int{}
	n := 2 + r.IntN(3)
	times := r.Perm(2 * n)
	for i := range n {
		x := mixedTxn{call: 1 + min(times[2*i], times[2*i+1]), ret: 1 + max(times[2*i], times[2*i+1]), status: history.OK}
		x.process = fmt.Sprint("c", i)
		if j := r.IntN(i + 1); j < i && m.idle(m.txns[j].process, x) {
			x.process = m.txns[j].process
		}
		switch r.IntN(8) {
		case 0:
			x.status = history.Unknown
		case 1:
			x.status = history.Fail
		}
		for j := range 1 + r.IntN(3) {
			a := history.Access{Type: history.AccessRead, Key: []string{"x", "y"}[r.IntN(2)]}
			if r.IntN(2) == 0 {
				a.Type, a.Value = history.AccessAppend, 10*i+j
				if m.registers {
					a.Type = history.AccessWrite
				}
			}
			x.accesses = append(x.accesses, a)
		}
		m.txns = append(m.txns, x)
	}
	m.install(r)
	for i := range m.txns {
		m.see(r, i)
	}
}

// idle reports that a process does nothing else during a transaction.
func (m *mixed) idle(process string, x mixedTxn) bool {
	return !slices.ContainsFunc(m.txns, func(y mixedTxn) bool {
		return y.process == process && y.call < x.ret && x.call < y.ret
	})
}

// install draws which values there are at the end, in which order.
func (m *mixed) install(r *rand.Rand) {
	for i, x := range m.txns {
		for j, a := range x.accesses {
			switch {
			case a.Type == history.AccessRead, m.registers && overwrites(x.accesses[j+1:], a.Key):
			case x.status == history.Fail && r.IntN(8) > 0, x.status == history.Unknown && r.IntN(2) == 0, x.status == history.OK && m.registers && r.IntN(10) == 0:
				if x.status != history.Fail {
					m.late[a.Key]++
				}
			case m.registers && x.status == history.Fail:
			default:
				m.installed[a.Key] = append(m.installed[a.Key], 10*i+j)
			}
		}
	}
	for _, k := range []string{"x", "y"} {
		shuffle(r, m.installed[k])
	}
}

func overwrites(rest []history.Access, key string) bool {
	return slices.ContainsFunc(rest, func(a history.Access) bool { return a.Type != history.AccessRead && a.Key == key })
}

// see draws what a transaction reads.
func (m *mixed) see(r *rand.Rand, i int) {
	own := map[string][]int{}
	for j := range m.txns[i].accesses {
		a := &m.txns[i].accesses[j]
		if a.Type != history.AccessRead {
			own[a.Key] = append(own[a.Key], a.Value.(int))
			continue
		}
		others := slices.DeleteFunc(slices.Clone(m.installed[a.Key]), func(v int) bool { return v/10 == i })
		list := append(others[:r.IntN(len(others)+1)], own[a.Key]...)
		switch {
		case !m.registers:
			a.Value = list
		case len(list) > 0:
			a.Value = list[len(list)-1]
		}
	}
}

// history plays the transactions, and a last one that reads all lists.
func (m *mixed) history() *history.History {
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	ops := make([]*history.Op, len(m.txns))
	for now = 1; now <= uint64(2*len(m.txns)); now++ {
		for i, x := range m.txns {
			if uint64(x.call) == now {
				ops[i] = h.Invoke(x.process, "txn", nil)
			}
			if uint64(x.ret) == now {
				finish(ops[i], x)
			}
		}
	}
	if !m.registers {
		last := h.Invoke("last", "txn", nil)
		now++
		for _, k := range []string{"x", "y"} {
			last.Read(k, slices.Clone(m.installed[k]))
		}
		last.OK(nil)
	}
	return h
}

func finish(op *history.Op, x mixedTxn) {
	for _, a := range x.accesses {
		switch a.Type {
		case history.AccessRead:
			op.Read(a.Key, a.Value)
		case history.AccessAppend:
			op.Append(a.Key, a.Value)
		default:
			op.Write(a.Key, a.Value)
		}
	}
	switch x.status {
	case history.OK:
		op.OK(nil)
	case history.Fail:
		op.Fail("refused")
	default:
		op.Unknown("timeout")
	}
}

// explainsSome reports whether the transactions that are OK, and some of those
// whose outcome is unknown, can have done what they say.
func explainsSome(p promise, all []history.Operation, given map[string][]int) bool {
	var sure, unsure []history.Operation
	for _, op := range all {
		op.Txn = slices.Clone(op.Txn)
		switch op.Status {
		case history.OK:
			sure = append(sure, op)
		case history.Unknown: // what it read does not count
			op.Txn = slices.DeleteFunc(op.Txn, func(a history.Access) bool { return a.Type == history.AccessRead })
			unsure = append(unsure, op)
		}
	}
	for some := range 1 << len(unsure) {
		ops := slices.Clone(sure)
		for i, op := range unsure {
			if some>>i&1 == 1 {
				ops = append(ops, op)
			}
		}
		if explains(p, ops, given) {
			return true
		}
	}
	return false
}

// onlyLast leaves out the writes that their own transaction wrote over.
func onlyLast(ops []history.Operation) []history.Operation {
	for i := range ops {
		var txn []history.Access
		for j, a := range ops[i].Txn {
			if a.Type == history.AccessRead && !slices.ContainsFunc(ops[i].Txn[:j], func(b history.Access) bool { return b.Type != history.AccessRead && b.Key == a.Key }) ||
				a.Type != history.AccessRead && !overwrites(ops[i].Txn[j+1:], a.Key) {
				txn = append(txn, a)
			}
		}
		ops[i].Txn = txn
	}
	return ops
}

// TestOutcomesAgainstOracle compares the checker with a search through all orders
// and outcomes. Of lists that a last transaction reads, and of registers whose
// versions are given, the two agree on each level; of registers alone, whatever
// can be explained is not refuted.
func TestOutcomesAgainstOracle(t *testing.T) {
	for _, c := range []struct {
		name             string
		registers, given bool
	}{{"lists", false, false}, {"registers with versions", true, true}, {"registers", true, false}} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(9, uint64(len(c.name))))
			n, agreed := *histories, map[bool]int{}
			for range n {
				m := &mixed{registers: c.registers}
				m.draw(r)
				h := m.history()
				k := isolation.Checker{}
				var given map[string][]int
				if c.given {
					given = m.installed
					k.Versions = func(key string) []any {
						out := []any{}
						for _, v := range given[key] {
							out = append(out, v)
						}
						return out
					}
				}
				res, err := k.Run(h.All())
				if err != nil {
					t.Fatal(err)
				}
				ops := h.Operations()
				if c.registers {
					ops = onlyLast(ops)
				}
				exact := !c.registers || c.given && m.late["x"] < 2 && m.late["y"] < 2
				for _, p := range promises() {
					want, got := explainsSome(p, ops, given), res.Holds(p.level)
					if want != got && (want || exact) {
						t.Fatalf("%s holds: %v, the oracle says %v; found %v, installed %v\n%s", p.level, got, want, names(res), m.installed, told(h))
					}
					agreed[want]++
				}
			}
			if agreed[true] < n/2 || agreed[false] < n/2 {
				t.Errorf("%d hold and %d do not, of %d histories; the comparison needs many of both", agreed[true], agreed[false], n)
			}
		})
	}
}

func told(h *history.History) string {
	var b strings.Builder
	for op := range h.All() {
		fmt.Fprintln(&b, op.Process, op.Status, op.Invoke.Event, op.Return.Event, op.Txn)
	}
	return b.String()
}
