package strictjson

import (
	"encoding"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// errFound ends the walk of a walker that seeks a field.
var errFound = errors.New("found")

// walker checks tokens against a type. A nil type takes any JSON.
type walker struct {
	Document
	dec   *json.Decoder
	seek  string // path at whose first token to stop with errFound
	found int64  // offset of that token
}

func (w *walker) at(path, msg string, args ...any) error {
	return w.errorf(w.dec.InputOffset(), path, msg, args...)
}

func (w *walker) token(path string) (json.Token, error) {
	tok, err := w.dec.Token()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, w.errorf(int64(len(w.Data)), path, "the text ends too early; the file was truncated, get it again in whole")
	}
	if err != nil {
		return nil, w.at(path, "%s; correct the JSON", strings.TrimPrefix(err.Error(), "json: "))
	}
	return tok, nil
}

func (w *walker) value(path string, t reflect.Type) error {
	tok, err := w.token(path)
	if err != nil {
		return err
	}
	if w.seek != "" && path == w.seek {
		w.found = w.dec.InputOffset()
		return errFound
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		t = nil
	}
	if d, ok := tok.(json.Delim); ok {
		switch {
		case d == '{' && (t == nil || t.Kind() == reflect.Struct):
			return w.object(path, t)
		case d == '[' && (t == nil || t.Kind() == reflect.Slice):
			return w.array(path, t)
		}
	}
	if t == nil {
		return nil
	}
	return w.scalar(path, t, tok)
}

func (w *walker) scalar(path string, t reflect.Type, tok json.Token) error {
	text, isText := tok.(string)
	if u, ok := reflect.New(t).Interface().(encoding.TextUnmarshaler); ok {
		if !isText {
			return w.at(path, "want %s, found %s", wanted(t), found(tok))
		}
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return w.at(path, "%v", err)
		}
		return nil
	}
	num, isNum := tok.(json.Number)
	_, isBool := tok.(bool)
	var err error
	switch k := t.Kind(); {
	case k == reflect.String && isText, k == reflect.Bool && isBool:
		return nil
	case k >= reflect.Int && k <= reflect.Int64 && isNum:
		_, err = strconv.ParseInt(string(num), 10, t.Bits())
	case k >= reflect.Uint && k <= reflect.Uint64 && isNum:
		_, err = strconv.ParseUint(string(num), 10, t.Bits())
	default:
		return w.at(path, "want %s, found %s", wanted(t), found(tok))
	}
	if err != nil {
		return w.at(path, "%s is not %s that fits", num, wanted(t))
	}
	return nil
}

func (w *walker) array(path string, t reflect.Type) error {
	var elem reflect.Type
	if t != nil {
		elem = t.Elem()
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(path+"["+strconv.Itoa(i)+"]", elem); err != nil {
			return err
		}
	}
	_, err := w.token(path)
	return err
}

func (w *walker) object(path string, t reflect.Type) error {
	seen := map[string]bool{}
	for w.dec.More() {
		tok, err := w.token(path)
		if err != nil {
			return err
		}
		key := tok.(string)
		inner := strings.TrimPrefix(path+"."+key, ".")
		if seen[key] {
			return w.at(inner, "it is there twice; keep one")
		}
		seen[key] = true
		typ, known := fieldType(t, key)
		if !known {
			return w.at(inner, "it is not part of the format; correct or remove it")
		}
		if err := w.value(inner, typ); err != nil {
			return err
		}
	}
	if _, err := w.token(path); err != nil {
		return err
	}
	if name := missing(t, seen); name != "" {
		return w.at(strings.TrimPrefix(path+"."+name, "."), "it is missing; add it")
	}
	return nil
}

// fieldType returns the type of a struct's field with that JSON name.
func fieldType(t reflect.Type, key string) (reflect.Type, bool) {
	if t == nil {
		return nil, true
	}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name == key {
			return t.Field(i).Type, true
		}
	}
	return nil, false
}

func missing(t reflect.Type, seen map[string]bool) string {
	if t == nil {
		return ""
	}
	for i := range t.NumField() {
		name, opts, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if !seen[name] && !strings.HasPrefix(opts, "omit") {
			return name
		}
	}
	return ""
}

func wanted(t reflect.Type) string {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return "a string"
	}
	switch k := t.Kind(); {
	case k == reflect.Struct:
		return "an object"
	case k == reflect.Slice:
		return "a list"
	case k == reflect.String:
		return "a string"
	case k == reflect.Bool:
		return "true or false"
	case k >= reflect.Uint && k <= reflect.Uint64:
		return "an integer from 0 on"
	}
	return "an integer"
}

func found(tok json.Token) string {
	switch tok := tok.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case bool:
		return "true or false"
	case json.Delim:
		if tok == '[' {
			return "a list"
		}
	}
	return "an object"
}
