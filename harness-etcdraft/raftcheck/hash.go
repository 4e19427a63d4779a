package raftcheck

import (
	"encoding/binary"
	"math/bits"

	"go.etcd.io/raft/v3/raftpb"
)

// hash is a 64-bit digest. It is the same on every platform.
type hash uint64

const (
	mixKey  = 0x9E3779B97F4A7C15 // the golden ratio's digits
	mixSalt = 0x6A09E667F3BCC909 // those of the root of 2
)

func (h hash) add(v uint64) hash {
	hi, lo := bits.Mul64(uint64(h)^mixSalt, v^mixKey)
	return hash(hi ^ lo ^ bits.RotateLeft64(v, 29))
}

func (h hash) bytes(b []byte) hash {
	h = h.add(uint64(len(b)))
	for len(b) >= 8 {
		h = h.add(binary.LittleEndian.Uint64(b))
		b = b[8:]
	}
	if len(b) > 0 {
		var rest [8]byte
		copy(rest[:], b)
		h = h.add(binary.LittleEndian.Uint64(rest[:]))
	}
	return h
}

// ident identifies a log up to an entry: the term of the entry, and the digest
// of the entry and of all before it.
type ident struct {
	term uint64
	hash hash
}

// next chains an entry to the log before it.
func (d ident) next(e *raftpb.Entry) ident {
	h := d.hash.add(e.GetIndex()).add(e.GetTerm()).add(uint64(e.GetType())).bytes(e.GetData())
	return ident{e.GetTerm(), h}
}

// beginning is the identity of a log that begins behind an index without
// anything known of the entries before.
func beginning(index, term uint64) ident {
	if index == 0 {
		return ident{}
	}
	return ident{term, hash(0).add(index).add(term)}
}
