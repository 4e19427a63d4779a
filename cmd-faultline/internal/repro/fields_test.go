package repro

import (
	"reflect"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/fault"
)

// No field of a fault is forgotten, also those that are new.
func TestSourceHasEveryField(t *testing.T) {
	f := fault.Fault{}
	names := fill(reflect.ValueOf(&f).Elem())
	f.Outcome = fault.Skipped
	data, err := (&Test{Place: Place{Package: "kv"}, Name: "TestRepro", Original: "TestKV", Schedule: &fault.Schedule{Faults: []fault.Fault{f}}}).Source()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if !strings.Contains(string(data), name+": ") {
			t.Errorf("the source lacks the field %s:\n%s", name, data)
		}
	}
}

// fill sets all exported fields, and returns their names.
func fill(v reflect.Value) (names []string) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		names = append(names, field.Name)
		switch to := v.Field(i); to.Kind() {
		case reflect.Struct:
			names = append(names, fill(to)...)
		case reflect.String:
			to.SetString("x")
		case reflect.Bool:
			to.SetBool(true)
		case reflect.Slice:
			to.Set(reflect.ValueOf([]string{"x"}))
		default:
			to.SetInt(7)
		}
	}
	return names
}
