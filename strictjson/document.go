package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
)

// Document is JSON text that is decoded strictly. Errors name File, the line
// and the field. The zero value has no text, which is an error to decode.
type Document struct {
	File string // what the text comes from, for messages
	Line int    // number of the text's first line in it, from 1
	Data []byte // the text
}

// Decode fills the struct that v points to. A field is optional if its json
// tag says omitempty or omitzero. The error names the first thing that is
// wrong: a field that is missing, unknown, there twice, null or of another
// type, a number that does not fit, text that ends too early or goes on after
// the end. v may be filled in part then.
func (d Document) Decode(v any) error {
	w := walker{Document: d, dec: json.NewDecoder(bytes.NewReader(d.Data))}
	w.dec.UseNumber()
	if err := w.value("", reflect.TypeOf(v).Elem()); err != nil {
		return err
	}
	if _, err := w.dec.Token(); !errors.Is(err, io.EOF) {
		return w.errorf(int64(len(d.Data)), "", "there is more text after the end; remove it")
	}
	if err := json.Unmarshal(d.Data, v); err != nil {
		return w.errorf(0, "", "%v", err)
	}
	return nil
}

// Errorf makes an error about a field of text that was decoded without one,
// such as a value out of range. path is like "faults[3].at"; if there is no
// such field the error names the first line.
func (d Document) Errorf(path, msg string, args ...any) error {
	w := walker{Document: d, dec: json.NewDecoder(bytes.NewReader(d.Data)), seek: path}
	_ = w.value("", nil) // without the field, found says the first line
	return w.errorf(w.found, path, msg, args...)
}

// errorf makes an error about a field, which ends at an offset of the text.
func (d Document) errorf(offset int64, path, msg string, args ...any) error {
	line := d.Line + bytes.Count(d.Data[:min(int(offset), len(d.Data))], []byte("\n"))
	if path != "" {
		path = "field " + path + ": "
	}
	return fmt.Errorf("%s:%d: %s%s", d.File, line, path, fmt.Sprintf(msg, args...))
}
