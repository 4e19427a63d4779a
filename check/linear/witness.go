package linear

import (
	"cmp"
	"fmt"
	"slices"
)

// ordered is an operation with its place in a proposed order.
type ordered struct {
	item  int32
	place int64
}

// follow checks whether a proposed order explains a part, and says why it does
// not. Operations that only look and have no place are put where they fit; the
// earliest such place is as good as any. The effort is the number of
// operations times how many overlap.
func follow(m *Model, items []item, order Order, l *limits) (why string) {
	var seq []ordered
	var looks []int32
	for i := range items {
		it := &items[i]
		place, ok := order(it.op)
		switch {
		case ok:
			seq = append(seq, ordered{int32(i), place})
		case it.optional:
		case m.readOnly(it.call):
			looks = append(looks, int32(i))
		default:
			return fmt.Sprintf("it has no place for %v", it.op)
		}
	}
	slices.SortStableFunc(seq, func(a, b ordered) int { return cmp.Compare(a.place, b.place) })
	states, why := replay(m, items, seq, l)
	if why != "" || len(looks) == 0 {
		return why
	}
	return fit(m, items, seq, looks, states, l)
}

// replay makes the steps of an order, and returns the state before each and the
// last one.
func replay(m *Model, items []item, seq []ordered, l *limits) ([]any, string) {
	state := m.Init()
	states := append(make([]any, 0, len(seq)+1), state)
	latest := int32(-1) // the last invocation so far
	for i, o := range seq {
		it := &items[o.item]
		if it.ret < latest {
			return nil, fmt.Sprintf("it puts %v behind an operation that was called only after its return", it.op)
		}
		latest = max(latest, it.inv)
		next, ok := m.Step(state, it.call)
		l.steps++
		if !ok {
			return nil, fmt.Sprintf("%v cannot be the operation number %d: the state there is %s", it.op, i+1, m.describe(state))
		}
		state = next
		states = append(states, state)
	}
	return states, ""
}

// fit puts each of the operations that only look between two of an order.
func fit(m *Model, items []item, seq []ordered, looks []int32, states []any, l *limits) string {
	byRet := func(list []int32) []int32 {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(items[a].ret, items[b].ret) })
		return list
	}
	at := make([]int, len(items)) // how many of seq come before it, or with it
	var effects []int32
	for i, o := range seq {
		at[o.item] = i + 1
		effects = append(effects, o.item)
	}
	effectsByRet, looksByRet := byRet(effects), byRet(looks)
	until := upTo(items, effects, at)
	least, e, k := 0, 0, 0
	for _, i := range looks { // in the order of invocation
		it := &items[i]
		for ; e < len(effectsByRet) && items[effectsByRet[e]].ret < it.inv; e++ {
			least = max(least, at[effectsByRet[e]])
		}
		for ; k < len(looksByRet) && items[looksByRet[k]].ret < it.inv; k++ {
			least = max(least, at[looksByRet[k]])
		}
		most := until(it.ret)
		p := least
		for ; p <= most; p++ {
			l.steps++
			if _, ok := m.Step(states[p], it.call); ok {
				break
			}
			if !l.more() {
				return "it takes too many steps to follow"
			}
		}
		if p > most {
			return fmt.Sprintf("%v fits nowhere in it: at its time the state is %s", it.op, m.describe(states[min(least, len(states)-1)]))
		}
		at[i] = p
	}
	return ""
}

// upTo returns a function that says how many operations of an order may come
// before one that returned at a moment: all up to the first that was called
// later.
func upTo(items []item, effects []int32, at []int) func(ret int32) int {
	byCall := slices.Clone(effects)
	slices.SortStableFunc(byCall, func(a, b int32) int { return cmp.Compare(items[a].inv, items[b].inv) })
	first := make([]int, len(byCall)+1) // the first place among those from here on
	first[len(byCall)] = len(effects) + 1
	for i := len(byCall) - 1; i >= 0; i-- {
		first[i] = min(first[i+1], at[byCall[i]])
	}
	return func(ret int32) int {
		i, _ := slices.BinarySearchFunc(byCall, ret, func(a, ret int32) int { return cmp.Compare(items[a].inv, ret) })
		return first[i] - 1
	}
}
