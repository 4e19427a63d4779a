package linear

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/history"
)

// Register is a model of registers, one under each key, that can be read,
// written, and compared and swapped; it is also the model of a map. A key has no
// value (nil) at first. call translates an operation.
func Register(call func(op *history.Operation) Call) Model {
	m := ready("register", call, kinds{"Read, Write and CompareAndSwap", []kind{read, write, swap}}, func() any { return nil }, func(state any, c *Call) (any, bool) {
		switch c.kind {
		case read:
			return state, c.open || c.result == state
		case write:
			return c.value, true
		case swap:
			if state == c.old {
				return c.value, c.free() || c.result == true
			}
			return state, c.free() || c.result == false
		}
		return state, false
	})
	m.values = true
	return m
}

// Map is [Register] under the name of a map.
func Map(call func(op *history.Operation) Call) Model {
	m := Register(call)
	m.Name = "map"
	return m
}

// Counter is a model of counters, one under each key, that are 0 at first.
func Counter(call func(op *history.Operation) Call) Model {
	return ready("counter", call, kinds{"Add, AddAndGet and Count", []kind{read, add}}, func() any { return int64(0) }, func(state any, c *Call) (any, bool) {
		switch c.kind {
		case read:
			return state, c.free() || c.result == state
		case add:
			sum := state.(int64) + c.value.(int64)
			return sum, c.free() || c.result == nil || c.result == sum
		}
		return state, false
	})
}

// Queue is a model of first-in-first-out queues, one under each key.
func Queue(call func(op *history.Operation) Call) Model {
	var ids interner
	m := ready("queue", call, kinds{"Enqueue and Dequeue", []kind{enqueue, dequeue}}, func() any { return "" }, func(state any, c *Call) (any, bool) {
		s := state.(string)
		switch c.kind {
		case enqueue:
			return s + ids.code(c.value), true
		case dequeue:
			if s == "" {
				return s, c.open || c.result == nil
			}
			return s[codeLen:], c.open || c.result == ids.value(s)
		}
		return state, false
	})
	m.State = func(state any) string { return ids.text(state.(string)) }
	return m
}

// Set is a model of sets, one under each key. Unless [Members] is used on it,
// each element is judged alone.
func Set(call func(op *history.Operation) Call) Model {
	var ids interner
	m := ready("set", call, kinds{"Insert, Remove, Contains and Members", []kind{insert, remove, contains, members}}, func() any { return "" }, func(state any, c *Call) (any, bool) {
		s := state.(string)
		if c.kind == members {
			return s, c.open || ids.set(c.list) == s
		}
		code := ids.code(c.value)
		i, in := search(s, code)
		switch c.kind {
		case insert:
			if !in {
				s = s[:i] + code + s[i:]
			}
			return s, c.free() || c.result == !in
		case remove:
			if in {
				s = s[:i] + s[i+codeLen:]
			}
			return s, c.free() || c.result == in
		case contains:
			return s, c.free() || c.result == in
		}
		return state, false
	})
	m.State = func(state any) string { return ids.text(state.(string)) }
	m.split = true
	return m
}

// Lock is a model of locks, one under each key, that nobody holds at first. It
// is not reentrant: an owner that holds it does not get it again.
func Lock(call func(op *history.Operation) Call) Model {
	return ready("lock", call, kinds{"Acquire and Release", []kind{acquire, release}}, func() any { return nil }, func(state any, c *Call) (any, bool) {
		switch c.kind {
		case acquire:
			if state == nil {
				return c.value, c.free() || c.result == true
			}
			return state, c.free() || c.result == false
		case release:
			if state == c.value {
				return nil, true
			}
			return state, c.open
		}
		return state, false
	})
}

// Log is a model of append-only logs, one under each key.
func Log(call func(op *history.Operation) Call) Model {
	l := &chains{next: map[link]*chain{}}
	m := ready("log", call, kinds{"Append and List", []kind{appendTo, readList}}, func() any { return (*chain)(nil) }, func(state any, c *Call) (any, bool) {
		s := state.(*chain)
		switch c.kind {
		case appendTo:
			return l.append(s, c.value), c.free() || samePlace(c.result, s.len())
		case readList:
			return s, c.open || s.equals(c.list)
		}
		return state, false
	})
	m.State = func(state any) string { return state.(*chain).String() }
	return m
}

