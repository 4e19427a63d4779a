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
// tokens grow from one owner to the next.
//
// An owner that acquires what it holds renews it: the lock is its own until the
// latest end of all its holds, and may keep its token. One release ends them all; a
// lock that has to be released as often as it was acquired is not modelled.
type Lock struct {
	// Acquired returns what an operation that is OK acquired or renewed, and false
	// for others. Required.
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
	released *history.Operation // what ended it for certain, if it was given back
}

// Check returns nil if the locks kept their promise.
func (c Lock) Check(ops iter.Seq[*history.Operation]) error {
	if err := missing(need{"Lock.Acquired", c.Acquired != nil}); err != nil {
		return err
	}
	var p problems
	holds := map[string][]*held{}
	open := map[lockOf][]*held{}                // not given back for certain
	releases := map[lockOf]*history.Operation{} // that are OK, the last one to return
	var keys []string
	for op := range ops {
		if c.Released != nil && possible(op) {
			if key, owner, ok := c.Released(op); ok {
				of := lockOf{key, owner}
				release(open[of], op)
				if op.Status == history.OK {
					delete(open, of)
					if last := releases[of]; last == nil || before(last.Return, op.Return) {
						releases[of] = op
					}
				}
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
			of := lockOf{h.Key, h.Owner}
			if r := releases[of]; r != nil && !follows(op, r) {
				x.to = x.from // which of the two came first is not known
			}
			if holds[h.Key] == nil {
				keys = append(keys, h.Key)
			}
			holds[h.Key], open[of] = append(holds[h.Key], x), append(open[of], x)
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

// lockOf is a lock of an owner.
type lockOf struct{ key, owner string }

// release ends the holds of an owner when its release is called: from then on
// another one may have the lock. It may also come after one that is being acquired.
func release(holds []*held, op *history.Operation) {
	for _, h := range holds {
		if earlier(op.Invoke, h.to) {
			h.to = op.Invoke
		}
		if op.Status == history.OK {
			h.released = op
		}
	}
}

// follows reports whether an operation was called after the release that came up
// before it was over. A process does one thing at a time, perhaps in one event.
func follows(op, release *history.Operation) bool {
	return before(release.Return, op.Invoke) || release.Return == op.Invoke && release.Process == op.Process
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

// renews reports whether a hold may have the token of another one: it is of the
// same owner, which had not given the lock back.
func renews(h, other *held) bool {
	return h.Owner == other.Owner && (other.released == nil || !follows(h.op, other.released))
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
		if other := seen[h.Token]; other != nil && !renews(h, other) {
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
