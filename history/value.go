package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/hmdsefi/faultline/strictjson"
)

// Value is what a reader knows of an input, an output or the value of an
// access: the operations that [Read] returns hold values of this type.
type Value struct {
	JSON json.RawMessage // compact; as written; nil when the value is no JSON
	Text string          // its text, see [Text]; empty when JSON tells all
}

// String returns the value as people read it: its text if it has one, what a
// JSON string says, other JSON as it is.
func (v Value) String() string {
	if v.Text != "" {
		return v.Text
	}
	var s string
	if len(v.JSON) > 0 && v.JSON[0] == '"' && json.Unmarshal(v.JSON, &s) == nil {
		return s
	}
	return string(v.JSON)
}

// MarshalJSON returns the JSON that was read, or the text as a JSON string.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.JSON == nil {
		return strictjson.AppendString(nil, v.Text), nil
	}
	return v.JSON, nil
}

// Text renders a value as people read it: what its String or Error method
// says, a string as it is, nil as nothing, everything else as JSON. A value that
// JSON leaves parts out of, such as unexported fields, is shown with them, as
// {name:"a" list:[1 2]}.
func Text(v any) string {
	if text, ok := ownText(v); ok {
		return text
	}
	if !hides(reflect.ValueOf(v), 0) {
		if data, err := marshal(v); err == nil {
			return string(data)
		}
	}
	return show(reflect.ValueOf(v), 0)
}

// ownText returns the text of values that bring one of their own.
func ownText(v any) (string, bool) {
	switch v := v.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case json.RawMessage:
		return string(v), true
	case error:
		return v.Error(), true
	case fmt.Stringer:
		return v.String(), true
	}
	return "", false
}

// marshal is json.Marshal without the escapes that are meant for HTML pages.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
