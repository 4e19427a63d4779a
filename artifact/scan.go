package artifact

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/strictjson"
)

// ScanTrace reads a trace.jsonl one record at a time; name is what messages
// call it. A record is valid until the next one. An error names the file, the
// line, the field and what to do, and is the last thing that comes.
func ScanTrace(r io.Reader, name string) iter.Seq2[kernel.Record, error] {
	return func(yield func(kernel.Record, error) bool) {
		l := lines{r: bufio.NewReaderSize(io.LimitReader(r, MaxTrace+1), 64<<10), name: name}
		if err := l.header(); err != nil {
			yield(kernel.Record{}, err)
			return
		}
		var rec kernel.Record
		for want := uint64(0); ; want++ {
			line, err := l.next()
			if err == io.EOF {
				return
			}
			if err == nil {
				if err = parseRecord(line, &rec); err == nil && rec.Index != want {
					err = fmt.Errorf("field index: %d is out of order; the next one is %d", rec.Index, want)
				}
				if err != nil {
					err = l.errorf("%w", err)
				}
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}

// lines reads the lines of a file whose first one tells format and version.
type lines struct {
	r    *bufio.Reader
	name string
	n    int   // number of the last line
	read int64 // bytes so far
	buf  []byte
}

// next returns the next line without its newline, or io.EOF.
func (l *lines) next() ([]byte, error) {
	l.n++
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		l.read += int64(len(part))
		if l.read > MaxTrace {
			return nil, l.errorf("the file is larger than %d bytes; read it with other tools, in parts", MaxTrace)
		}
		if err == nil && len(l.buf) == 0 && len(part) <= MaxLine+1 {
			return part[:len(part)-1], nil
		}
		l.buf = append(l.buf, part...)
		switch {
		case len(l.buf) > MaxLine+1:
			return nil, l.errorf("the line is longer than %d bytes; it was not written by faultline", MaxLine)
		case err == nil:
			return l.buf[:len(l.buf)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, l.errorf("the last line has no end; the file was truncated, get it again in whole")
		default:
			return nil, l.errorf("%w", err)
		}
	}
}

func (l *lines) errorf(msg string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", l.name, l.n, fmt.Errorf(msg, args...))
}

func (l *lines) header() error {
	line, err := l.next()
	if err == io.EOF {
		return l.errorf("the file is empty; a trace starts with a line with format and version")
	}
	if err != nil {
		return err
	}
	d := strictjson.Document{File: l.name, Line: l.n, Data: line}
	if err := d.Header(traceFormat, Version); err != nil {
		return err
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	return d.Decode(&head)
}
