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
	if v >= 1<<56 {
		return binary.PutUvarint(b, v)
	}
	n := (bits.Len64(v|1) + 6) / 7
	// Move the groups of seven bits apart, each into a byte of its own.
	v = v&0x000000000fffffff | v&0x00fffffff0000000<<4
	v = v&0x00003fff00003fff | v&0x0fffc0000fffc000<<2
	v = v&0x007f007f007f007f | v&0x3f803f803f803f80<<1
	more := uint64(1)<<(8*(n-1)) - 1 // the bytes before the last one
	binary.LittleEndian.PutUint64(b, v|0x8080808080808080&more)
	return n
}

// zigzag makes small numbers of either sign small.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
