package kernel

import (
	"encoding/binary"
	"math/bits"
)

// varintRoom is what putVarint may write to: a varint that needs more than
// eight bytes has at most ten.
const varintRoom = binary.MaxVarintLen64

// putVarint writes v at the start of b, which has room for varintRoom bytes,
// and returns how many belong to it. The bytes are those of
// [binary.PutUvarint]. Up to eight of them are worked out side by side and
// stored at once: the lengths of numbers in a trace follow no pattern, and a
// loop over their groups is mispredicted time and again.
func putVarint(b []byte, v uint64) int {
	if v >= 1<<28 {
		return binary.PutUvarint(b, v)
	}
	n := (bits.Len32(uint32(v)|1)*9 + 64) >> 6 // (bits+6)/7 without a division
	x := uint32(v)
	x = x&0x00003fff | x&0x0fffc000<<2
	x = x&0x007f007f | x&0x3f803f80<<1
	more := uint32(1)<<(uint(8*n-8)&31) - 1 // the bytes before the last one
	binary.LittleEndian.PutUint32(b, x|0x80808080&more)
	return n
}

// zigzag makes small numbers of either sign small.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
