package artifact

import (
	"math"
	"strconv"

	"github.com/hmdsefi/faultline/kernel"
)

// Fields of a record, as bits.
const (
	hasIndex = 1 << iota
	hasTime
	hasEvent
	hasCause
	hasNode
	hasBoot
	hasKind
	hasAttrs
	hasGoroutine
	hasSched

	hasRequired = hasIndex | hasTime | hasEvent | hasCause | hasKind
)

// parseRecord reads a line of trace.jsonl into r, whose Attrs are reused.
// Unsigned attributes that fit become signed ones: JSON does not tell them
// apart.
func parseRecord(line []byte, r *kernel.Record) error {
	c := cursor{b: line}
	*r = kernel.Record{Attrs: r.Attrs[:0]}
	seen := 0
	c.object(func(key string) {
		c.path = key
		bit := field(key)
		switch {
		case bit == 0:
			c.fail("it is not part of the format; correct or remove it")
		case seen&bit != 0:
			c.fail("it is there twice; keep one")
		}
		seen |= bit
		if c.err == nil {
			c.field(bit, r)
		}
	})
	c.end()
	c.path = ""
	switch {
	case c.err != nil:
	case seen&hasRequired != hasRequired:
		c.path = firstMissing(seen)
		c.fail("it is missing; add it")
	case seen&hasNode != 0 && seen&hasBoot == 0:
		c.path = "boot"
		c.fail("it is missing, but there is a node; add it")
	}
	return c.err
}

func field(key string) int {
	switch key {
	case "index":
		return hasIndex
	case "time":
		return hasTime
	case "event":
		return hasEvent
	case "cause":
		return hasCause
	case "node":
		return hasNode
	case "boot":
		return hasBoot
	case "kind":
		return hasKind
	case "attrs":
		return hasAttrs
	case "goroutine":
		return hasGoroutine
	case "sched":
		return hasSched
	}
	return 0
}

func firstMissing(seen int) string {
	for i, name := range []string{"index", "time", "event", "cause", "", "", "kind"} {
		if name != "" && seen&(1<<i) == 0 {
			return name
		}
	}
	return ""
}

func (c *cursor) field(bit int, r *kernel.Record) {
	switch bit {
	case hasIndex:
		r.Index = c.unsigned()
	case hasTime:
		r.Time = kernel.Time(c.natural(int64(kernel.MaxTime)))
	case hasEvent:
		r.Event = c.unsigned()
	case hasCause:
		r.Cause = c.unsigned()
	case hasNode:
		r.Node = c.text()
	case hasBoot:
		r.Boot = int(c.natural(math.MaxInt32))
	case hasKind:
		r.Kind = c.text()
	case hasGoroutine:
		c.unsigned()
	case hasSched:
		c.hash()
	case hasAttrs:
		c.object(func(key string) {
			c.path = "attrs." + key
			r.Attrs = append(r.Attrs, c.attr(key))
		})
	}
}

func (c *cursor) attr(key string) kernel.Attr {
	a := kernel.Attr{Key: key}
	switch ch := c.peek(); {
	case ch == '"':
		a.Type, a.Text = kernel.AttrString, c.text()
	case ch == 't' || ch == 'f':
		a.Type = kernel.AttrBool
		if c.boolean() {
			a.Num = 1
		}
	case ch == '{':
		c.special(&a)
	case ch == '-' || ch >= '0' && ch <= '9':
		v, unsigned := c.number()
		if a.Num = v; unsigned {
			a.Type = kernel.AttrUint
		}
	default:
		c.fail("want text, an integer, true or false, or an object with ns or hash; found %s", c.found())
	}
	return a
}

// special reads the values that JSON has no form of its own for.
func (c *cursor) special(a *kernel.Attr) {
	n := 0
	c.object(func(form string) {
		n++
		switch form {
		case "ns":
			a.Type, a.Num = kernel.AttrDur, c.signed()
		case "hash":
			a.Type, a.Num = kernel.AttrHash, int64(c.hash())
		default:
			c.fail("%q is no form of a value; use ns or hash", form)
		}
	})
	if n != 1 {
		c.fail("want an object with either ns or hash")
	}
}

func (c *cursor) hash() uint64 {
	s := c.text()
	v, err := strconv.ParseUint(s, 16, 64)
	if c.err == nil && (err != nil || len(s) != 16) {
		c.fail("%q is not 16 hexadecimal digits", s)
	}
	return v
}
