package history

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"reflect"
	"strconv"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/strictjson"
)

const (
	// Version is the version of the format that this package reads and writes.
	Version = 1
	// MaxLine is the longest line of a file, in bytes.
	MaxLine = 1 << 20
	// MaxBytes is the largest file that [Read] takes, in bytes: 1 GiB.
	MaxBytes int64 = 1 << 30

	format   = "faultline/history"
	cutText  = 1024 // bytes that are kept of a value in a line that is too long
	maxSteps = 256  // attempts, and accesses, that are kept in such a line
)

// Write writes operations in the format of this package.
func Write(w io.Writer, ops iter.Seq[*Operation]) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "{\"format\":%q,\"version\":%d}\n", format, Version)
	var line []byte
	for op := range ops {
		line = append(AppendLine(line[:0], op), '\n')
		if _, err := b.Write(line); err != nil {
			return err
		}
	}
	return b.Flush()
}

// AppendLine appends an operation as one line of a file, without the newline,
// and returns the extended slice. In a line that would be longer than
// [MaxLine], values are replaced by the beginning of their texts, and only the
// first attempts and accesses are kept.
func AppendLine(dst []byte, op *Operation) []byte {
	start := len(dst)
	dst = appendOperation(dst, op, false)
	if len(dst)-start <= MaxLine {
		return dst
	}
	short := *op
	short.Process, short.Function, short.Reason = head(op.Process), head(op.Function), head(op.Reason)
	short.Attempts = short.Attempts[:min(len(short.Attempts), maxSteps)]
	short.Txn = short.Txn[:min(len(short.Txn), maxSteps)]
	return appendOperation(dst[:start], &short, true)
}

func appendOperation(b []byte, op *Operation, short bool) []byte {
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, int64(op.ID), 10)
	b = appendText(b, "process", op.Process)
	b = appendText(b, "function", op.Function)
	b = appendValue(b, "input", op.Input, short)
	b = appendText(b, "status", string(op.Status))
	b = appendValue(b, "output", op.Output, short)
	if op.Reason != "" {
		b = appendText(b, "reason", op.Reason)
	}
	b = appendPoint(b, "invoke", op.Invoke)
	if op.Done() {
		b = appendPoint(b, "return", op.Return)
	}
	b = appendAttempts(b, op.Attempts)
	b = appendTxn(b, op.Txn, short)
	return append(b, '}')
}

func appendAttempts(b []byte, attempts []Attempt) []byte {
	for i, a := range attempts {
		b = append(b, next(i, "attempts")...)
		b = append(b, `{"target":`...)
		b = strictjson.AppendString(b, head(a.Target))
		b = appendPoint(b, "start", a.Start)
		if a.Outcome != "" {
			b = appendPoint(b, "end", a.End)
			b = appendText(b, "outcome", head(a.Outcome))
		}
		b = append(b, '}')
	}
	return closeList(b, len(attempts))
}

func appendTxn(b []byte, txn []Access, short bool) []byte {
	for i, a := range txn {
		b = append(b, next(i, "txn")...)
		b = append(b, `{"type":`...)
		b = strictjson.AppendString(b, string(a.Type))
		key := a.Key
		if short {
			key = head(key)
		}
		b = appendText(b, "key", key)
		b = appendValue(b, "value", a.Value, short)
		b = append(b, '}')
	}
	return closeList(b, len(txn))
}

// next returns what stands before element i of a list that may be left out.
func next(i int, name string) string {
	if i > 0 {
		return ","
	}
	return `,"` + name + `":[`
}

func closeList(b []byte, n int) []byte {
	if n == 0 {
		return b
	}
	return append(b, ']')
}

func appendPoint(b []byte, name string, p Point) []byte {
	b = append(append(append(b, `,"`...), name...), `":{"time":`...)
	b = strconv.AppendInt(b, int64(p.Time), 10)
	b = append(b, `,"event":`...)
	b = strconv.AppendUint(b, p.Event, 10)
	return append(b, '}')
}

// appendValue appends a value as JSON, and its text too if it has one of its
// own. A value that is no JSON has only its text.
func appendValue(b []byte, name string, v any, short bool) []byte {
	if v == nil {
		return b
	}
	if short {
		return appendText(b, name+"_text", head(Text(v)))
	}
	data, text := split(v)
	if data != nil {
		b = append(append(append(b, `,"`...), name...), `":`...)
		b = append(b, data...)
	}
	if text != "" {
		b = appendText(b, name+"_text", text)
	}
	return b
}

// split returns what a file holds of a value: its JSON and its own text.
func split(v any) (data []byte, text string) {
	if v, ok := v.(Value); ok {
		return v.JSON, v.Text
	}
	data, err := marshal(v)
	if err != nil {
		return nil, Text(v)
	}
	if _, plain := v.(string); plain {
		return data, ""
	}
	if _, raw := v.(json.RawMessage); raw {
		return data, ""
	}
	if text, own := ownText(v); own || !hides(reflect.ValueOf(v), 0) {
		return data, text
	}
	return data, Text(v)
}

func head(s string) string {
	if len(s) <= cutText {
		return s
	}
	n := cutText
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:n], len(s))
}

func appendText(b []byte, name, s string) []byte {
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strictjson.AppendString(b, s)
}