// ready makes a Model of a function on calls.
func ready(name string, call func(op *history.Operation) Call, has kinds, init func() any, step func(state any, c *Call) (any, bool)) Model {
	return Model{
		Name:  name,
		takes: func(call any) error { return has.takes(name, call.(*Call)) },
		Call:  translate(call),
		Init:  init,
		Step:  func(state, call any) (any, bool) { return step(state, call.(*Call)) },
		ReadOnly: func(call any) bool {
			c := call.(*Call)
			switch c.kind {
			case read, contains, members, readList:
				return true
			case swap, acquire, insert, remove: // it did nothing, and said so
				return !c.free() && c.result == false
			case dequeue:
				return !c.free() && c.result == nil
			}
			return false
		},
		Blind: func(call any) bool { return call.(*Call).kind == write },
	}
}

// translate makes Model.Call of a function that makes calls; nil of nil.
func translate(call func(op *history.Operation) Call) func(op *history.Operation) (string, any) {
	if call == nil {
		return nil
	}
	return func(op *history.Operation) (string, any) {
		c := call(op)
		if c.kind == none {
			return "", nil
		}
		c.open = op.Status != history.OK
		return c.key, &c
	}
}

// kinds are the kinds of calls that a model has.
type kinds struct {
	names string
	list  []kind
}

func (k kinds) takes(model string, c *Call) error {
	if slices.Contains(k.list, c.kind) {
		return c.check()
	}
	return fmt.Errorf("linear: the model %q was given a call of another kind for key %q; it has %s", model, c.key, k.names)
}

func samePlace(result any, place int) bool {
	switch r := result.(type) {
	case int:
		return r == place
	case int64:
		return r == int64(place)
	case uint64:
		return r == uint64(place)
	}
	return false
}

// codeLen is the length of the code of a value.
const codeLen = 4

// interner gives each value a code of a fixed length, so that a list of values
// is a string, which is comparable.
type interner struct {
	codes  map[any]string
	values []any
}

func (n *interner) code(v any) string {
	if c, ok := n.codes[v]; ok {
		return c
	}
	if n.codes == nil {
		n.codes = map[any]string{}
	}
	i := len(n.values)
	c := string([]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)})
	n.codes[v], n.values = c, append(n.values, v)
	return c
}

// value returns the first value of a list.
func (n *interner) value(s string) any {
	return n.values[int(s[0])<<24|int(s[1])<<16|int(s[2])<<8|int(s[3])]
}

// set returns the code of a set.
func (n *interner) set(list []any) string {
	codes := make([]string, len(list))
	for i, v := range list {
		codes[i] = n.code(v)
	}
	slices.Sort(codes)
	return strings.Join(codes, "")
}

func (n *interner) text(s string) string {
	var out []string
	for ; s != ""; s = s[codeLen:] {
		out = append(out, history.Text(n.value(s)))
	}
	return "[" + strings.Join(out, " ") + "]"
}

// search finds a code in the sorted code of a set, or where it belongs.
func search(s, code string) (int, bool) {
	lo, hi := 0, len(s)/codeLen
	for lo < hi {
		mid := (lo + hi) / 2
		if s[mid*codeLen:(mid+1)*codeLen] < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	i := lo * codeLen
	return i, i < len(s) && s[i:i+codeLen] == code
}

// chain is a list that shares its beginning with others. Equal lists of one
// model are the same chain.
type chain struct {
	before *chain
	value  any
	n      int
}

type link struct {
	before *chain
	value  any
}

type chains struct{ next map[link]*chain }

func (l *chains) append(c *chain, v any) *chain {
	k := link{c, v}
	if l.next[k] == nil {
		l.next[k] = &chain{c, v, c.len() + 1}
	}
	return l.next[k]
}

func (c *chain) len() int {
	if c == nil {
		return 0
	}
	return c.n
}

func (c *chain) equals(list []any) bool {
	if c.len() != len(list) {
		return false
	}
	for ; c != nil; c = c.before {
		if c.value != list[c.n-1] {
			return false
		}
	}
	return true
}

func (c *chain) String() string {
	out := make([]string, c.len())
	for ; c != nil; c = c.before {
		out[c.n-1] = history.Text(c.value)
	}
	return "[" + strings.Join(out, " ") + "]"
}
