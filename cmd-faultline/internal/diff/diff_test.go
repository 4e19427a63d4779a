package diff

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

func run() []kernel.Record {
	return []kernel.Record{
		{Event: 1, Node: "n1", Boot: 1, Kind: "node/boot"},
		{Event: 2, Cause: 1, Node: "n1", Boot: 1, Kind: "net/send", Time: 10, Attrs: []kernel.Attr{kernel.Str("to", "n2"), kernel.Int("id", 1)}},
		{Event: 3, Cause: 2, Node: "n2", Boot: 1, Kind: "net/deliver", Time: 20, Attrs: []kernel.Attr{kernel.Str("from", "n1"), kernel.Int("id", 1), kernel.Dur("took", 10)}},
		{Event: 3, Cause: 2, Node: "n2", Boot: 1, Kind: "note", Time: 20, Attrs: []kernel.Attr{kernel.Int("x", 1)}},
		{Event: 4, Cause: 1, Node: "n1", Boot: 1, Kind: "timer", Time: 30},
	}
}

// stream yields records in the way of a reader: each is valid until the next.
func stream(list []kernel.Record) query.Records {
	return func(yield func(kernel.Record, error) bool) {
		var attrs [8]kernel.Attr
		for _, r := range list {
			r.Attrs = attrs[:copy(attrs[:], r.Attrs)]
			if !yield(r, nil) {
				return
			}
			clear(attrs[:])
		}
	}
}

