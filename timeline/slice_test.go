package timeline

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// traceOf makes an artifact of records that fails in an event.
func traceOf(failing uint64, records []kernel.Record) *artifact.Artifact {
	for i := range records {
		records[i].Index, records[i].Time = uint64(i), kernel.Time(records[i].Event)
	}
	r := &artifact.Report{Result: artifact.Failed, Failure: &artifact.Failure{Kind: "invariant", Check: "c", Event: failing}}
	return artifact.InMemory(r, nil, nil, slices.Values(records))
}

func numbers(c *Causes) []uint64 {
	var out []uint64
	for _, s := range c.Steps {
		out = append(out, s.Event)
	}
	return out
}

func TestSliceFollowsSchedulesAndNodes(t *testing.T) {
	a := traceOf(7, []kernel.Record{
		{Event: 1, Node: "a", Kind: "x"},
		{Event: 2, Node: "b", Kind: "x"},               // has nothing to do with it
		{Event: 3, Cause: 1, Node: "c", Kind: "x"},     // scheduled by 1
		{Event: 4, Cause: 2, Node: "b", Kind: "x"},     // nothing to do with it
		{Event: 5, Cause: 1, Node: "c", Kind: "timer"}, // on c, but not noteworthy
		{Event: 6, Node: "d", Kind: "x"},
		{Event: 7, Cause: 6, Node: "c", Kind: "x"},
		{Event: 7, Cause: 6, Node: "c", Kind: "fail"},
		{Event: 8, Cause: 7, Node: "c", Kind: "x"}, // later
	})
	c, err := Slice(a, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := numbers(c), []uint64{1, 3, 6, 7}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	want := []Edge{{1, 3, false}, {3, 7, true}, {6, 7, false}}
	if !reflect.DeepEqual(c.Edges, want) {
		t.Errorf("edges %v, want %v", c.Edges, want)
	}
	if c.Left != 0 || c.More || len(c.Steps[3].Records) != 2 {
		t.Errorf("%+v", c)
	}
}

func TestSliceKeepsTheClosest(t *testing.T) {
	var records []kernel.Record
	for n := uint64(1); n <= 50; n++ {
		records = append(records, kernel.Record{Event: n, Cause: n - 1, Node: "a", Kind: "x"})
	}
	c, err := Slice(traceOf(50, records), 10)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbers(c); len(got) != 10 || got[0] != 41 || c.Left != 40 {
		t.Errorf("steps %v, left %d", got, c.Left)
	}
}

func TestSliceIsReduced(t *testing.T) {
	// 3 follows from 1 both directly, by the order of node a, and over 2.
	c, err := Slice(traceOf(3, []kernel.Record{
		{Event: 1, Node: "a", Kind: "x"},
		{Event: 2, Cause: 1, Node: "b", Kind: "x"},
		{Event: 3, Cause: 2, Node: "a", Kind: "x"},
	}), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Edge{{1, 2, false}, {2, 3, false}}; !reflect.DeepEqual(c.Edges, want) {
		t.Errorf("edges %v, want %v", c.Edges, want)
	}
}

func TestWindowIsBounded(t *testing.T) {
	var records []kernel.Record
	for n := uint64(1); n <= 100; n++ {
		records = append(records, kernel.Record{Event: n, Cause: n - 1, Node: fmt.Sprint("n", n%3), Kind: "x"})
	}
	w, err := scan(traceOf(100, records), 100, 8)
	if err != nil {
		t.Fatal(err)
	}
	if len(w.events) > 16 || len(w.events) < 8 || w.events[len(w.events)-1].num != 100 {
		t.Fatalf("window of %d events, base %d", len(w.events), w.base)
	}
	if near, found := w.ancestors([]int{len(w.events) - 1}); found != len(w.events) || len(near) != found {
		t.Errorf("%d of %d events are found", found, len(w.events))
	}
	for i := range w.events {
		for _, l := range w.links(i) {
			if from, to := w.events[l.to].num, w.events[i].num; l.order && to-from != 3 || !l.order && to-from != 1 {
				t.Errorf("%d follows %d (order %v)", to, from, l.order)
			}
		}
	}
}

// The slice of small random traces is what plain search finds, and the reduced
// edges reach the same.
func TestSliceAgainstPlainSearch(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var records []kernel.Record
		for n := uint64(1); n <= 30; n++ {
			records = append(records, kernel.Record{Event: n, Cause: rng.Uint64N(n), Node: fmt.Sprint("n", rng.IntN(4)), Kind: []string{"x", "timer"}[rng.IntN(2)]})
		}
		c, err := Slice(traceOf(30, records), MaxSteps)
		if err != nil {
			t.Fatal(err)
		}
		direct := map[uint64][]uint64{}
		last := map[string]uint64{}
		for _, r := range records {
			direct[r.Event] = append(direct[r.Event], r.Cause, last[r.Node])
			if r.Kind == "x" {
				last[r.Node] = r.Event
			}
		}
		want := reach(direct, 30)
		if got := numbers(c); !slices.Equal(got, want) {
			t.Fatalf("seed %d: steps %v, want %v", seed, got, want)
		}
		reduced := map[uint64][]uint64{}
		for _, e := range c.Edges {
			reduced[e.To] = append(reduced[e.To], e.From)
		}
		for _, n := range want {
			if got, want := reach(reduced, n), reach(direct, n); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %d is reached from %v, want %v", seed, n, got, want)
			}
		}
	}
}

// reach returns the events that lead to one, and that one, in order.
func reach(direct map[uint64][]uint64, to uint64) []uint64 {
	seen := map[uint64]bool{}
	var visit func(n uint64)
	visit = func(n uint64) {
		if n == 0 || seen[n] {
			return
		}
		seen[n] = true
		for _, m := range direct[n] {
			visit(m)
		}
	}
	visit(to)
	var out []uint64
	for n := range seen {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

func TestManyRecordsOfAnEventAreCut(t *testing.T) {
	var records []kernel.Record
	for range 100 {
		records = append(records, kernel.Record{Event: 1, Node: "a", Kind: "x"})
	}
	records = append(records, kernel.Record{Event: 1, Node: "a", Kind: "fail"})
	c, err := Slice(traceOf(1, records), 0)
	if err != nil {
		t.Fatal(err)
	}
	s := c.Steps[0]
	if len(s.Records) != maxPerStep+1 || s.Left != 100-maxPerStep || s.Records[maxPerStep].Kind != "fail" {
		t.Errorf("%d records, %d left", len(s.Records), s.Left)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"abc", 5, []string{"abc"}},
		{"abc def", 5, []string{"abc", "def"}},
		{"abcdefghij", 4, []string{"abcd", "efgh", "ij"}},
		{"ééé ééé", 4, []string{"ééé", "ééé"}},
	} {
		if got := wrap(c.text, c.width); !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestNatural(t *testing.T) {
	names := []string{"n10", "c1", "n2", "n1", "x", "n"}
	slices.SortFunc(names, natural)
	if want := []string{"c1", "n", "n1", "n2", "n10", "x"}; !slices.Equal(names, want) {
		t.Errorf("%v", names)
	}
}
