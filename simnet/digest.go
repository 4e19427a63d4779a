package simnet

import (
	"fmt"
	"math/bits"
	"reflect"

	"github.com/hmdsefi/faultline/kernel"
)

// maxValues bounds the composite values (structs, pointers, elements, entries)
// of one message that are digested.
const maxValues = 1_000_000

// digest is one walk over a message. The sum depends on values only, never on
// addresses or on the order of maps.
type digest struct {
	c    *compiler
	sum  uint64
	left int // values that may still be visited
	path []spot
}

// spot is a reference on the way from the message to where the walk is. One
// that is met again closes a cycle.
type spot struct {
	addr uintptr
	typ  reflect.Type
}

func (d *digest) start(c *compiler) {
	d.c, d.sum, d.left, d.path = c, 0, maxValues, d.path[:0]
}

// Odd numbers without a pattern: the first binary digits of the golden ratio and
// of the square roots of 2 and 3.
const (
	keyA = 0x9E3779B97F4A7C15
	keyB = 0x6A09E667F3BCC909
	keyC = 0xBB67AE8584CAA73B
)

// fold mixes two numbers: the halves of their 128-bit product, put together.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return (hi ^ lo) + keyC
}

// add mixes a number in.
func (d *digest) add(v uint64) { d.sum = fold(d.sum^v^keyB, keyA) }

// spend counts a value and reports whether the walk may go on.
func (d *digest) spend() bool {
	d.left--
	return d.left >= 0
}

// enter notes a reference, and reports false when it closes a cycle.
func (d *digest) enter(v reflect.Value) bool {
	s := spot{v.Pointer(), v.Type()}
	for i := len(d.path) - 1; i >= 0; i-- {
		if d.path[i] == s {
			d.add(uint64(len(d.path) - i))
			return false
		}
	}
	d.path = append(d.path, s)
	return true
}

func (d *digest) leave() { d.path = d.path[:len(d.path)-1] }

// addBytes mixes in a length and that many bytes, sixteen at a time.
func addBytes[T string | []byte](d *digest, b T) {
	d.add(uint64(len(b)))
	sum := d.sum
	for len(b) >= 16 {
		sum = fold(sum^word(b, 0), word(b, 8)^keyB)
		b = b[16:]
	}
	if len(b) > 0 {
		var tail [16]byte
		copy(tail[:], b)
		sum = fold(sum^word(tail[:], 0), word(tail[:], 8)^keyB)
	}
	d.sum = sum
}

// word returns eight bytes as a number, the lowest first on every machine.
func word[T string | []byte](b T, at int) uint64 {
	b = b[at : at+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// tooLarge fails the run because of a message that has too many values.
func (p *payloads) tooLarge(info *payload) {
	p.sim.Fail(kernel.Failure{
		Kind:  kernel.KindMisuse,
		Check: "messages can be digested",
		Message: fmt.Sprintf("a message of type %s has more than %d values to digest; give it a method Digest() uint64, or switch digests off by Config.NoDigest",
			info.text, maxValues),
	})
}
