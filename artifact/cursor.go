package artifact

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// cursor reads JSON from a line, piece by piece and without allocation where
// that is possible: traces have millions of lines. The first error stays, and
// everything read after it is zero.
type cursor struct {
	b    []byte
	i    int
	path string // field that is being read, for messages
	err  error
}

func (c *cursor) fail(msg string, args ...any) {
	if c.err != nil {
		return
	}
	if c.path != "" {
		msg = "field " + c.path + ": " + msg
	}
	c.err = fmt.Errorf(msg, args...)
}

// peek returns the next byte that is no space, or 0.
func (c *cursor) peek() byte {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r':
			c.i++
		default:
			return c.b[c.i]
		}
	}
	return 0
}

// take reads one byte of punctuation.
func (c *cursor) take(want byte) {
	got := c.peek()
	switch {
	case c.err != nil:
	case got == want:
		c.i++
	case c.i == len(c.b):
		c.fail("the line ends too early; the file was truncated, get it again in whole")
	default:
		c.fail("want %q at byte %d, found %q; correct the JSON", want, c.i+1, got)
	}
}

// object calls f for each key; f reads the value.
func (c *cursor) object(f func(key string)) {
	if c.err == nil && c.peek() != '{' && c.i < len(c.b) {
		c.fail("want an object, found %s", c.found())
	}
	c.take('{')
	if c.peek() == '}' {
		c.i++
		return
	}
	for c.err == nil {
		key := c.text()
		c.take(':')
		if c.err == nil {
			f(key)
		}
		if c.err != nil {
			return
		}
		if c.peek() != ',' {
			c.take('}')
			return
		}
		c.i++
	}
}

// text reads a string.
func (c *cursor) text() string {
	if c.err == nil && c.peek() != '"' && c.i < len(c.b) {
		c.fail("want a string, found %s", c.found())
	}
	c.take('"')
	if c.err != nil {
		return ""
	}
	start, plain := c.i, true
	for ; c.i < len(c.b); c.i++ {
		switch ch := c.b[c.i]; {
		case ch == '"':
			raw := c.b[start:c.i]
			c.i++
			return c.unquote(raw, plain)
		case ch == '\\':
			plain = false
			c.i++
		case ch < ' ' || ch >= 0x80:
			plain = false
		}
	}
	c.i = len(c.b)
	c.fail("the line ends in a string; the file was truncated, get it again in whole")
	return ""
}

func (c *cursor) unquote(raw []byte, plain bool) string {
	if plain {
		return string(raw)
	}
	var s string
	quoted := append(append([]byte{'"'}, raw...), '"')
	if err := json.Unmarshal(quoted, &s); err != nil {
		c.fail("%s is no JSON string; correct the JSON", quoted)
	}
	return s
}

// digits reads the text of an integer.
func (c *cursor) digits() string {
	c.peek()
	start := c.i
	for c.i < len(c.b) && (c.b[c.i] >= '0' && c.b[c.i] <= '9' || c.b[c.i] == '-') {
		c.i++
	}
	s := string(c.b[start:c.i])
	switch {
	case s == "" && start < len(c.b):
		c.fail("want an integer, found %s", c.found())
	case s == "":
		c.fail("the line ends too early; the file was truncated, get it again in whole")
	case c.i < len(c.b) && (c.b[c.i] == '.' || c.b[c.i]|0x20 == 'e'):
		c.fail("want an integer, found a fraction")
	case len(s) > 1 && s[0] == '0', len(s) > 2 && s[:2] == "-0":
		c.fail("%s starts with a zero; correct the JSON", s)
	}
	return s
}

func (c *cursor) unsigned() uint64 {
	s := c.digits()
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		c.fail("%s is not an integer from 0 on that fits", s)
	}
	return v
}

func (c *cursor) signed() int64 {
	s := c.digits()
	v, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		c.fail("%s is not an integer that fits", s)
	}
	return v
}

// natural reads an integer from 0 to limit.
func (c *cursor) natural(limit int64) int64 {
	v := c.unsigned()
	if v > uint64(limit) {
		c.fail("%d is more than %d, the most that is possible", v, limit)
		return 0
	}
	return int64(v)
}

// number reads a signed or, if it only fits that, an unsigned integer.
func (c *cursor) number() (v int64, unsigned bool) {
	if c.peek() == '-' {
		return c.signed(), false
	}
	u := c.unsigned()
	return int64(u), u > math.MaxInt64
}

func (c *cursor) boolean() bool {
	for _, word := range []string{"true", "false"} {
		if rest := c.b[c.i:]; len(rest) >= len(word) && string(rest[:len(word)]) == word {
			c.i += len(word)
			return word == "true"
		}
	}
	c.fail("want true or false, found %s", c.found())
	return false
}

// end checks that nothing is left.
func (c *cursor) end() {
	if c.peek(); c.err == nil && c.i < len(c.b) {
		c.path = ""
		c.fail("there is more text after the end; remove it")
	}
}

// found names what comes next.
func (c *cursor) found() string {
	switch ch := c.peek(); {
	case ch == '"':
		return "a string"
	case ch == '{':
		return "an object"
	case ch == '[':
		return "a list"
	case ch == 't' || ch == 'f':
		return "true or false"
	case ch == 'n':
		return "null"
	case ch == '-' || ch >= '0' && ch <= '9':
		return "a number"
	default:
		return fmt.Sprintf("%q", ch)
	}
}
