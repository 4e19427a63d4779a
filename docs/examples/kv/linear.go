package kv

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/hmdsefi/faultline/history"
)

// Linearizable reports a key whose operations cannot have taken effect one at
// a time, each at some moment between its call and its return.
//
// Every value is put once, which makes the question easy (Gibbons, Korach:
// Testing Shared Memories, SIAM J. Comput. 26, 1997; the zones are those of
// Golab, Li, Shah: Analyzing Consistency Properties for Fun and Profit, PODC
// 2011). The put of a value and the gets that returned it form a cluster. The
// key held the value all the time between the cluster's first return and its
// last call; if the last call comes first, it held it at some moment between
// the two. A history is linearizable exactly if these zones can be put in a
// row.
func Linearizable(h *history.History) error {
	keys := map[string]map[string]*cluster{}
	for call := range h.All() {
		op := call.Input.(Op)
		if keys[op.Key] == nil {
			keys[op.Key] = map[string]*cluster{"": beginning()}
		}
		if op.Kind == "put" {
			keys[op.Key][op.Value] = newCluster(call)
		}
	}
	for call := range h.All() {
		op := call.Input.(Op)
		if op.Kind != "get" || call.Status != history.OK {
			continue
		}
		c := keys[op.Key][call.Output.(string)]
		if c == nil {
			return fmt.Errorf("%v: nobody has put that", call)
		}
		if call.Return.Event < c.put {
			return fmt.Errorf("%v: the put of that value was called only later", call)
		}
		c.add(call)
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if err := inARow(keys[key]); err != nil {
			return fmt.Errorf("key %s: %w", key, err)
		}
	}
	return nil
}

// cluster is a put and the gets that returned its value. Moments are numbers
// of events.
type cluster struct {
	put                   uint64 // when the put was called
	firstReturn, lastCall uint64
	returned, called      *history.Operation // the operations of those two; nil for the beginning
}

// beginning is the cluster of the value that a key has before any put.
func beginning() *cluster { return &cluster{} }

func newCluster(put *history.Operation) *cluster {
	c := &cluster{put: put.Invoke.Event, firstReturn: math.MaxUint64, lastCall: put.Invoke.Event, returned: put, called: put}
	if put.Status == history.OK { // otherwise it may take effect at any time, or never
		c.firstReturn = put.Return.Event
	}
	return c
}

func (c *cluster) add(get *history.Operation) {
	if get.Return.Event < c.firstReturn {
		c.firstReturn, c.returned = get.Return.Event, get
	}
	if get.Invoke.Event > c.lastCall {
		c.lastCall, c.called = get.Invoke.Event, get
	}
}

// forward reports whether the key held the value during the whole zone.
func (c *cluster) forward() bool { return c.firstReturn < c.lastCall }

func (c *cluster) zone() (from, to uint64) {
	return min(c.firstReturn, c.lastCall), max(c.firstReturn, c.lastCall)
}

// inARow reports two clusters that exclude each other: two values that were
// both held at one moment, or one that has no moment beside the other.
func inARow(values map[string]*cluster) error {
	list := slices.SortedFunc(maps.Values(values), func(a, b *cluster) int {
		fromA, _ := a.zone()
		fromB, _ := b.zone()
		return cmp.Compare(fromA, fromB)
	})
	for i, a := range list {
		_, end := a.zone()
		for _, b := range list[i+1:] {
			from, to := b.zone()
			if from < end && a.forward() && (b.forward() || to < end) {
				return fmt.Errorf("%v; but %v", a, b)
			}
		}
	}
	return nil
}

// String says when the key had the value, in words.
func (c *cluster) String() string {
	if c.returned == nil {
		return fmt.Sprintf("the key had no value up to the call of %v", c.called)
	}
	if c.forward() {
		return fmt.Sprintf("the key had a value from the return of %v up to the call of %v", c.returned, c.called)
	}
	return fmt.Sprintf("it had another one at some moment between the call of %v and the return of %v", c.called, c.returned)
}
