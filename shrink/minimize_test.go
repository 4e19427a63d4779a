package shrink

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// numbers is a problem that fails when all of need are in the list.
func numbers(n int, need ...int) Problem[int] {
	p := Problem[int]{Key: strconv.Itoa, Test: func(items []int) Verdict {
		for _, x := range need {
			if !slices.Contains(items, x) {
				return Gone
			}
		}
		return Same
	}}
	for i := range n {
		p.Items = append(p.Items, i)
	}
	return p
}

func TestFindsExactlyWhatIsNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n := 1 + rng.IntN(200)
		var need []int
		for i := range n {
			if rng.IntN(n) < 4 {
				need = append(need, i)
			}
		}
		r := Minimize(numbers(n, need...))
		if !slices.Equal(r.Items, need) || !r.Complete || r.Flaky {
			t.Fatalf("of %d: found %v, needed %v (complete %v, flaky %v)", n, r.Items, need, r.Complete, r.Flaky)
		}
		if most := 4*(len(need)+1)*20 + 20; r.Tests > most {
			t.Errorf("of %d items, %d needed: %d tests, want at most %d", n, len(need), r.Tests, most)
		}
	}
}

// With alternatives, any 1-minimal list is right: every item must be needed.
func TestResultIsOneMinimal(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		const n = 40
		var ways [][]int
		for range 1 + rng.IntN(4) {
			var way []int
			for i := range n {
				if rng.IntN(10) == 0 {
					way = append(way, i)
				}
			}
			ways = append(ways, way)
		}
		p := numbers(n)
		p.Test = func(items []int) Verdict {
			for _, way := range ways {
				all := true
				for _, x := range way {
					all = all && slices.Contains(items, x)
				}
				if all {
					return Same
				}
			}
			return Gone
		}
		r := Minimize(p)
		if p.Test(r.Items) != Same {
			t.Fatal("the result does not fail")
		}
		for i := range r.Items {
			if p.Test(slices.Delete(slices.Clone(r.Items), i, i+1)) == Same {
				t.Fatalf("%v also fails without %d", r.Items, r.Items[i])
			}
		}
	}
}

// Two items that are needed can be one: where one is enough for both, it is found.
func TestJoins(t *testing.T) {
	covers := func(lists []int, want int) bool { // an item is a set of bits
		for _, x := range lists {
			if x&want == want {
				return true
			}
			want &^= x
		}
		return want == 0
	}
	p := Problem[int]{
		Items: []int{1, 2, 4, 8, 16},
		Key:   strconv.Itoa,
		Test: func(items []int) Verdict {
			if covers(items, 1|4|16) {
				return Same
			}
			return Gone
		},
		Join: func(a, b int) []int { return []int{a & b, a | b} },
	}
	if r := Minimize(p); !slices.Equal(r.Items, []int{1 | 4 | 16}) || r.Flaky {
		t.Errorf("found %v (flaky: %v)", r.Items, r.Flaky)
	}
	p.Fixed = func(x int) bool { return x == 4 }
	if r := Minimize(p); !slices.Equal(r.Items, []int{1 | 16, 4}) {
		t.Errorf("with an item that stays: found %v", r.Items)
	}
}

func TestGroupsGoFirst(t *testing.T) {
	p := numbers(1000, 7)
	p.Groups = []func(int) string{func(i int) string { return fmt.Sprint(i % 10) }}
	var lists [][]int
	test := p.Test
	p.Test = func(items []int) Verdict {
		lists = append(lists, items)
		return test(items)
	}
	r := Minimize(p)
	if !slices.Equal(r.Items, []int{7}) {
		t.Fatalf("found %v", r.Items)
	}
	// The list, the empty list, then nine of ten groups leave 100 items.
	if got := len(lists[12]); got > 100 {
		t.Errorf("after the groups a list of %d items was tested", got)
	}
}

func TestWeakens(t *testing.T) {
	type fault struct{ id, strength int }
	p := Problem[fault]{
		Items: []fault{{1, 100}, {2, 100}, {3, 100}},
		Key:   func(f fault) string { return fmt.Sprint(f) },
		Test: func(items []fault) Verdict {
			for _, f := range items {
				if f.id == 2 && f.strength >= 30 {
					return Same
				}
			}
			return Gone
		},
		Weaker: func(f fault) (out []fault) {
			for _, s := range []int{0, f.strength / 2, f.strength - 1} {
				if s < f.strength && s >= 0 {
					out = append(out, fault{f.id, s})
				}
			}
			return out
		},
	}
	r := Minimize(p)
	if len(r.Items) != 1 || r.Items[0] != (fault{2, 30}) {
		t.Errorf("found %v, want fault 2 at strength 30", r.Items)
	}
}

func TestKeepsOtherFailuresApart(t *testing.T) {
	p := numbers(16, 3, 9)
	test := p.Test
	p.Test = func(items []int) Verdict {
		if v := test(items); v == Same || !slices.Contains(items, 5) {
			return v
		}
		return Other
	}
	r := Minimize(p)
	if !slices.Equal(r.Items, []int{3, 9}) || len(r.Others) == 0 {
		t.Errorf("found %v, others %v", r.Items, r.Others)
	}
	for _, o := range r.Others {
		if p.Test(o) != Other {
			t.Errorf("%v is no other failure", o)
		}
	}
}

