package linear

import (
	"fmt"

	"github.com/hmdsefi/faultline/check/internal/value"
)

// Call is an operation in the words of a ready model. Make it with one of the
// functions below; the zero value leaves the operation out.
//
// Values are compared with ==, and those that it cannot be used on part by part:
// the elements of slices and maps, the fields of structs, unexported ones too.
// Values of two types are never equal, nor nil and an empty slice, and pointers
// are equal if they point to the same variable: give what they point to. A
// value with a function in it cannot be compared; it ends the check with an error.
//
// The result in a call (what was read, whether a swap happened) counts only if the
// operation is OK, so that it may be given always.
type Call struct {
	kind   kind
	key    string
	value  any   // written, added, inserted, …
	old    any   // expected by a swap
	result any   // seen
	list   []any // seen, of lists and sets
	open   bool  // the outcome is unknown, and any result is right
}

type kind uint8

const (
	none kind = iota
	read
	write
	swap
	add
	insert
	remove
	contains
	members
	enqueue
	dequeue
	acquire
	release
	appendTo
	readList
)

// Read saw a value under a key; nil for none.
func Read(key string, seen any) Call { return Call{kind: read, key: key, result: comparable(seen)} }

// Write set the value of a key; nil deletes it.
func Write(key string, value any) Call { return Call{kind: write, key: key, value: comparable(value)} }

// CompareAndSwap replaced the value of a key by another one if it was old, and
// said whether it did.
func CompareAndSwap(key string, old, new any, swapped bool) Call {
	return Call{kind: swap, key: key, value: comparable(new), old: comparable(old), result: swapped}
}

// Add added to a counter.
func Add(key string, delta int64) Call { return Call{kind: add, key: key, value: delta} }

// AddAndGet added to a counter and saw the sum.
func AddAndGet(key string, delta, sum int64) Call {
	return Call{kind: add, key: key, value: delta, result: sum}
}

// Count saw the value of a counter.
func Count(key string, seen int64) Call { return Call{kind: read, key: key, result: seen} }

// Insert put an element into a set, and said whether it is new there. Give
// [Whatever] as isNew if the client does not learn it.
func Insert(key string, element, isNew any) Call {
	return Call{kind: insert, key: key, value: comparable(element), result: isNew}
}

// Remove took an element out of a set, and said whether it was there. Give
// [Whatever] as was if the client does not learn it.
func Remove(key string, element, was any) Call {
	return Call{kind: remove, key: key, value: comparable(element), result: was}
}

// Contains saw whether an element is in a set.
func Contains(key string, element any, is bool) Call {
	return Call{kind: contains, key: key, value: comparable(element), result: is}
}

// Members saw all elements of a set, in any order. A set that is read like that
// cannot be judged element by element, which takes longer.
func Members[E any](key string, seen []E) Call {
	return Call{kind: members, key: key, list: comparables(seen)}
}

// Enqueue put a value at the end of a queue.
func Enqueue(key string, value any) Call {
	return Call{kind: enqueue, key: key, value: comparable(value)}
}

// Dequeue took the first value of a queue; nil means that it was empty.
func Dequeue(key string, seen any) Call {
	return Call{kind: dequeue, key: key, result: comparable(seen)}
}

// Acquire took a lock for an owner, and said whether it got it.
func Acquire(key string, owner any, got bool) Call {
	return Call{kind: acquire, key: key, value: comparable(owner), result: got}
}

// Release gave a lock back that the owner held.
func Release(key string, owner any) Call {
	return Call{kind: release, key: key, value: comparable(owner)}
}

// Append put a value at the end of a log, and saw at which place, from 0. Give
// [Whatever] as place if the client does not learn it.
func Append(key string, value, place any) Call {
	return Call{kind: appendTo, key: key, value: comparable(value), result: place}
}

// List saw all of a log.
func List[E any](key string, seen []E) Call {
	return Call{kind: readList, key: key, list: comparables(seen)}
}

// Whatever stands for a result that the client did not learn.
const Whatever whatever = 0

type whatever int

// free reports that the result of a call does not matter.
func (c *Call) free() bool { return c.open || c.result == Whatever }

// comparable makes a value that == can be used on.
func comparable(v any) any {
	k, err := value.Key(v)
	if err != nil {
		return incomparable{err}
	}
	return k
}

// incomparable stands for a value that cannot be compared.
type incomparable struct{ err error }

func comparables[E any](list []E) []any {
	out := make([]any, len(list))
	for i, e := range list {
		out[i] = comparable(e)
	}
	return out
}

// check returns an error if the call holds a value that cannot be compared.
func (c *Call) check() error {
	for _, v := range [...]any{c.value, c.old, c.result} {
		if bad, is := v.(incomparable); is {
			return fmt.Errorf("linear: key %q: %w", c.key, bad.err)
		}
	}
	for _, v := range c.list {
		if bad, is := v.(incomparable); is {
			return fmt.Errorf("linear: key %q: %w", c.key, bad.err)
		}
	}
	return nil
}
