package wal

import (
	"fmt"
	"os"
	"strconv"

	"github.com/hmdsefi/faultline/simdisk"
)

const (
	walDir             = "wal"
	defaultSegmentSize = 64 << 10
)

// segments are the files of a log, oldest first.
type segments []segment

type segment struct {
	number uint64
	last   uint64 // highest index of an entry in it
}

func (s segment) name() string { return fmt.Sprintf("%s/%016x", walDir, s.number) }

// parseSegment reads the number in the name of a file.
func parseSegment(base string) (uint64, bool) {
	n, err := strconv.ParseUint(base, 16, 64)
	return n, err == nil && len(base) == 16
}

// reached notes an entry in the last segment.
func (s segments) reached(index uint64) {
	at := &s[len(s)-1]
	at.last = max(at.last, index)
}

// drop forgets the leading segments whose entries are all covered and returns
// their names. The last segment stays.
func (s *segments) drop(index uint64) []string {
	var names []string
	for len(*s) > 1 && (*s)[0].last <= index {
		names = append(names, (*s)[0].name())
		*s = (*s)[1:]
	}
	return names
}

// full reports whether the first n jobs should go to a new segment.
func (w *WAL) full(n int) bool {
	limit := w.opt.SegmentSize
	if limit == 0 {
		limit = defaultSegmentSize
	}
	more := int64(0)
	for i := range w.queue[:n] {
		for _, e := range w.queue[i].Entries {
			more += headSize + 2*grain + int64(len(e.GetData()))
		}
	}
	return w.size > 2*headSize*grain && w.size+more > limit
}

// roll closes the segment and begins the next one: the old one is durable
// before the new one exists, and the new one before it is used.
func (w *WAL) roll() {
	w.busy = true
	old := w.file
	fail := func(err error) { w.queue[0].done(err) } // and the log stays busy for good
	w.sync(old, func(err error) {
		next := segment{number: w.segs[len(w.segs)-1].number + 1}
		var f *simdisk.File
		if err == nil {
			_ = old.Close()
			f, err = create(w.vol, next, w.head(next))
		}
		if err != nil {
			fail(err)
			return
		}
		w.sync(f, func(err error) {
			if err != nil {
				fail(err)
				return
			}
			w.syncDir(walDir, func(err error) {
				if err != nil {
					fail(err)
					return
				}
				w.file, w.busy = f, false
				w.size = int64(len(w.head(next)))
				w.safe = w.size
				w.segs = append(w.segs, next)
				w.work()
			})
		})
	})
}

// head returns the records that a segment begins with.
func (w *WAL) head(s segment) []byte {
	b := appendNumbers(nil, kindHead, 0, s.number)
	b = appendNumbers(b, kindVote, int64(len(b)), w.vote[0], w.vote[1])
	b = appendNumbers(b, kindCommit, int64(len(b)), w.commit)
	return appendNumbers(b, kindSnapshot, int64(len(b)), w.snapshot[0], w.snapshot[1])
}

// create makes the file of a segment.
func create(vol *simdisk.Volume, s segment, head []byte) (*simdisk.File, error) {
	f, err := vol.OpenFile(s.name(), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0)
	if err == nil {
		_, err = f.Append(head)
	}
	return f, err
}
