package kernel

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestVarint: the bytes are those of the standard library, at every length and
// at both sides of each boundary.
func TestVarint(t *testing.T) {
	check := func(v uint64) {
		t.Helper()
		var got [16]byte
		n := putVarint(got[:], v)
		if want := binary.AppendUvarint(nil, v); !bytes.Equal(got[:n], want) {
			t.Errorf("%#x is written as %x, want %x", v, got[:n], want)
		}
	}
	for bit := range 64 {
		v := uint64(1) << bit
		for _, d := range []uint64{0, 1, 2, v - 1, v / 3} {
			check(v + d)
			check(v - d)
		}
	}
	s := NewStream(1, "varint")
	for i := range uint64(10_000) {
		check(s.At(i) >> (i % 64))
	}
}

func BenchmarkVarint(b *testing.B) {
	var values [1024]uint64
	s := NewStream(1, "varint")
	for i := range values {
		values[i] = s.Below(uint64(i), 1<<s.Below(uint64(i)+1<<20, 30))
	}
	buf := make([]byte, 16)
	b.Run("ours", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			putVarint(buf, values[i%len(values)])
		}
	})
	b.Run("standard", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			binary.PutUvarint(buf, values[i%len(values)])
		}
	})
}
