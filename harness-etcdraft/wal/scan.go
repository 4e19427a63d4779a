package wal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// CorruptError says that something was changed that had been durable.
type CorruptError struct {
	File string // path on the volume
	Off  int64  // where it was noticed
	Why  string // what is wrong there
}

// Error names the place and what is wrong with it.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("wal: %s is corrupt at offset %d: %s; the node must not start with it", e.File, e.Off, e.Why)
}

// verdict is what a place in a segment holds.
type verdict uint8

const (
	good    verdict = iota // a record
	ended                  // nothing, the segment ends here
	torn                   // something that was never completely written
	damaged                // something that was changed after it was written
)

// record is a record that was read.
type record struct {
	kind  kind
	body  []byte
	off   int64 // where it is
	next  int64 // where the one behind it is
	known int64 // the segment was durable up to here when it was written
}

// read looks at a place in a segment.
func read(data []byte, off int64) (record, verdict) {
	rest := data[off:]
	switch {
	case len(rest) == 0:
		return record{}, ended
	case len(rest) < headSize || blank(rest[:headSize]):
		return record{}, torn
	case binary.LittleEndian.Uint32(rest[12:]) != crc32.ChecksumIEEE(rest[:12]):
		return record{}, damaged
	}
	size, word := int64(binary.LittleEndian.Uint32(rest)), binary.LittleEndian.Uint32(rest[4:])
	whole := headSize + padded(size)
	if whole > int64(len(rest)) {
		return record{}, torn
	}
	body := rest[headSize:whole]
	if binary.LittleEndian.Uint32(rest[8:]) != crc32.ChecksumIEEE(body) {
		for at := 0; at < len(body); at += grain {
			if blank(body[at : at+grain]) {
				return record{}, torn
			}
		}
		return record{}, damaged
	}
	return record{
		kind: kind(word & 0xFF), body: body[:size], off: off, next: off + whole,
		known: off - int64(word>>8)*grain,
	}, good
}

// blank reports whether there are only zeros.
func blank(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// scan calls f for each record of a segment and returns where the good part of
// it ends. Only the last segment may have a torn tail.
func scan(file string, data []byte, last bool, f func(record) error) (int64, error) {
	off := int64(0)
	for {
		r, v := read(data, off)
		switch {
		case v == ended:
			return off, nil
		case v == damaged:
			return off, &CorruptError{file, off, "a record is not what was written"}
		case v == torn && !last:
			return off, &CorruptError{file, off, "a record is missing, and the next segment was begun when it was durable"}
		case v == torn:
			return off, missed(file, data, off)
		}
		if err := f(r); err != nil {
			return off, err
		}
		off = r.next
	}
}

// missed looks behind a hole for a record that knew its place to be durable.
func missed(file string, data []byte, hole int64) error {
	for off := hole + grain; off < int64(len(data)); off += grain {
		if r, v := read(data, off); v == good && r.known > hole {
			return &CorruptError{file, hole, fmt.Sprintf("a record is missing, and the one at %d was written when it was durable", off)}
		}
	}
	return nil
}
