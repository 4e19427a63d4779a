package simnet

import (
	"encoding/binary"
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

func (d *digest) start() { d.sum, d.left, d.path = 0, maxValues, d.path[:0] }

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
func (d *digest) add(v uint64) { d.sum = mix(d.sum, v) }

// addText mixes a text in.
func (d *digest) addText(s string) { d.sum = mixText(d.sum, s) }

// mix returns sum with a number mixed in.
func mix(sum, v uint64) uint64 { return fold(sum^v^keyB, keyA) }

// spend counts a value and reports whether the walk may go on.
func (d *digest) spend() bool {
	d.left--
	return d.left >= 0
}

// enter notes a reference, and reports false when it closes a cycle.
func (d *digest) enter(p place, t reflect.Type) bool {
	s := spot{uintptr(p), t}
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

// mixBytes mixes in a length and that many bytes, sixteen at a time. They are
// read as numbers with the lowest byte first on every machine.
func mixBytes(sum uint64, b []byte) uint64 {
	sum = mix(sum, uint64(len(b)))
	for ; len(b) >= 16; b = b[16:] {
		sum = fold(sum^binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])^keyB)
	}
	if len(b) > 0 {
		var tail [16]byte
		copy(tail[:], b)
		sum = fold(sum^binary.LittleEndian.Uint64(tail[:]), binary.LittleEndian.Uint64(tail[8:])^keyB)
	}
	return sum
}

// mixText is mixBytes for the bytes of a text.
func mixText(sum uint64, s string) uint64 {
	return mixBytes(sum, bytesOf(s))
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
