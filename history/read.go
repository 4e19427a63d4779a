package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/hmdsefi/faultline/strictjson"
)

// Read reads a whole file; name is what messages call it. See [Scan].
func Read(r io.Reader, name string) ([]Operation, error) {
	var out []Operation
	for op, err := range Scan(r, name) {
		if err != nil {
			return nil, err
		}
		out = append(out, op)
	}
	return out, nil
}

// Scan reads a file one operation at a time; name is what messages call it. An
// error names the file, the line, the field and what to do, and is the last
// thing that comes. Inputs, outputs and values are of type [Value].
func Scan(r io.Reader, name string) iter.Seq2[Operation, error] {
	return func(yield func(Operation, error) bool) {
		s := scanner{r: bufio.NewReaderSize(io.LimitReader(r, MaxBytes+1), 64<<10), name: name}
		if err := s.header(); err != nil {
			yield(Operation{}, err)
			return
		}
		for id := 0; ; id++ {
			op, err := s.operation(id)
			if err == io.EOF || !yield(op, err) || err != nil {
				return
			}
		}
	}
}

type scanner struct {
	r    *bufio.Reader
	name string
	n    int   // number of the last line
	read int64 // bytes so far
	buf  []byte
}

// line returns the next line without its newline, or io.EOF.
func (s *scanner) line() ([]byte, error) {
	s.buf = s.buf[:0]
	for {
		part, err := s.r.ReadSlice('\n')
		s.buf = append(s.buf, part...)
		s.read += int64(len(part))
		switch {
		case s.read > MaxBytes:
			return nil, s.errorf("the file is larger than %d bytes; read it with other tools, in parts", MaxBytes)
		case len(s.buf) > MaxLine+1:
			s.n++
			return nil, s.errorf("the line is longer than %d bytes; it was not written by this package", MaxLine)
		case err == nil:
			s.n++
			return s.buf[:len(s.buf)-1], nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(s.buf) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			s.n++
			return nil, s.errorf("the last line has no end; the file was truncated, get it again in whole")
		default:
			return nil, s.errorf("%w", err)
		}
	}
}

func (s *scanner) errorf(msg string, args ...any) error {
	return fmt.Errorf("%s:%d: %w", s.name, s.n, fmt.Errorf(msg, args...))
}

func (s *scanner) document(line []byte) strictjson.Document {
	return strictjson.Document{File: s.name, Line: s.n, Data: line}
}

func (s *scanner) header() error {
	line, err := s.line()
	if err == io.EOF {
		s.n = 1
		return s.errorf("the file is empty; a history starts with a line with format and version")
	}
	if err != nil {
		return err
	}
	if err := s.document(line).Header(format, Version); err != nil {
		return err
	}
	var head struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
	}
	return s.document(line).Decode(&head)
}

// The shape of a line.
type (
	wireOperation struct {
		ID         int             `json:"id"`
		Process    string          `json:"process"`
		Function   string          `json:"function"`
		Input      json.RawMessage `json:"input,omitempty"`
		InputText  string          `json:"input_text,omitempty"`
		Status     Status          `json:"status"`
		Output     json.RawMessage `json:"output,omitempty"`
		OutputText string          `json:"output_text,omitempty"`
		Reason     string          `json:"reason,omitempty"`
		Invoke     wirePoint       `json:"invoke"`
		Return     *wirePoint      `json:"return,omitempty"`
		Attempts   []wireAttempt   `json:"attempts,omitempty"`
		Txn        []wireAccess    `json:"txn,omitempty"`
	}
	wirePoint struct {
		Time  int64  `json:"time"`
		Event uint64 `json:"event"`
	}
	wireAttempt struct {
		Target  string     `json:"target"`
		Start   wirePoint  `json:"start"`
		End     *wirePoint `json:"end,omitempty"`
		Outcome string     `json:"outcome,omitempty"`
	}
	wireAccess struct {
		Type  AccessType      `json:"type"`
		Key   string          `json:"key"`
		Value json.RawMessage `json:"value,omitempty"`
		Text  string          `json:"value_text,omitempty"`
	}
)

func (s *scanner) operation(id int) (Operation, error) {
	line, err := s.line()
	if err != nil {
		return Operation{}, err
	}
	var w wireOperation
	if err := s.document(line).Decode(&w); err != nil {
		return Operation{}, err
	}
	if err := w.check(id); err != nil {
		return Operation{}, s.errorf("%w", err)
	}
	op := Operation{
		ID: w.ID, Process: w.Process, Function: w.Function,
		Input: value(w.Input, w.InputText), Output: value(w.Output, w.OutputText),
		Status: w.Status, Reason: w.Reason, Invoke: w.Invoke.point(), Return: w.Return.point(),
	}
	for _, a := range w.Attempts {
		op.Attempts = append(op.Attempts, Attempt{a.Target, a.Start.point(), a.End.point(), a.Outcome})
	}
	for _, a := range w.Txn {
		op.Txn = append(op.Txn, Access{a.Type, a.Key, value(a.Value, a.Text)})
	}
	return op, nil
}

// check finds what the types do not.
func (w *wireOperation) check(id int) error {
	if w.ID != id {
		return fmt.Errorf("field id: %d is out of order; the next one is %d", w.ID, id)
	}
	switch w.Status {
	case OK, Fail, Unknown:
		if w.Return == nil {
			return fmt.Errorf("field return: it is missing, but the status is %q; add it", w.Status)
		}
		if w.Return.Time < w.Invoke.Time {
			return fmt.Errorf("field return.time: %d is before the invocation at %d", w.Return.Time, w.Invoke.Time)
		}
	case Pending:
		if w.Return != nil {
			return fmt.Errorf("field return: a pending operation has none; remove it or correct the status")
		}
	default:
		return fmt.Errorf("field status: %q is unknown; use ok, fail, unknown or pending", w.Status)
	}
	if w.Invoke.Time < 0 {
		return fmt.Errorf("field invoke.time: %d is negative; times start at 0", w.Invoke.Time)
	}
	for i, a := range w.Txn {
		if a.Type != AccessRead && a.Type != AccessWrite && a.Type != AccessAppend {
			return fmt.Errorf("field txn[%d].type: %q is unknown; use read, write or append", i, a.Type)
		}
	}
	return nil
}

func (p *wirePoint) point() Point {
	if p == nil {
		return Point{}
	}
	return Point{time.Duration(p.Time), p.Event}
}

func value(data json.RawMessage, text string) any {
	if data == nil && text == "" {
		return nil
	}
	return Value{data, text}
}
