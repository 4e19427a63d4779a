package history_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/history"
)

// clock is a clock that the test moves.
type clock struct {
	now   time.Duration
	event uint64
}

func (c *clock) read() (time.Duration, uint64) { return c.now, c.event }

func (c *clock) step() { c.now, c.event = c.now+time.Second, c.event+1 }

func TestOperationsEndInFourWays(t *testing.T) {
	c := &clock{}
	h := history.New(c.read)
	ok, fail := h.Invoke("c1", "put", "a"), h.Invoke("c2", "put", "b")
	unknown := h.Invoke("c3", "get", "c")
	h.Invoke("c4", "get", "d")
	c.step()
	ok.OK(1)
	c.step()
	fail.Fail("not leader")
	unknown.Unknown("timeout")

	var got []string
	for op := range h.All() {
		got = append(got, op.String())
	}
	want := []string{
		"c1 put(a) ok: 1 [0s, 1s]",
		"c2 put(b) fail: not leader [0s, 2s]",
		"c3 get(c) unknown: timeout [0s, 2s]",
		"c4 get(d) pending [0s, …]",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	counts := h.Counts()
	if s := counts.String(); s != "4 operations: 1 ok, 1 fail, 1 unknown, 1 pending" {
		t.Errorf("counts: %s", s)
	}
	each := []history.FunctionCount{{"get", 0, 0, 1, 1}, {"put", 1, 1, 0, 0}}
	if !reflect.DeepEqual(counts.Each, each) {
		t.Errorf("by function: got %v, want %v", counts.Each, each)
	}
	if p := h.Pending(); len(p) != 1 || p[0].Process != "c4" {
		t.Errorf("pending: %v", p)
	}
	if h.Err() != nil {
		t.Errorf("misuse without any: %v", h.Err())
	}
}

func TestOperationsIsACopy(t *testing.T) {
	h := history.New((&clock{}).read)
	op := h.Invoke("c1", "put", nil)
	before := h.Operations()
	op.OK(nil)
	if before[0].Status != history.Pending || h.Operations()[0].Status != history.OK {
		t.Errorf("before %v, after %v", before[0].Status, h.Operations()[0].Status)
	}
}

func TestMisuseIsReportedAndChangesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(h *history.History, op *history.Op)
		want string
	}{
		{"ended twice", func(_ *history.History, op *history.Op) { op.OK(1); op.Fail("no") },
			"history: operation 0 (c1 put) ends as fail but has ended as ok; end an operation once"},
		{"access after the end", func(_ *history.History, op *history.Op) { op.OK(1); op.Read("k", 1) },
			`history: operation 0 (c1 put) has ended as ok and cannot read key "k" any more; add its accesses before it ends`},
		{"attempt after the end", func(_ *history.History, op *history.Op) { op.OK(1); op.Attempt("n1").End("late") },
			`history: operation 0 (c1 put) has ended as ok and cannot attempt "n1" any more; do not retry what is over`},
		{"attempt ended twice", func(_ *history.History, op *history.Op) { a := op.Attempt("n1"); a.End("x"); a.End("y"); op.OK(1) },
			`history: attempt 0 of operation 0 (c1 put) ends as "y" but has ended as "x"; end an attempt once`},
		{"two at a time", func(h *history.History, op *history.Op) { h.Invoke("c1", "get", nil); op.OK(1) },
			"history: operation 1 (c1 get) invokes get while its operation 0 (c1 put) is pending; end that one first, or give each thread a process name of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := history.New((&clock{}).read)
			h.RequireSequential()
			var heard error
			h.OnMisuse(func(err error) { heard = err })
			op := h.Invoke("c1", "put", nil)
			c.do(h, op)
			if heard == nil || heard.Error() != c.want || h.Err() == nil || h.Err().Error() != c.want {
				t.Errorf("heard %v\nkept  %v\nwant  %s", heard, h.Err(), c.want)
			}
			if r := op.Record(); r.Status != history.OK || r.Output != 1 {
				t.Errorf("the operation became %v", r)
			}
		})
	}
}

func TestTwoAtATimeIsAllowedUnlessAsked(t *testing.T) {
	h := history.New((&clock{}).read)
	h.Invoke("c1", "put", nil)
	h.Invoke("c1", "put", nil)
	if h.Err() != nil {
		t.Error(h.Err())
	}
}

func TestMisuseIsBounded(t *testing.T) {
	h := history.New((&clock{}).read)
	op := h.Invoke("c1", "put", nil)
	op.OK(nil)
	for range 100 {
		op.OK(nil)
	}
	lines := strings.Split(h.Err().Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 80 more" {
		t.Errorf("%d lines, the last one %q", len(lines), lines[len(lines)-1])
	}
}