func TestEqualTraces(t *testing.T) {
	r, err := Compare(stream(run()), stream(run()), Options{})
	if err != nil || !r.Same() || r.Equal != 5 {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err := Compare(stream(nil), stream(nil), Options{}); err != nil || !r.Same() {
		t.Errorf("empty traces: %+v, %v", r, err)
	}
}

// The text of a message is no part of the trace: its digest tells whether it is
// another one.
func TestContentsAreNotCompared(t *testing.T) {
	trace := func(digest, content string) []kernel.Record {
		return []kernel.Record{{Event: 1, Node: "n1", Kind: "net/send", Attrs: []kernel.Attr{kernel.Str("digest", digest), kernel.Str("content", content)}}}
	}
	if r, err := Compare(stream(trace("7", "{a  b}")), stream(trace("7", "{a b}")), Options{}); err != nil || !r.Same() {
		t.Errorf("other texts: %+v, %v", r, err)
	}
	r, err := Compare(stream(trace("7", "{a}")), stream(trace("8", "{b}")), Options{})
	if err != nil || !slices.Equal(r.Fields, []string{"attrs.digest"}) {
		t.Errorf("other digests: %+v, %v", r, err)
	}
}

func TestFirstDifferenceIsExplained(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func([]kernel.Record) []kernel.Record
		equal  uint64
		fields string
		want   string
	}{
		{"a value", func(l []kernel.Record) []kernel.Record { l[3].Attrs = []kernel.Attr{kernel.Int("x", 2)}; return l }, 3, "attrs.x",
			`Both go on with note on n2 in event 3, but attrs.x is "1" in A and "2" in B.`},
		{"a cause", func(l []kernel.Record) []kernel.Record { l[4].Cause = 3; return l }, 4, "cause",
			"Both go on with timer on n1 in event 4, but cause is event 1 in A and event 3 in B."},
		{"a time", func(l []kernel.Record) []kernel.Record { l[4].Time = 31; return l }, 4, "time",
			"Both go on with timer on n1 in event 4, but time is 0.00000003s in A and 0.000000031s in B."},
		{"an end", func(l []kernel.Record) []kernel.Record { return l[:4] }, 4, "",
			"There B ends; A goes on for 1 record. Its next one: at 0.00000003s, event 4, a timer of n1 fires."},
		{"a record more", func(l []kernel.Record) []kernel.Record {
			return slices.Insert(l, 3, kernel.Record{Event: 3, Cause: 2, Node: "n2", Boot: 1, Kind: "extra", Time: 20})
		}, 3, "kind attrs.x", "In event 3 B has a record that A has not: n2: extra."},
		{"another turn", func(l []kernel.Record) []kernel.Record { l[4].Node = "n3"; return l }, 4, "node",
			"Then in A: at 0.00000003s, event 4, a timer of n1 fires. In B: at 0.00000003s, event 4, a timer of n3 fires. Another node has its turn: from here on the order of events differs."},
		{"sooner", func(l []kernel.Record) []kernel.Record { l[4].Event, l[4].Time, l[4].Node = 5, 25, "n2"; return l }, 4, "time event node",
			"Then in A: at 0.00000003s, event 4, a timer of n1 fires. In B: at 0.000000025s, event 5, a timer of n2 fires. That of B is 5ns earlier."},
		{"the beginning", func(l []kernel.Record) []kernel.Record { l[0].Boot = 2; return l }, 0, "boot", "Both go on with node/boot on n1 in event 1, but boot is"},
	} {
		r, err := Compare(stream(run()), stream(c.change(run())), Options{Before: 2, After: 10})
		if err != nil || r.Same() || r.Equal != c.equal || strings.Join(r.Fields, " ") != c.fields {
			t.Errorf("%s: got %+v, %v", c.name, r, err)
			continue
		}
		if got := r.Explain([2]string{"A", "B"})[1]; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestAlignFindsWhatIsTheSame(t *testing.T) {
	other := run()
	other[3].Attrs = nil
	other[4].Time, other[4].Event = 77, 99
	r, err := Compare(stream(run()), stream(other), Options{After: 10})
	if err != nil {
		t.Fatal(err)
	}
	var marks string
	for _, l := range r.Align() {
		switch {
		case l.B == nil:
			marks += "-"
		case l.A == nil:
			marks += "+"
		default:
			marks += " "
		}
	}
	if marks != "-+ " {
		t.Errorf("got %q", marks)
	}
}

func TestSchedulerTellsTheCause(t *testing.T) {
	list := run()
	if got, err := Scheduler(stream(list), &list[2]); err != nil || got != "at 0.00000001s, event 2, n1 sends a message #1 to n2" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := Scheduler(stream(list), &list[0]); got != "" || err != nil {
		t.Errorf("got %q, %v for a record without a cause", got, err)
	}
}

func TestErrorsOfEitherTrace(t *testing.T) {
	bad := errors.New("bad line")
	broken := func(yield func(kernel.Record, error) bool) {
		if yield(run()[0], nil) {
			yield(kernel.Record{}, bad)
		}
	}
	for i, pair := range [][2]query.Records{{broken, stream(run())}, {stream(run()), broken}, {broken, stream(nil)}, {stream(nil), broken}} {
		if _, err := Compare(pair[0], pair[1], Options{}); !errors.Is(err, bad) {
			t.Errorf("pair %d: got %v", i, err)
		}
	}
}

func TestSchedulesNameWhatIsNotInBoth(t *testing.T) {
	a := &fault.Schedule{Seed: 1, Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill, At: time.Second, Outcome: fault.Fired}},
		Choices: []kernel.Choice{{Point: "net/drop", N: 3, Value: 1, Time: 5}, {Point: "net/drop", N: 7, Value: 1, Of: 99}}}
	b := &fault.Schedule{Seed: 2, Faults: []fault.Fault{{ID: "kill#1", Kind: fault.Kill, At: time.Second}, {Kind: fault.Loss}},
		Choices: []kernel.Choice{{Point: "net/drop", N: 3, Value: 1, Time: 9}, {Point: "net/drop", N: 4, Value: 1},
			{Point: "net/drop", N: 8, Value: 1, Of: 99}}} // the same message at another number
	got := Schedules(a, b, [2]string{"A", "B"})
	want := []string{"The seeds differ: 0x0000000000000001 in A, 0x0000000000000002 in B.", "1 fault only in B: loss at 0s.", "1 choice only in B: net/drop number 4."}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := Schedules(a, nil, [2]string{"A", "B"}); got != nil {
		t.Errorf("got %q without a schedule", got)
	}
}
