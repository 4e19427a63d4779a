package kv

import (
	"encoding/binary"
	"hash/crc32"
)

// A record in the log's file is the length of its payload and the payload's
// checksum, four bytes each, and the payload. A payload begins with its kind.
const (
	recordHeader = 8
	stateKind    = 1
	entryKind    = 2
)

// record is a payload as it was read.
type record struct {
	index int // of an entry; 0 in a record of term and vote
	entry Entry
	term  int
	vote  string
}

func (r record) isEntry() bool { return r.index > 0 }

// appendRecord frames a payload.
func appendRecord(to, payload []byte) []byte {
	to = binary.LittleEndian.AppendUint32(to, uint32(len(payload)))
	to = binary.LittleEndian.AppendUint32(to, checksum(payload))
	return append(to, payload...)
}

// readRecord reads the record at the beginning of data. ok is false when there
// is none, or none that is whole. A payload is never empty: otherwise a block
// of zeros would be a record with a correct checksum.
func readRecord(data []byte) (r record, rest []byte, ok bool) {
	if len(data) < recordHeader {
		return r, nil, false
	}
	size, sum := binary.LittleEndian.Uint32(data), binary.LittleEndian.Uint32(data[4:])
	data = data[recordHeader:]
	if size == 0 || uint64(size) > uint64(len(data)) {
		return r, nil, false
	}
	payload, rest := data[:size], data[size:]
	if checksum(payload) != sum {
		return r, nil, false
	}
	r, ok = parsePayload(payload)
	return r, rest, ok
}

func checksum(p []byte) uint32 { return crc32.Checksum(p, crc32.MakeTable(crc32.Castagnoli)) }

func stateRecord(term int, vote string) []byte {
	return appendText(appendInt([]byte{stateKind}, term), vote)
}

func entryRecord(index int, e Entry) []byte {
	b := appendInt([]byte{entryKind}, index)
	b = appendInt(b, e.Term)
	b = appendText(b, e.Client)
	b = appendInt(b, e.Seq)
	b = appendText(b, e.Op.Kind)
	b = appendText(b, e.Op.Key)
	b = appendText(b, e.Op.Value)
	return binary.AppendUvarint(b, uint64(e.Time))
}

func appendInt(b []byte, v int) []byte { return binary.AppendUvarint(b, uint64(v)) }

func appendText(b []byte, v string) []byte { return append(appendInt(b, len(v)), v...) }

func parsePayload(b []byte) (r record, ok bool) {
	f := fields{rest: b[1:], ok: true}
	switch b[0] {
	case stateKind:
		r.term, r.vote = f.int(), f.text()
		return r, f.ok
	case entryKind:
		r.index = f.int()
		r.entry = Entry{
			Term: f.int(), Client: f.text(), Seq: f.int(),
			Op:   Op{Kind: f.text(), Key: f.text(), Value: f.text()},
			Time: int64(f.number()),
		}
		return r, f.ok && r.index > 0
	}
	return r, false
}

// fields takes values off a payload; ok turns false when one is missing.
type fields struct {
	rest []byte
	ok   bool
}

func (f *fields) number() uint64 {
	v, n := binary.Uvarint(f.rest)
	if n <= 0 {
		f.ok, f.rest = false, nil
		return 0
	}
	f.rest = f.rest[n:]
	return v
}

func (f *fields) int() int {
	const most = 1<<31 - 1
	v := f.number()
	if v > most {
		f.ok = false
		return 0
	}
	return int(v)
}

func (f *fields) text() string {
	n := f.int()
	if n > len(f.rest) {
		f.ok, f.rest = false, nil
		return ""
	}
	v := string(f.rest[:n])
	f.rest = f.rest[n:]
	return v
}