func TestAttemptsAreKeptApart(t *testing.T) {
	c := &clock{}
	h := history.New(c.read)
	op := h.Invoke("c1", "put", nil)
	first := op.Attempt("n1")
	c.step()
	op.Attempt("n2")
	c.step()
	op.OK(nil)
	c.step()
	first.End("answered late")
	want := []history.Attempt{
		{"n1", history.Point{}, history.Point{Time: 3 * time.Second, Event: 3}, "answered late"},
		{"n2", history.Point{Time: time.Second, Event: 1}, history.Point{Time: 2 * time.Second, Event: 2}, "ok"},
	}
	if got := op.Record().Attempts; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

type money int

func (m money) String() string { return fmt.Sprintf("$%d", int(m)) }

type pair struct {
	Key   string `json:"key"`
	Value int    `json:"value"`
}

// blob is a value that JSON would leave everything out of.
type blob struct {
	data []byte
	next *blob
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, ""}, {"plain <text>", "plain <text>"}, {money(5), "$5"}, {errors.New("bad"), "bad"},
		{pair{"a<b", 1}, `{"key":"a<b","value":1}`}, {math.Inf(1), "+Inf"}, {json.RawMessage("[1]"), "[1]"},
		{blob{[]byte("one"), nil}, `{data:"one" next:nil}`}, {[]blob{{nil, &blob{}}}, `[{data:nil next:&{data:nil next:nil}}]`},
		{map[string]any{"b": blob{}, "a": money(3)}, `{"a":$3 "b":{data:nil next:nil}}`},
		{struct{ F func() }{}, "{F:nil}"}, {struct{ At time.Time }{}, `{"At":"0001-01-01T00:00:00Z"}`},
	} {
		if got := history.Text(c.v); got != c.want {
			t.Errorf("Text(%#v) = %q, want %q", c.v, got, c.want)
		}
	}
}

// sample records one of everything.
func sample() *history.History {
	c := &clock{}
	h := history.New(c.read)
	a := h.Invoke("c1", "put", pair{"k<>&\u2028", 1})
	a.Attempt("n1").End("timeout")
	c.step()
	a.Attempt("n2")
	c.step()
	a.OK(true)
	b := h.Invoke("c\"2\"\x00", "txn", nil)
	b.Read("x", nil)
	b.Write("y", 2)
	b.Append("z", money(3))
	b.Unknown("timed\nout")
	h.Invoke("c3", "inf", math.Inf(1))
	f := h.Invoke("c4", "fail", "text")
	f.Fail("")
	return h
}

func write(t *testing.T, h *history.History) string {
	t.Helper()
	var b bytes.Buffer
	if err := history.Write(&b, h.All()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWrite(t *testing.T) {
	want := `{"format":"faultline/history","version":1}
{"id":0,"process":"c1","function":"put","input":{"key":"k<>&\u2028","value":1},"status":"ok","output":true,"invoke":{"time":0,"event":0},"return":{"time":2000000000,"event":2},"attempts":[{"target":"n1","start":{"time":0,"event":0},"end":{"time":0,"event":0},"outcome":"timeout"},{"target":"n2","start":{"time":1000000000,"event":1},"end":{"time":2000000000,"event":2},"outcome":"ok"}]}
{"id":1,"process":"c\"2\"\u0000","function":"txn","status":"unknown","reason":"timed\nout","invoke":{"time":2000000000,"event":2},"return":{"time":2000000000,"event":2},"txn":[{"type":"read","key":"x"},{"type":"write","key":"y","value":2},{"type":"append","key":"z","value":3,"value_text":"$3"}]}
{"id":2,"process":"c3","function":"inf","input_text":"+Inf","status":"pending","invoke":{"time":2000000000,"event":2}}
{"id":3,"process":"c4","function":"fail","input":"text","status":"fail","invoke":{"time":2000000000,"event":2},"return":{"time":2000000000,"event":2}}
`
	if got := write(t, sample()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReadGivesBackWhatWasWritten(t *testing.T) {
	text := write(t, sample())
	ops, err := history.Read(strings.NewReader(text), "h")
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	err = history.Write(&again, func(yield func(*history.Operation) bool) {
		for i := range ops {
			if !yield(&ops[i]) {
				return
			}
		}
	})
	if err != nil || again.String() != text {
		t.Errorf("error %v, got\n%s\nwant\n%s", err, again.String(), text)
	}
	if got := ops[1].Txn[2].Value.(history.Value).String(); got != "$3" {
		t.Errorf("text of a value: %q", got)
	}
	if got := ops[0].String(); got != `c1 put({"key":"k<>&\u2028","value":1}) ok: true [0s, 2s]` {
		t.Errorf("operation: %s", got)
	}
}

// Parts of a value that its JSON leaves out are in the file as text.
func TestHiddenPartsAreWritten(t *testing.T) {
	h := history.New((&clock{}).read)
	h.Invoke("c1", "put", blob{data: []byte("one")}).OK(nil)
	ops, err := history.Read(strings.NewReader(write(t, h)), "h")
	if err != nil {
		t.Fatal(err)
	}
	if got := ops[0].String(); !strings.HasPrefix(got, `c1 put({data:"one" next:nil}) ok`) {
		t.Errorf("read %s", got)
	}
}

func TestLongLinesAreCut(t *testing.T) {
	h := history.New((&clock{}).read)
	op := h.Invoke("c1", "put", strings.Repeat("é", history.MaxLine))
	for range 10_000 {
		op.Write(strings.Repeat("k", 1000), 1)
	}
	op.OK(nil)
	text := write(t, h)
	ops, err := history.Read(strings.NewReader(text), "h")
	if err != nil {
		t.Fatal(err)
	}
	input := ops[0].Input.(history.Value).Text
	if !strings.HasSuffix(input, "é… (2097152 bytes)") || len(input) > 1100 {
		t.Errorf("input of %d bytes ends in %q", len(input), input[len(input)-30:])
	}
}

func BenchmarkOperation(b *testing.B) {
	b.ReportAllocs()
	h := history.New((&clock{}).read)
	for b.Loop() {
		op := h.Invoke("c1", "put", nil)
		op.Attempt("n1")
		op.OK(nil)
		if h.Len() == 1<<16 {
			h = history.New((&clock{}).read)
		}
	}
}

func BenchmarkAppendLine(b *testing.B) {
	b.ReportAllocs()
	op := sample().Operations()[0]
	var line []byte
	for b.Loop() {
		line = history.AppendLine(line[:0], &op)
	}
}
