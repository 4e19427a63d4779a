package wal

import (
	"encoding/binary"
	"hash/crc32"

	"go.etcd.io/raft/v3/raftpb"
)

// kind is the type of a record.
type kind uint8

const (
	kindHead     kind = 1 + iota // first in a segment: its number
	kindVote                     // term and vote
	kindCommit                   // commit index
	kindEntry                    // an entry; it replaces all from its index on
	kindSnapshot                 // index and term of a durable snapshot of our own
	kindReset                    // the same of an installed one: the log starts over behind it
)

const (
	grain    = 16 // records are multiples of it, and no sector is smaller
	headSize = grain
	maxReach = 1<<24 - 1 // of the distance in a head
	padding  = 0xFF
)

// begin makes room for the head of a record at the end of b.
func begin(b []byte) (out []byte, start int) {
	return append(b, make([]byte, headSize)...), len(b)
}

// finish pads the record that starts at start and fills in its head. reach is
// how many bytes before it the segment is durable.
func finish(b []byte, start int, k kind, reach int64) []byte {
	size := len(b) - start - headSize
	for pad := grain - size%grain; pad > 0; pad-- {
		b = append(b, padding)
	}
	h := b[start : start+headSize]
	binary.LittleEndian.PutUint32(h, uint32(size))
	binary.LittleEndian.PutUint32(h[4:], uint32(k)|uint32(min(reach/grain, maxReach))<<8)
	binary.LittleEndian.PutUint32(h[8:], crc32.ChecksumIEEE(b[start+headSize:]))
	binary.LittleEndian.PutUint32(h[12:], crc32.ChecksumIEEE(h[:12]))
	return b
}

// padded returns the length of a body of that size with its padding.
func padded(size int64) int64 { return size + grain - size%grain }

// appendNumbers appends a record that consists of numbers.
func appendNumbers(b []byte, k kind, reach int64, numbers ...uint64) []byte {
	b, start := begin(b)
	for _, v := range numbers {
		b = binary.AppendUvarint(b, v)
	}
	return finish(b, start, k, reach)
}

// appendEntry appends the record of an entry: term, index, type, and its data
// as it is.
func appendEntry(b []byte, reach int64, e *raftpb.Entry) []byte {
	b, start := begin(b)
	b = binary.AppendUvarint(b, e.GetTerm())
	b = binary.AppendUvarint(b, e.GetIndex())
	b = binary.AppendUvarint(b, uint64(e.GetType()))
	b = append(b, e.GetData()...)
	return finish(b, start, kindEntry, reach)
}

// fields reads numbers off the front of a body.
type fields struct {
	rest []byte
	bad  bool
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.rest)
	if n <= 0 {
		f.bad, f.rest = true, nil
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

// logged is an entry as it is in a record.
type logged struct {
	term, index, typ uint64
	data             []byte // part of the segment
}

// readEntry decodes the body of an entry.
func readEntry(body []byte) (e logged, ok bool) {
	f := fields{rest: body}
	e = logged{term: f.number(), index: f.number(), typ: f.number()}
	e.data = f.rest
	return e, !f.bad && e.index > 0
}

// entry returns the entry for raft.
func (e *logged) entry() *raftpb.Entry {
	out := &raftpb.Entry{Term: new(e.term), Index: new(e.index), Type: raftpb.EntryType(e.typ).Enum()}
	if len(e.data) > 0 {
		out.Data = append([]byte(nil), e.data...)
	}
	return out
}
