package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// field is a field of an object in a text of JSON values.
type field struct {
	path               string
	keyStart, keyEnd   int
	valStart, valEnd   int
	free, text, number bool // it may be called anything and hold anything; it holds a string; a number
}

// mutation is a text with one field changed.
type mutation struct {
	how   string
	text  []byte
	wrong bool // no reader may take it
}

// mutations returns the text with the field changed in every way.
func (f *field) mutations(data []byte) []mutation {
	with := func(start, end int, text string) []byte {
		return slices.Concat(data[:start], []byte(text), data[end:])
	}
	whole := string(data[f.keyStart:f.valEnd])
	out := []mutation{
		{"renamed", with(f.keyStart, f.keyEnd, `"surprise"`), !f.free},
		{"twice", with(f.keyStart, f.valEnd, whole+","+whole), !f.free},
		{"of another type", with(f.valStart, f.valEnd, `[{"x":[1]}]`), !f.free},
		{"null", with(f.valStart, f.valEnd, "null"), !f.free},
		{"removed", with(f.keyStart, f.valEnd, `"surprise":0`), !f.free},
	}
	if f.text {
		for _, v := range []string{`""`, `"\u001b[2J\n\r\u202e\u0000<script>"`, `"` + strings.Repeat("w", 5000) + `"`, `"1h"`, `"\ud800"`} {
			out = append(out, mutation{"now " + v[:min(len(v), 20)], with(f.valStart, f.valEnd, v), false})
		}
	}
	if f.number {
		for _, v := range []string{"0", "1", "-1", "9223372036854775807", "18446744073709551615", "-9223372036854775808", "1e9", "99999999999999999999"} {
			out = append(out, mutation{"now " + v, with(f.valStart, f.valEnd, v), false})
		}
	}
	return out
}

// fieldsOf finds all fields of a text of JSON values.
func fieldsOf(t *testing.T, data []byte) []field {
	t.Helper()
	w := &fieldWalk{t: t, data: data, dec: json.NewDecoder(bytes.NewReader(data))}
	w.dec.UseNumber()
	for w.value("", false) {
	}
	if len(w.fields) == 0 {
		t.Fatal("no fields were found")
	}
	return w.fields
}

type fieldWalk struct {
	t      *testing.T
	data   []byte
	dec    *json.Decoder
	fields []field
	last   json.Token // the token that began the last value
}

// value walks over a value; it returns false at the end of the text.
func (w *fieldWalk) value(path string, free bool) bool {
	tok, err := w.dec.Token()
	if errors.Is(err, io.EOF) {
		return false
	}
	if err != nil {
		w.t.Fatal(err)
	}
	first := tok
	switch tok {
	case json.Delim('{'):
		w.object(path, free)
	case json.Delim('['):
		for w.dec.More() {
			w.value(path+"[]", free)
		}
		_, _ = w.dec.Token()
	}
	w.last = first
	return true
}

func (w *fieldWalk) object(path string, free bool) {
	for w.dec.More() {
		tok, err := w.dec.Token()
		if err != nil {
			w.t.Fatal(err)
		}
		key := tok.(string)
		f := field{path: path + "." + key, keyEnd: int(w.dec.InputOffset()), free: free}
		f.keyStart = bytes.LastIndexByte(w.data[:f.keyEnd-1], '"')
		f.valStart = f.keyEnd + 1 + len(w.data[f.keyEnd+1:]) - len(bytes.TrimLeft(w.data[f.keyEnd+1:], " "))
		n := len(w.fields)
		w.fields = append(w.fields, f)
		w.value(f.path, key == "attrs" || key == "input" || key == "output")
		g := &w.fields[n]
		g.valEnd = int(w.dec.InputOffset())
		_, g.text = w.last.(string)
		_, g.number = w.last.(json.Number)
		if key == "input" || key == "output" {
			g.free = true
		}
	}
	_, _ = w.dec.Token()
}
