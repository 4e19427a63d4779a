package value_test

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/internal/value"
)

type (
	blob  struct{ data []byte }
	names []string
	ring  struct {
		next *ring
		n    int
	}
	mixed struct {
		any  any
		list []any
		at   *int
		by   map[string][]int
		f    func()
		_    []int
	}
)

// samples are values in groups; those of a group are equal to each other and to no
// other.
func samples() [][]any {
	one, two := new(int), new(int)
	loop := func(n int) *ring {
		r := &ring{n: n}
		r.next = r
		return r
	}
	round, other := loop(1), loop(1)
	return [][]any{
		{nil, nil}, {1, 1}, {int64(1)}, {uint8(1)}, {"1", "1"}, {1.5, 1.5}, {true}, {time.Second},
		{[]int{1, 2}, []int{1, 2}}, {[]int{12}}, {[]int{2, 1}}, {[]int{}, []int{}}, {[]int(nil)}, {[]int64{1, 2}}, {[2]int{1, 2}},
		{[]byte("ab"), []byte("ab")}, {[]byte("ac")}, {"ab"},
		{[]string{"a", "bc"}, []string{"a", "bc"}}, {[]string{"ab", "c"}}, {names{"a", "bc"}}, {[]string{"a", "bc", ""}},
		{blob{[]byte("one")}, blob{[]byte("one")}}, {blob{[]byte("two")}}, {blob{}}, {blob{[]byte{}}},
		{[]blob{{[]byte("one")}}, []blob{{[]byte("one")}}}, {[]blob{{[]byte("two")}}},
		{map[string]int{"a": 1, "b": 2}, map[string]int{"b": 2, "a": 1}}, {map[string]int{"a": 2, "b": 1}}, {map[string]int(nil)}, {map[string]int{}},
		{map[string]int{"a": 1, "c": 2}},
		{[]float64{0}, []float64{0}}, {[]float64{1}}, {[]complex128{1i}}, {[]complex128{1}}, {[]bool{true}}, {[]uint16{1}},
		{[]any{1, "a"}, []any{1, "a"}}, {[]any{int64(1), "a"}}, {[]any{nil, "a"}}, {[]any{[]any{1}, "a"}},
		{mixed{list: []any{1}, any: "x"}, mixed{list: []any{1}, any: "x"}}, {mixed{list: []any{1}, any: 1}}, {mixed{by: map[string][]int{"a": {1}}}},
		{mixed{at: one, list: []any{one, two}}, mixed{at: one, list: []any{one, two}}},
		{round}, {[]*ring{other}},
	}
}

func TestKeys(t *testing.T) {
	groups := samples()
	for i, g := range groups {
		for _, a := range g {
			for j, h := range groups {
				for _, b := range h {
					if got := key(t, a) == key(t, b); got != (i == j) {
						t.Errorf("%#v and %#v: equal keys is %t", a, b, got)
					}
				}
			}
		}
	}
	one, two := new(int), new(int)
	if key(t, []*int{one, one}) == key(t, []*int{one, two}) || key(t, []*int{one}) == key(t, []*int{two}) || key(t, one) == key(t, two) {
		t.Error("pointers to two variables are equal")
	}
	if x, y := key(t, struct{ _ []int }{[]int{1}}), key(t, struct{ _ []int }{}); x != y {
		t.Error("a field that == passes over counts")
	}
}

func key(t *testing.T, v any) any {
	t.Helper()
	k, err := value.Key(v)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestWhatCannotBeCompared(t *testing.T) {
	round := []any{nil}
	round[0] = round
	for _, c := range []struct {
		v    any
		want string
	}{
		{mixed{f: func() {}}, "a value of type value_test.mixed cannot be compared: it holds a function (func()); give a part of it, or a text"},
		{round, "a value of type []interface {} cannot be compared: it contains itself; give a part of it, or a text"},
		{map[any]int{1: 1}, "a value of type map[interface {}]int cannot be compared: it holds a map whose keys are interfaces or pointers (map[interface {}]int); give a part of it, or a text"},
	} {
		if k, err := value.Key(c.v); err == nil || err.Error() != c.want {
			t.Errorf("%T: %v, %v, want %s", c.v, k, err, c.want)
		}
	}
}

// TestDiffer compares with reflect.DeepEqual.
func TestDiffer(t *testing.T) {
	var all []any
	for _, g := range samples() {
		all = append(all, g...)
	}
	one := new(int)
	all = append(all, one, new(int), &blob{[]byte("one")}, &blob{[]byte("one")}, &blob{[]byte("two")}, math.NaN(),
		map[any]int{1: 1}, map[any]int{1: 1}, map[any]int{1: 2}, map[any]int{"1": 1}, mixed{f: func() {}}, []*int{one, nil}, []*int{one})
	for _, a := range all {
		for _, b := range all {
			d := value.Differ(a, b)
			if (d == nil) != reflect.DeepEqual(a, b) {
				t.Errorf("%#v and %#v: %+v, but DeepEqual is %t", a, b, d, d != nil)
			}
			if d != nil && d.A == d.B && d.A != "NaN" {
				t.Errorf("%#v and %#v: the difference cannot be seen: %+v", a, b, d)
			}
		}
	}
}

func TestWhereTheyDiffer(t *testing.T) {
	n := 5
	for _, c := range []struct {
		a, b any
		want value.Difference
	}{
		{blob{[]byte("one")}, blob{[]byte("oxe")}, value.Difference{At: ".data[1]", A: "110", B: "120"}},
		{mixed{at: &n}, mixed{at: new(int)}, value.Difference{At: ".at", A: "5", B: "0"}},
		{mixed{by: map[string][]int{"a": {1, 2}}}, mixed{by: map[string][]int{"a": {1}}}, value.Difference{At: `.by["a"]`, A: "2 elements", B: "1 element"}},
		{map[string]int{"a": 1}, map[string]int{"b": 1}, value.Difference{At: `["a"]`, A: "1 element", B: "0 elements"}},
		{map[string]int{}, map[string]int{"b": 1}, value.Difference{At: `["b"]`, A: "0 elements", B: "1 element"}},
		{[]any{1}, []any{int64(1)}, value.Difference{At: "[0]", A: "1 (int)", B: "1 (int64)"}},
		{1, nil, value.Difference{A: "1 (int)", B: "nothing"}},
		{[]int{}, []int(nil), value.Difference{A: "0 elements", B: "nil"}},
		{mixed{f: func() {}}, mixed{}, value.Difference{At: ".f", A: "a func()", B: "nil"}},
	} {
		if got := value.Differ(c.a, c.b); got == nil || *got != c.want {
			t.Errorf("%#v and %#v: %+v, want %+v", c.a, c.b, got, c.want)
		}
	}
}
