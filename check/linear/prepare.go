package linear

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// never is the rank of a return that does not come.
const never = math.MaxInt32

// item is an operation in the check of its key.
type item struct {
	op       *history.Operation
	call     any
	inv, ret int32 // places of its ends in the order of the run
	optional bool  // it may have taken effect, or not
	excuse   string
}

// part is what is judged at a time: the operations of one key, in the order of
// invocation.
type part struct {
	name   string // of the key, with an element if it is a set's
	items  []item
	failed []*history.Operation // known to have taken no effect
}

// group identifies a part: a key, and an element of a set that is judged alone.
type group struct {
	key     string
	element any
}

// split sorts the operations into parts, in the order in which their keys first
// come up, and ranks the ends of operations.
func split(m *Model, ops iter.Seq[*history.Operation]) ([]*part, error) {
	var parts []*part
	index := map[group]*part{}
	whole := map[string]bool{} // sets that are read as a whole
	var all []item
	var keys []string
	for op := range ops {
		key, call := m.Call(op)
		if call == nil {
			continue
		}
		if m.takes != nil {
			if err := m.takes(call); err != nil {
				return nil, err
			}
		}
		if c, ok := call.(*Call); ok && c.kind == members {
			whole[key] = true
		}
		all, keys = append(all, item{op: op, call: call, optional: op.Status != history.OK}), append(keys, key)
	}
	rank(all)
	of := make([]*part, len(all))
	sizes := map[*part]int{}
	for i, it := range all {
		g := group{key: keys[i]}
		if c, ok := it.call.(*Call); ok && m.split && !whole[g.key] {
			g.element = c.value
		}
		p := index[g]
		if p == nil {
			p = &part{name: g.key}
			if g.element != nil {
				p.name += " element " + history.Text(g.element)
			}
			index[g], parts = p, append(parts, p)
		}
		of[i] = p
		sizes[p]++
	}
	for i, it := range all {
		p := of[i]
		if p.items == nil {
			p.items = make([]item, 0, sizes[p])
		}
		if it.op.Status == history.Fail {
			p.failed = append(p.failed, it.op)
		} else {
			p.items = append(p.items, it)
		}
	}
	for _, p := range parts {
		slices.SortStableFunc(p.items, func(a, b item) int { return cmp.Compare(a.inv, b.inv) })
	}
	return parts, nil
}

// moment is an end of an operation.
type moment struct {
	at  history.Point
	it  int32
	ret bool
}

// rank gives the ends of operations their places. Of two ends in one event,
// nobody knows which came first, so that the operations count as concurrent,
// unless both are of one process, which does one thing at a time.
func rank(items []item) {
	ends := make([]moment, 0, 2*len(items))
	for i := range items {
		op := items[i].op
		ends = append(ends, moment{op.Invoke, int32(i), false})
		if op.Status == history.OK {
			ends = append(ends, moment{op.Return, int32(i), true})
		}
		items[i].ret = never
	}
	slices.SortStableFunc(ends, func(a, b moment) int { return comparePoints(a.at, b.at) })
	for from := 0; from < len(ends); {
		to := from + 1
		alone := true
		for to < len(ends) && ends[to].at == ends[from].at {
			alone = alone && items[ends[to].it].op.Process == items[ends[from].it].op.Process
			to++
		}
		if to > from+1 {
			order(items, ends[from:to], alone)
		}
		from = to
	}
	for i, e := range ends {
		if e.ret {
			items[e.it].ret = int32(i)
		} else {
			items[e.it].inv = int32(i)
		}
	}
}

// order sorts the ends within one event: calls before returns, but by operation
// for one process alone.
func order(items []item, ends []moment, alone bool) {
	slices.SortStableFunc(ends, func(a, b moment) int {
		if alone {
			if c := cmp.Compare(items[a.it].op.ID, items[b.it].op.ID); c != 0 {
				return c
			}
		}
		return cmp.Compare(number(a.ret), number(b.ret))
	})
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

func comparePoints(a, b history.Point) int {
	return cmp.Or(cmp.Compare(a.Event, b.Event), cmp.Compare(a.Time, b.Time))
}