// A search that is stopped at any point leaves a list that fails, and going on
// with its memory ends where an undisturbed search does, in as many tests.
func TestStopsAndGoesOn(t *testing.T) {
	whole := Minimize(numbers(100, 10, 50, 90))
	for stop := range whole.Tests {
		p := numbers(100, 10, 50, 90)
		left := stop
		p.Continue = func() bool { left--; return left >= 0 }
		first := Minimize(p)
		if first.Complete && stop < whole.Tests-1 {
			t.Fatalf("complete after %d of %d tests", stop, whole.Tests)
		}
		if p.Test(first.Items) != Same {
			t.Fatalf("stopped after %d tests with a list that does not fail", stop)
		}
		p.Continue, p.Items, p.Memory = nil, first.Items, first.Memory
		second := Minimize(p)
		if !slices.Equal(second.Items, whole.Items) {
			t.Fatalf("stopped after %d tests: ended at %v, want %v", stop, second.Items, whole.Items)
		}
	}
}

func TestIsDeterministic(t *testing.T) {
	a, b := Minimize(numbers(300, 1, 2, 3, 200)), Minimize(numbers(300, 1, 2, 3, 200))
	if a.Tests != b.Tests || !slices.Equal(a.Items, b.Items) {
		t.Errorf("%d tests and %d tests", a.Tests, b.Tests)
	}
}

func TestFlakyIsNamed(t *testing.T) {
	p := numbers(10, 4)
	p.Items = nil
	if r := Minimize(Problem[int]{Items: []int{1}, Key: strconv.Itoa, Test: func([]int) Verdict { return Gone }}); !r.Flaky {
		t.Error("a list that does not fail at all was taken for a failure")
	}
	calls := 0
	q := numbers(4, 2)
	test := q.Test
	q.Test = func(items []int) Verdict {
		if calls++; calls > 5 {
			return Gone
		}
		return test(items)
	}
	if r := Minimize(q); !r.Flaky {
		t.Errorf("an oracle that changed its mind after 5 of %d tests was not noticed", calls)
	}
}

func TestProgressOnlyGetsBetter(t *testing.T) {
	p := numbers(64, 5, 60)
	last := 65
	p.Progress = func(items []int, tests int) {
		if len(items) > last || tests == 0 {
			t.Errorf("%d items after %d", len(items), last)
		}
		last = len(items)
	}
	Minimize(p)
	if last != 2 {
		t.Errorf("the last progress was at %d items", last)
	}
}

func BenchmarkMinimize(b *testing.B) {
	for b.Loop() {
		Minimize(numbers(1000, 10, 500, 900))
	}
}

// Fixed items are weakened before anything is taken away, and stay.
func TestFixedItemsStay(t *testing.T) {
	p := numbers(100, 7)
	test := p.Test
	p.Items = append(p.Items, 1000)
	p.Fixed = func(i int) bool { return i >= 500 }
	p.Weaker = func(i int) []int {
		if i > 500 {
			return []int{i / 2, i - 1}
		}
		return nil
	}
	weak := 0 // tests until the setting was at its weakest
	p.Test = func(items []int) Verdict {
		last := items[len(items)-1]
		if last < 600 {
			return Gone
		}
		if last > 600 {
			weak++
		}
		return test(items)
	}
	r := Minimize(p)
	if !slices.Equal(r.Items, []int{7, 600}) {
		t.Errorf("found %v, want 7 and the setting at 600", r.Items)
	}
	if weak != 400 {
		t.Errorf("%d tests before the setting was weak, want 400: it goes first", weak)
	}
}

// Testing several lists at once ends at the same list.
func TestSeveralAtOnce(t *testing.T) {
	one := Minimize(numbers(200, 3, 90, 91, 150))
	for width := 2; width < 6; width++ {
		p := numbers(200, 3, 90, 91, 150)
		at, most := 0, 0
		p.Width = width
		p.TestAll = func(lists [][]int) (out []Verdict) {
			at++
			most = max(most, len(lists))
			for _, l := range lists {
				out = append(out, p.Test(l))
			}
			return out
		}
		if r := Minimize(p); !slices.Equal(r.Items, one.Items) || r.Flaky || at == 0 || most > width {
			t.Errorf("width %d: found %v with %d batches of up to %d, want %v", width, r.Items, at, most, one.Items)
		}
	}
}

// A search for the whole list with the memory of one that was stopped goes on
// where that was, whenever that was: no test is made twice.
func TestLearnsForLater(t *testing.T) {
	whole := Minimize(numbers(100, 10, 50, 90))
	for stop := range whole.Tests {
		learnt := Memory{}
		p := numbers(100, 10, 50, 90)
		left := stop
		p.Continue = func() bool { left--; return left >= 0 }
		p.Learn = func(key string, v Verdict) { learnt[key] = v }
		Minimize(p)
		q := numbers(100, 10, 50, 90)
		q.Memory = learnt
		want := whole.Tests - len(learnt)
		if r := Minimize(q); !slices.Equal(r.Items, whole.Items) || r.Tests != want {
			t.Fatalf("stopped after %d tests: then %d tests to %v, want %d to %v", stop, r.Tests, r.Items, want, whole.Items)
		}
	}
}

// An item that counts others follows those that are taken away.
func TestOthersFollow(t *testing.T) {
	p := numbers(40)
	p.Items = append(p.Items, -40) // how many others there are
	p.Test = func(items []int) Verdict {
		if n := len(items) - 1; n > 0 && slices.Contains(items, 7) && items[n] == -n {
			return Same
		}
		return Gone
	}
	alone := Minimize(p)
	p.Follow = func(gone, rest []int) [][]int {
		n := len(rest) - 1
		if n < 0 || rest[n] >= 0 {
			return nil
		}
		moved := slices.Clone(rest)
		moved[n] += len(gone)
		return [][]int{moved}
	}
	r := Minimize(p)
	if !slices.Equal(r.Items, []int{7, -1}) || len(alone.Items) != 41 {
		t.Errorf("left are %v, and %d items where none follows", r.Items, len(alone.Items))
	}
	if r.Tests > 200 {
		t.Errorf("it took %d tests", r.Tests)
	}
}
