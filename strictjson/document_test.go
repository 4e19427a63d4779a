package strictjson

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

type inner struct {
	At   pause  `json:"at"`
	Note string `json:"note,omitempty"`
}

// pause is a type that unmarshals text.
type pause time.Duration

func (p *pause) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*p = pause(d)
	return err
}

type outer struct {
	Name  string          `json:"name"`
	Count uint8           `json:"count"`
	On    bool            `json:"on,omitempty"`
	List  []inner         `json:"list,omitempty"`
	Maybe *inner          `json:"maybe,omitzero"`
	Any   json.RawMessage `json:"any,omitempty"`
}

func TestDecode(t *testing.T) {
	text := `{"name": "a", "count": 255, "on": true, "list": [{"at": "1s"}, {"at": "2s", "note": "x"}], "maybe": {"at": "0s"}, "any": {"x": [null]}}`
	var v outer
	if err := (Document{File: "f", Line: 1, Data: []byte(text)}).Decode(&v); err != nil {
		t.Fatal(err)
	}
	if v.Name != "a" || v.Count != 255 || !v.On || len(v.List) != 2 || v.List[1].At != pause(2*time.Second) || v.Maybe == nil || string(v.Any) != `{"x": [null]}` {
		t.Errorf("decoded %+v", v)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                      "f:7: the text ends too early; the file was truncated, get it again in whole",
		`{"name": "a", "count"`: "f:7: field count: the text ends too early; the file was truncated, get it again in whole",
		`{"count": 1}`:          "f:7: field name: it is missing; add it",
		"{\"name\": \"a\",\n\"count\": 1,\n\"count\": 2}":  "f:9: field count: it is there twice; keep one",
		"{\"name\": \"a\",\n\"Count\": 1}":                 "f:8: field Count: it is not part of the format; correct or remove it",
		`{"name": null, "count": 1}`:                       "f:7: field name: want a string, found null",
		`{"name": 1, "count": 1}`:                          "f:7: field name: want a string, found a number",
		`{"name": "a", "count": 256}`:                      "f:7: field count: 256 is not an integer from 0 on that fits",
		`{"name": "a", "count": 1.5}`:                      "f:7: field count: 1.5 is not an integer from 0 on that fits",
		`{"name": "a", "count": 1, "on": "yes"}`:           "f:7: field on: want true or false, found a string",
		`{"name": "a", "count": 1, "list": {}}`:            "f:7: field list: want a list, found an object",
		`{"name": "a", "count": 1, "list": [1]}`:           "f:7: field list[0]: want an object, found a number",
		`{"name": "a", "count": 1, "list": [{"at": 1}]}`:   "f:7: field list[0].at: want a string, found a number",
		`{"name": "a", "count": 1, "list": [{"at": "x"}]}`: `f:7: field list[0].at: time: invalid duration "x"`,
		`{"name": "a", "count": 1, "maybe": {}}`:           "f:7: field maybe.at: it is missing; add it",
		`{"name": "a", "count": 1} {}`:                     "f:7: there is more text after the end; remove it",
		`{"name": "a", "count": 1,}`:                       "f:7: invalid character '}'",
	} {
		var v outer
		err := Document{File: "f", Line: 7, Data: []byte(text)}.Decode(&v)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n got  %v\n want %s", text, err, want)
		}
	}
}

func TestErrorfNamesTheLineOfAField(t *testing.T) {
	d := Document{File: "f", Line: 1, Data: []byte("{\n\"a\": [\n{\"b\": 1},\n{\"b\": 2}\n]\n}")}
	for path, want := range map[string]string{
		"a[1].b": "f:4: field a[1].b: wrong",
		"a":      "f:2: field a: wrong",
		"none":   "f:1: field none: wrong",
	} {
		if got := d.Errorf(path, "wrong").Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestHeader(t *testing.T) {
	for text, want := range map[string]string{
		`{"format": "x", "version": 2}`: "",
		`{"format": "x", "version": 1}`: "",
		`{"version": 2}`:                "", // Decode says what is missing
		`{"format": "x"`:                "", // Decode says what is broken
		`{"format": "y", "version": 2}`: `f:1: field format: "y" is not "x"; this is another kind of file`,
		`{"format": "x", "version": 3}`: "f:1: field version: 3 is newer than 2, the newest that this program reads; use a newer faultline",
		`{"format": "x", "version": 0}`: "f:1: field version: 0 is not a version; the first one is 1",
	} {
		err := Document{File: "f", Line: 1, Data: []byte(text)}.Header("x", 2)
		if got := message(err); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestAppendStringIsJSON(t *testing.T) {
	for _, s := range []string{"", "plain", "a\"b\\c\n\t\x00\x1f", "ünï\u2028", "\xff\xfe", "</script>"} {
		var back string
		if err := json.Unmarshal(AppendString(nil, s), &back); err != nil {
			t.Errorf("%q: %v", s, err)
		}
		if want := strings.ToValidUTF8(s, "\ufffd"); back != want && s != "\xff\xfe" {
			t.Errorf("%q came back as %q", s, back)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name": "a", "count": 1}`))
	f.Add([]byte(`{"name": "a", "count": 1, "list": [{"at": "1s"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var v, w outer
		if (Document{File: "f", Line: 1, Data: data}).Decode(&v) == nil && json.Unmarshal(data, &w) != nil {
			t.Errorf("%q was accepted and is no JSON of that type", data)
		}
	})
}
