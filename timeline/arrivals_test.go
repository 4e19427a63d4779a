package timeline

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// net makes a record of message number id of a link.
func net(event, cause uint64, node, what, key, peer string, id uint64, attrs ...kernel.Attr) kernel.Record {
	return kernel.Record{Event: event, Cause: cause, Node: node, Kind: "net/" + what,
		Attrs: append([]kernel.Attr{kernel.Str(key, peer), kernel.Int("id", int64(id)), kernel.Str("type", "m")}, attrs...)}
}

func send(event, cause uint64, node, to string, id uint64) kernel.Record {
	return net(event, cause, node, "send", "to", to, id)
}

func deliver(event, cause uint64, node, from string, id uint64, attrs ...kernel.Attr) kernel.Record {
	return net(event, cause, node, "deliver", "from", from, id, attrs...)
}

// What a proc does with a message is not told without the message, however near
// it is; and the hole that a write leaves in the causes is bridged.
func TestSliceHasTheArrivalsOfWhatItTells(t *testing.T) {
	records := []kernel.Record{
		send(1, 0, "a", "b", 1),
		deliver(2, 1, "b", "a", 1),
		{Event: 3, Cause: 2, Node: "b", Kind: "proc", Attrs: []kernel.Attr{kernel.Str("name", "log")}},
		{Event: 3, Cause: 2, Node: "b", Kind: "disk/write"},
		// event 4 is the end of the write, and has no record
		{Event: 5, Cause: 4, Node: "b", Kind: "proc", Attrs: []kernel.Attr{kernel.Str("name", "log")}},
		send(5, 4, "b", "a", 1),
		deliver(6, 5, "a", "b", 1),
	}
	c, err := Slice(traceOf(6, records), 4)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := numbers(c), []uint64{2, 3, 5, 6}; !slices.Equal(got, want) {
		t.Errorf("steps %v, want %v", got, want)
	}
	if want := []Edge{{2, 3, false}, {3, 5, false}, {5, 6, false}}; !reflect.DeepEqual(c.Edges, want) {
		t.Errorf("edges %v, want %v", c.Edges, want)
	}
	if c, err = Slice(traceOf(6, records), 3); err != nil {
		t.Fatal(err)
	}
	if got, want := numbers(c), []uint64{6}; !slices.Equal(got, want) {
		t.Errorf("with room for three: steps %v, want %v: 5 has no room with its arrival", got, want)
	}
}

// oddTrace has a client that asks a server 30 times, with a copy or a message
// that is held up for each of some, whose arrivals have the numbers 101 and up.
func oddTrace(copies, held int) []kernel.Record {
	var records []kernel.Record
	for n := uint64(1); n <= 30; n++ {
		records = append(records, kernel.Record{Event: 2 * n, Cause: 2*n - 1, Node: "c", Kind: "op/invoke"}, send(2*n, 2*n-1, "c", "s", n))
		switch {
		case n <= uint64(copies):
			records = append(records, net(2*n, 2*n-1, "c", "dup", "to", "s", n))
		case n <= uint64(copies+held):
			records = append(records, net(2*n, 2*n-1, "c", "delay", "to", "s", n))
			continue
		}
		records = append(records, deliver(2*n+1, 2*n, "s", "c", n))
	}
	for n := uint64(1); n <= uint64(copies+held); n++ {
		var attrs []kernel.Attr
		if n <= uint64(copies) {
			attrs = []kernel.Attr{kernel.Int("copy", 1)}
		}
		records = append(records, deliver(100+n, 2*n, "s", "c", n, attrs...))
	}
	return append(records, kernel.Record{Event: 200, Cause: 0, Node: "s", Kind: "x"})
}

func TestOddArrivals(t *testing.T) {
	ops := []history.Operation{
		{ID: 7, Invoke: history.Point{Event: 2}},
		{ID: 8, Invoke: history.Point{Event: 4}},
	}
	for _, c := range []struct {
		name         string
		copies, held int
		to           uint64
		want         []uint64
	}{
		{"none", 0, 0, 200, nil},
		{"few are all taken", 2, 2, 200, []uint64{101, 102, 103, 104}},
		{"up to the failure", 2, 2, 102, []uint64{101, 102}},
		{"of many those of the operations", 3, 3, 200, []uint64{101, 102}},
	} {
		a := traceOf(200, oddTrace(c.copies, c.held))
		a.Operations = ops
		got, err := oddArrivals(a, []int{7, 8}, c.to)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, %v, want %v", c.name, got, err, c.want)
		}
	}
}

// A copy that arrives long before the failure is told, however little room
// there is.
func TestSliceIsAboutOddArrivals(t *testing.T) {
	c, err := Slice(traceOf(200, oddTrace(1, 0)), 5)
	if err != nil {
		t.Fatal(err)
	}
	if got := numbers(c); c.Odd != 1 || !slices.Contains(got, 101) || !slices.Contains(got, 200) || len(got) > 5 {
		t.Errorf("%d odd arrivals, steps %v", c.Odd, got)
	}
}
