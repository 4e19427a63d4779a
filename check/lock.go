package check

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/history"
)

// Lock checks locks and leases: no two owners hold one at a moment, and fencing
// tokens grow.
type Lock struct {
	// Acquired returns what an operation that is OK acquired, and false for
	// others. Required.
	Acquired func(op *history.Operation) (Hold, bool)
	// Released returns which lock of which owner an operation gives back, and
	// false for others. Required, unless all are leases.
	Released func(op *history.Operation) (key, owner string, ok bool)
	// Used returns the token with which an operation that is OK used what the
	// lock protects, and false for others. If not nil, a use with a smaller token
	// must not succeed after one with a larger one has.
	Used func(op *history.Operation) (key string, token int64, ok bool)
	// Skew is by how much the clocks of a lease's server and of its owner may
	// differ while it lasts.
	Skew time.Duration
}

// Hold is a lock that was acquired.
type Hold struct {
	Key   string        // which lock
	Owner string        // who holds it
	Token int64         // its fencing token, 0 for none
	Lease time.Duration // for how long, counted from the call; 0 until it is released
}

// held is a hold and the time for which it certainly lasted.
type held struct {
	Hold
	op       *history.Operation
	from, to history.Point
}

// Check returns nil if the locks kept their promise.
func (c Lock) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Lock.Acquired", c.Acquired != nil}); err != nil {
		return err
	}
	var p problems
	holds := map[string][]*held{}
	var keys []string
	for op := range ops {
		if c.Released != nil && possible(op) {
			if key, owner, ok := c.Released(op); ok {
				release(holds[key], owner, op)
			}
		}
		if op.Status != history.OK {
			continue
		}
		if h, ok := c.Acquired(op); ok {
			x := &held{Hold: h, op: op, from: op.Return, to: history.Point{Time: math.MaxInt64, Event: math.MaxUint64}}
			if h.Lease > 0 {
				x.to.Time = op.Invoke.Time + h.Lease - c.Skew
			}
			if holds[h.Key] == nil {
				keys = append(keys, h.Key)
			}
			holds[h.Key] = append(holds[h.Key], x)
		}
	}
	for _, k := range keys {
		exclusive(&p, k, holds[k])
		tokens(&p, k, holds[k])
	}
	if c.Used != nil {
		c.uses(&p, ops)
	}
	return p.err()
}

// release ends the last hold of an owner when its release is called: from then
// on another one may have the lock.
func release(holds []*held, owner string, op *history.Operation) {
	for i := len(holds) - 1; i >= 0; i-- {
		if h := holds[i]; h.Owner == owner {
			if !before(op.Invoke, h.from) && earlier(op.Invoke, h.to) {
				h.to = op.Invoke
			}
			return
		}
	}
}

// earlier compares ends of holds: the end of a lease is known by its time only.
func earlier(a, b history.Point) bool {
	return a.Time < b.Time || a.Time == b.Time && a.Event < b.Event
}

// exclusive reports two holds that overlap for certain.
func exclusive(p *problems, key string, holds []*held) {
	list := slices.Clone(holds)
	slices.SortStableFunc(list, func(a, b *held) int {
		return cmp.Or(cmp.Compare(a.from.Time, b.from.Time), cmp.Compare(a.from.Event, b.from.Event))
	})
	var longest *held
	for _, h := range list {
		if !earlier(h.from, h.to) {
			continue // over before its owner knew
		}
		if longest != nil && earlier(h.from, longest.to) && h.Owner != longest.Owner {
			p.add("%s was held twice: %v, while %s had it: %v", key, h.op, longest.Owner, longest.op)
		}
		if longest == nil || earlier(longest.to, h.to) {
			longest = h
		}
	}
}

// tokens reports tokens that do not grow.
func tokens(p *problems, key string, holds []*held) {
	byCall := slices.Clone(holds)
	slices.SortStableFunc(byCall, func(a, b *held) int { return cmp.Compare(a.op.Invoke.Event, b.op.Invoke.Event) })
	byReturn := slices.Clone(holds)
	slices.SortStableFunc(byReturn, func(a, b *held) int { return cmp.Compare(a.op.Return.Event, b.op.Return.Event) })
	seen := map[int64]*held{}
	var top *held // largest token that was given out before
	next := 0
	for _, h := range byCall {
		if h.Token == 0 {
			continue
		}
		for ; next < len(byReturn) && before(byReturn[next].op.Return, h.op.Invoke); next++ {
			if x := byReturn[next]; x.Token != 0 && (top == nil || x.Token > top.Token) {
				top = x
			}
		}
		if other := seen[h.Token]; other != nil {
			p.add("token %d of %s was given out twice: by %v and by %v", h.Token, key, other.op, h.op)
		} else if top != nil && h.Token < top.Token {
			p.add("token %d of %s is smaller than %d, which was given out before: %v, after %v", h.Token, key, top.Token, h.op, top.op)
		}
		seen[h.Token] = h
	}
}

// use is a use of what a lock protects.
type use struct {
	op    *history.Operation
	token int64
}

// uses reports uses with a token that had been fenced off.
func (c Lock) uses(p *problems, ops iter.Seq[*history.Operation]) {
	done := map[string][]use{} // by return
	var calls []use
	var keys []string
	for op := range ops {
		if op.Status != history.OK {
			continue
		}
		if key, token, ok := c.Used(op); ok {
			calls, keys = append(calls, use{op, token}), append(keys, key)
			done[key] = append(done[key], use{op, token})
		}
	}
	next := map[string]int{}
	top := map[string]use{}
	for _, list := range done {
		slices.SortStableFunc(list, func(a, b use) int { return cmp.Compare(a.op.Return.Event, b.op.Return.Event) })
	}
	for i, u := range calls { // in the order of invocation
		k := keys[i]
		for ; next[k] < len(done[k]) && before(done[k][next[k]].op.Return, u.op.Invoke); next[k]++ {
			if x := done[k][next[k]]; top[k].op == nil || x.token > top[k].token {
				top[k] = x
			}
		}
		if t := top[k]; t.op != nil && u.token < t.token {
			p.add("%s was used with token %d after token %d had been used: %v, after %v", k, u.token, t.token, u.op, t.op)
		}
	}
}
