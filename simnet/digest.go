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

// add mixes a number in: the two halves of a 128-bit product, folded.
func (d *digest) add(v uint64) {
	hi, lo := bits.Mul64(d.sum^v^0x8BB84B93962EACC9, 0x9E3779B97F4A7C15)
	d.sum = (hi ^ lo) + 0x2D358DCCAA6C78A5
}

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
	sum := d.sum ^ uint64(len(b))
	for len(b) > 16 {
		hi, lo := bits.Mul64(sum^word(b, 0), word(b, 8)^0x8BB84B93962EACC9)
		sum = (hi ^ lo) + 0x2D358DCCAA6C78A5
		b = b[16:]
	}
	var tail [16]byte
	copy(tail[:], b)
	hi, lo := bits.Mul64(sum^word(tail[:], 0), word(tail[:], 8)^0x8BB84B93962EACC9)
	d.sum = (hi ^ lo) + 0x2D358DCCAA6C78A5
	d.add(uint64(len(b)))
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
