package linear

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// zones decides the linearizability of reads and writes of one register to
// which each value is written once, without a search.
//
// A write and the reads of its value form a cluster. The register held the
// value all the time between the cluster's first return and its last call; if
// the last call comes first, it held it at some moment between the two. The
// history is linearizable exactly if these zones can be put in a row (Gibbons,
// Korach: Testing Shared Memories, SIAM J. Comput. 26, 1997; zones as in Golab,
// Li, Shah: Analyzing Consistency Properties for Fun and Profit, PODC 2011).
type zones struct {
	items  []item
	writes map[any]int32 // item that wrote a value
}

// newZones reports false if the operations are not of that sort.
func newZones(items []item) (*zones, bool) {
	z := &zones{items, map[any]int32{}}
	for i := range items {
		c := items[i].call.(*Call)
		switch {
		case items[i].excuse != "":
			return nil, false
		case c.kind == read:
		case c.kind != write || c.value == nil:
			return nil, false
		default:
			if _, twice := z.writes[c.value]; twice {
				return nil, false
			}
			z.writes[c.value] = int32(i)
		}
	}
	return z, true
}

// cluster is a write and the reads of its value.
type cluster struct {
	write            int32 // item, -1 for the beginning
	ret, inv         int32 // first return and last call
	returned, called int32 // the items of those two, -1 for the beginning
}

func (c *cluster) from() int32   { return min(c.ret, c.inv) }
func (c *cluster) to() int32     { return max(c.ret, c.inv) }
func (c *cluster) forward() bool { return c.ret < c.inv }

// hold looks at the run up to the moment end, where operations that have not
// returned may have had an effect, and says why it is not linearizable.
func (z *zones) hold(end int32) (why string) {
	start := &cluster{write: -1, ret: -1, inv: -1, returned: -1, called: -1}
	list := []*cluster{start}
	of := make([]*cluster, len(z.items))
	for i := range z.items {
		it := &z.items[i]
		if it.inv > end || it.call.(*Call).kind != write {
			continue
		}
		c := &cluster{write: int32(i), ret: never, inv: it.inv, returned: int32(i), called: int32(i)}
		if !it.optional && it.ret <= end {
			c.ret = it.ret
		}
		of[i] = c
		list = append(list, c)
	}
	for i := range z.items {
		it := &z.items[i]
		if it.optional || it.ret > end || it.call.(*Call).kind != read {
			continue
		}
		c := start
		if v := it.call.(*Call).result; v != nil {
			w, ok := z.writes[v]
			if !ok {
				return fmt.Sprintf("nobody has written what it saw, %s", history.Text(v))
			}
			if c = of[w]; c == nil || it.ret < z.items[w].inv {
				return fmt.Sprintf("the write of what it saw was called only later: %v", z.items[w].op)
			}
		}
		if it.ret < c.ret {
			c.ret, c.returned = it.ret, int32(i)
		}
		if it.inv > c.inv {
			c.inv, c.called = it.inv, int32(i)
		}
	}
	return z.inARow(list)
}

// inARow looks for two clusters that exclude each other: two values that were
// both held at one moment, or one that has no moment beside the other.
func (z *zones) inARow(list []*cluster) string {
	slices.SortStableFunc(list, func(a, b *cluster) int { return cmp.Compare(a.from(), b.from()) })
	var held *cluster // the forward zone that ends last so far
	for _, c := range list {
		if held != nil && c.from() < held.to() && (c.forward() || c.to() < held.to()) {
			return z.describe(held) + "; but " + z.describe(c)
		}
		if c.forward() && (held == nil || c.to() > held.to()) {
			held = c
		}
	}
	return ""
}

// describe says when the register had the value of a cluster.
func (z *zones) describe(c *cluster) string {
	switch {
	case c.returned < 0:
		return fmt.Sprintf("there was no value up to the call of %v", z.items[c.called].op)
	case c.forward():
		return fmt.Sprintf("there was the value %s from the return of %v up to the call of %v", z.value(c), z.items[c.returned].op, z.items[c.called].op)
	}
	return fmt.Sprintf("there was the value %s at some moment between the call of %v and the return of %v", z.value(c), z.items[c.called].op, z.items[c.returned].op)
}

func (z *zones) value(c *cluster) string {
	return history.Text(z.items[c.write].call.(*Call).value)
}

// first returns the first moment up to which the run is not linearizable, or -1
// if there is none, and why.
func (z *zones) first() (at int32, why string) {
	if z.hold(never-1) == "" {
		return -1, ""
	}
	var ends []int32
	for i := range z.items {
		if !z.items[i].optional {
			ends = append(ends, z.items[i].ret)
		}
	}
	slices.Sort(ends)
	lo, hi := 0, len(ends)-1 // the first bad one is in between
	for lo < hi {
		mid := (lo + hi) / 2
		if z.hold(ends[mid]) != "" {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return ends[lo], z.hold(ends[lo])
}
