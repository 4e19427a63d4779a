package faultline

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The schemas of the lines that this module writes have the fields of its
// structs, with their types, and require those that are always written.
func TestSchemas(t *testing.T) {
	for name, structs := range map[string][]any{
		"results": {seedResult{}},
		"shrink":  {memoryHeader{}, memoryLine{}},
	} {
		data, err := os.ReadFile(filepath.Join("..", "docs", "reference", "schemas", name+".schema.json"))
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the schemas are part of the repository, not of this module")
		}
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]struct {
				Type  string
				Const any
				Enum  []string
			}
			Required []string
		}
		if err := json.Unmarshal(data, &schema); err != nil {
			t.Fatal(err)
		}
		fields := 0
		for _, v := range structs {
			for i := range reflect.TypeOf(v).NumField() {
				field := reflect.TypeOf(v).Field(i)
				key, more, _ := strings.Cut(field.Tag.Get("json"), ",")
				fields++
				p, ok := schema.Properties[key]
				typ := map[reflect.Kind]string{reflect.String: "string", reflect.Int64: "integer", reflect.Uint64: "integer"}[field.Type.Kind()]
				if !ok || p.Type != typ && p.Const == nil && p.Enum == nil {
					t.Errorf("%s: %s is not a %s there", name, key, typ)
				}
				if len(structs) == 1 && slices.Contains(schema.Required, key) != (more == "") {
					t.Errorf("%s: %s is required: %v", name, key, more != "")
				}
			}
		}
		if fields != len(schema.Properties) {
			t.Errorf("%s: %d properties, the code writes %d", name, len(schema.Properties), fields)
		}
		if v := schema.Properties["verdict"]; name == "shrink" && !slices.Equal(v.Enum, verdictNames[:]) {
			t.Errorf("shrink: the verdicts are %v, want %v", v.Enum, verdictNames)
		}
	}
}
