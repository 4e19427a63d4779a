package artifact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/fault"
)

// schema is a part of a JSON Schema, as far as faultline's schemas go. A
// keyword that is not here fails the test that loads it.
type schema struct {
	Schema      string            `json:"$schema"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Defs        map[string]schema `json:"$defs"`
	Ref         string            `json:"$ref"`
	Type        string            `json:"type"`
	Const       any               `json:"const"`
	Enum        []any             `json:"enum"`
	Not         *schema           `json:"not"`
	AnyOf       []schema          `json:"anyOf"`
	OneOf       []schema          `json:"oneOf"`
	Pattern     string            `json:"pattern"`
	MinLength   int               `json:"minLength"`
	MaxLength   int               `json:"maxLength"`
	Minimum     *float64          `json:"minimum"`
	Items       *schema           `json:"items"`
	Properties  map[string]schema `json:"properties"`
	Additional  json.RawMessage   `json:"additionalProperties"`
	Required    []string          `json:"required"`

	DependentRequired map[string][]string `json:"dependentRequired"`
}

// loadSchema skips the test where the docs are not beside the module.
func loadSchema(t *testing.T, name string) *schema {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "schemas", name+".schema.json"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the schemas are part of the repository, not of this module")
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &schema{}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// check validates a value as encoding/json decodes it.
func (s *schema) check(root *schema, path string, v any) error {
	if s.Ref != "" {
		def, ok := root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")]
		if !ok {
			return fmt.Errorf("%s: no definition %s", path, s.Ref)
		}
		if err := def.check(root, path, v); err != nil {
			return err
		}
	}
	switch {
	case s.Const != nil && v != s.Const:
		return fmt.Errorf("%s: %v is not %v", path, v, s.Const)
	case s.Enum != nil && !slices.Contains(s.Enum, v):
		return fmt.Errorf("%s: %v is none of %v", path, v, s.Enum)
	case s.Not != nil && s.Not.check(root, path, v) == nil:
		return fmt.Errorf("%s: %v is excluded", path, v)
	case s.AnyOf != nil && s.matches(root, s.AnyOf, path, v) == 0:
		return fmt.Errorf("%s: matches nothing of anyOf", path)
	case s.OneOf != nil && s.matches(root, s.OneOf, path, v) != 1:
		return fmt.Errorf("%s: matches not exactly one of oneOf", path)
	}
	return s.typed(root, path, v)
}

func (s *schema) matches(root *schema, list []schema, path string, v any) (n int) {
	for i := range list {
		if list[i].check(root, path, v) == nil {
			n++
		}
	}
	return n
}

func (s *schema) typed(root *schema, path string, v any) error {
	typ := ""
	var err error
	switch v := v.(type) {
	case string:
		typ = "string"
		n := utf8.RuneCountInString(v)
		if s.Pattern != "" && !regexp.MustCompile(s.Pattern).MatchString(v) || n < s.MinLength || s.MaxLength > 0 && n > s.MaxLength {
			err = fmt.Errorf("%s: %q does not match", path, v)
		}
	case float64:
		typ = "integer"
		if s.Minimum != nil && v < *s.Minimum {
			err = fmt.Errorf("%s: %v is too small", path, v)
		}
	case bool:
		typ = "boolean"
	case []any:
		typ = "array"
		for i := range v {
			if s.Items != nil && err == nil {
				err = s.Items.check(root, fmt.Sprintf("%s[%d]", path, i), v[i])
			}
		}
	case map[string]any:
		typ = "object"
		err = s.object(root, path, v)
	}
	if s.Type != "" && s.Type != typ {
		return fmt.Errorf("%s: is %s, want %s", path, typ, s.Type)
	}
	return err
}

func (s *schema) object(root *schema, path string, v map[string]any) error {
	required := s.Required
	for key, more := range s.DependentRequired {
		if _, ok := v[key]; ok {
			required = append(slices.Clone(required), more...)
		}
	}
	for _, key := range required {
		if _, ok := v[key]; !ok {
			return fmt.Errorf("%s.%s: is missing", path, key)
		}
	}
	for key, value := range v {
		part, known := s.Properties[key]
		if !known && len(s.Additional) > 0 {
			if string(s.Additional) == "false" {
				return fmt.Errorf("%s.%s: is unknown", path, key)
			}
			if err := json.Unmarshal(s.Additional, &part); err != nil {
				return err
			}
		}
		if err := part.check(root, path+"."+key, value); err != nil {
			return err
		}
	}
	return nil
}

func (s *schema) validate(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return s.check(s, "$", v)
}

func TestFilesAreValid(t *testing.T) {
	dir := writeFull(t, t.TempDir())
	for file, name := range map[string]string{"report.json": "report", "schedule.json": "schedule", "trace.jsonl": "trace", "history.jsonl": "history"} {
		s := loadSchema(t, name)
		data, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		texts := [][]byte{data}
		if strings.HasSuffix(file, ".jsonl") {
			texts = bytes.Split(bytes.TrimSpace(data), []byte("\n"))
		}
		for _, text := range texts {
			if err := s.validate(text); err != nil {
				t.Errorf("%s: %v in %s", file, err, text)
			}
		}
	}
	fullSchedule, err := os.ReadFile(filepath.Join("..", "fault", "testdata", "golden", "schedule.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := loadSchema(t, "schedule").validate(fullSchedule); err != nil {
		t.Errorf("schedule with every field: %v", err)
	}
}

func TestSchemasRefuseWhatReadersRefuse(t *testing.T) {
	for _, c := range []struct{ schema, text string }{
		{"trace", strings.Replace(goodLine, `"kind"`, `"knid"`, 1)},
		{"trace", strings.Replace(goodLine, `"boot":1,`, ``, 1)},
		{"trace", strings.Replace(goodLine, `"time":5`, `"time":-5`, 1)},
		{"trace", strings.Replace(goodLine, `{"a":1}`, `{"a":{"sec":1}}`, 1)},
		{"trace", `{"format":"faultline/trace","version":2}`},
		{"history", `{"id":0,"process":"c","function":"f","status":"done","invoke":{"time":0,"event":0}}`},
		{"schedule", `{"format":"faultline/schedule","version":1,"seed":"12","duration":"1s","faults":[],"choices":[]}`},
		{"schedule", `{"format":"faultline/schedule","version":1,"seed":"0x1","duration":"-1s","faults":[],"choices":[]}`},
		{"schedule", `{"format":"faultline/schedule","version":1,"seed":"0x1","duration":"1s","faults":[{"kind":"klil","at":"1s"}],"choices":[]}`},
		{"schedule", `{"format":"faultline/schedule","version":1,"seed":"0x1","duration":"1s","faults":[{"kind":"kill","at":"1s","when":{"point":"p","op":"sync"}}],"choices":[]}`},
		{"schedule", `{"format":"faultline/schedule","version":1,"seed":"0x1","duration":"1s","faults":[],"choices":[{"point":"p","n":1,"value":0}]}`},
		{"report", `{"format":"faultline/report","version":1}`},
	} {
		if err := loadSchema(t, c.schema).validate([]byte(c.text)); err == nil {
			t.Errorf("%s accepts %s", c.schema, c.text)
		}
	}
}

func TestSchemaKnowsAllKindsOfFaults(t *testing.T) {
	var want []any
	for _, k := range fault.Kinds() {
		want = append(want, string(k))
	}
	got := loadSchema(t, "schedule").Defs["fault"].Properties["kind"].Enum
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
