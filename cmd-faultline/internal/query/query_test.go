package query

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

func trace(records ...kernel.Record) Records {
	return func(yield func(kernel.Record, error) bool) {
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func small() Records {
	return trace(
		kernel.Record{Event: 1, Node: "n1", Kind: "node/boot"},
		kernel.Record{Event: 2, Cause: 1, Node: "n1", Kind: "timer", Time: 5},
		kernel.Record{Event: 2, Cause: 1, Node: "n1", Kind: "net/send", Time: 5, Attrs: []kernel.Attr{kernel.Str("to", "n2")}},
		kernel.Record{Event: 3, Kind: "fault/fire", Time: 6},
		kernel.Record{Event: 5, Cause: 4, Node: "n3", Kind: "proc", Time: 7}, // event 4 has no record
		kernel.Record{Event: 6, Cause: 2, Node: "n2", Kind: "net/deliver", Time: 9},
	)
}

func TestWild(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"", "", true}, {"*", "", true}, {"*", "a/b", true},
		{"net/*", "net/send", true}, {"net/*", "net", false}, {"*end", "send", true}, {"n*1*e", "n11xe", true},
		{"ab*ba", "aba", false}, {"a*b*c", "acb", false}, {"**", "x", true}, {"[n]", "n", false}, {"[n]", "[n]", true},
	} {
		if got := Wild(c.pattern, c.text); got != c.want {
			t.Errorf("Wild(%q, %q) = %v", c.pattern, c.text, got)
		}
	}
}

func TestFilterWantsWhatFitsAllOfIt(t *testing.T) {
	all := Filter{To: -1}
	for _, c := range []struct {
		name   string
		change func(*Filter)
		want   []string
	}{
		{"everything", func(*Filter) {}, []string{"node/boot", "timer", "net/send", "fault/fire", "proc", "net/deliver"}},
		{"node", func(f *Filter) { f.Nodes = []string{"n1"} }, []string{"node/boot", "timer", "net/send"}},
		{"node and world", func(f *Filter) { f.Nodes, f.World = []string{"n2"}, true }, []string{"fault/fire", "net/deliver"}},
		{"kinds", func(f *Filter) { f.Kinds = []string{"net/*", "timer"} }, []string{"timer", "net/send", "net/deliver"}},
		{"time, both ends belong", func(f *Filter) { f.From, f.To = 5, 6 }, []string{"timer", "net/send", "fault/fire"}},
		{"to the start", func(f *Filter) { f.To = 0 }, []string{"node/boot"}},
		{"events", func(f *Filter) { f.Events = map[uint64]bool{6: true} }, []string{"net/deliver"}},
		{"text", func(f *Filter) { f.Text = "n2" }, []string{"net/send"}},
		{"all of it", func(f *Filter) { f.Nodes, f.Kinds, f.From = []string{"n1"}, []string{"net/*"}, time.Duration(1) }, []string{"net/send"}},
	} {
		f := all
		c.change(&f)
		var got []string
		for r := range small() {
			if f.Fits(&r) {
				got = append(got, r.Kind)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}

func TestFollow(t *testing.T) {
	for _, c := range []struct {
		name   string
		follow func(Records, uint64) (map[uint64]bool, error)
		event  uint64
		want   []uint64
	}{
		{"causes", Causes, 6, []uint64{1, 2, 6}},
		{"causes of the first", Causes, 1, []uint64{1}},
		{"causes over an event without a record", Causes, 5, []uint64{4, 5}},
		{"effects", Effects, 1, []uint64{1, 2, 6}},
		{"effects of the last", Effects, 6, []uint64{6}},
	} {
		got, err := c.follow(small(), c.event)
		if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), c.want) {
			t.Errorf("%s of %d: got %v, %v; want %v", c.name, c.event, got, err, c.want)
		}
	}
	for _, follow := range []func(Records, uint64) (map[uint64]bool, error){Causes, Effects} {
		if _, err := follow(small(), 4); err == nil {
			t.Error("an event without a record was followed")
		}
		bad := errors.New("bad line")
		if _, err := follow(func(yield func(kernel.Record, error) bool) { yield(kernel.Record{}, bad) }, 1); !errors.Is(err, bad) {
			t.Errorf("got %v, want the error of the trace", err)
		}
		loop := trace(kernel.Record{Event: 1, Cause: 2, Kind: "a"}, kernel.Record{Event: 2, Cause: 1, Kind: "b"})
		if _, err := follow(loop, 2); err != nil {
			t.Errorf("a trace that bites its tail: %v", err)
		}
	}
}

func TestNatural(t *testing.T) {
	names := []string{"n10", "n2", "c1", "", "n1"}
	slices.SortFunc(names, Natural)
	if want := []string{"", "c1", "n1", "n2", "n10"}; !slices.Equal(names, want) {
		t.Errorf("got %v, want %v", names, want)
	}
}
