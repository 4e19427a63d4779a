package history_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/history"
)

const head = `{"format":"faultline/history","version":1}` + "\n"

const good = `{"id":0,"process":"c1","function":"put","status":"pending","invoke":{"time":1,"event":2}}` + "\n"

func TestReadRefuses(t *testing.T) {
	change := func(old, new string) string { return head + strings.Replace(good, old, new, 1) }
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "h.jsonl:1: the file is empty; a history starts with a line with format and version"},
		{"other format", `{"format":"faultline/trace","version":1}` + "\n",
			`h.jsonl:1: field format: "faultline/trace" is not "faultline/history"; this is another kind of file`},
		{"newer", `{"format":"faultline/history","version":2,"more":1}` + "\n",
			"h.jsonl:1: field version: 2 is newer than 1, the newest that this program reads; use a newer faultline"},
		{"version 0", `{"format":"faultline/history","version":0}` + "\n", "h.jsonl:1: field version: 0 is not a version; the first one is 1"},
		{"no JSON", "hello\n", "h.jsonl:1: invalid character 'h' looking for beginning of value; correct the JSON"},
		{"truncated in a line", head + good[:40], "h.jsonl:2: the last line has no end; the file was truncated, get it again in whole"},
		{"truncated JSON", head + good[:40] + "\n", "h.jsonl:2: the text ends too early; the file was truncated, get it again in whole"},
		{"trailing", change("}}", "}} {}"), "h.jsonl:2: there is more text after the end; remove it"},
		{"unknown field", change(`"process"`, `"proces"`), "h.jsonl:2: field proces: it is not part of the format; correct or remove it"},
		{"letter case", change(`"process"`, `"Process"`), "h.jsonl:2: field Process: it is not part of the format; correct or remove it"},
		{"missing field", change(`"process":"c1",`, ""), "h.jsonl:2: field process: it is missing; add it"},
		{"repeated field", change(`"process":"c1",`, `"process":"c1","process":"c1",`), "h.jsonl:2: field process: it is there twice; keep one"},
		{"null", change(`"c1"`, "null"), "h.jsonl:2: field process: want a string, found null"},
		{"wrong type", change(`"c1"`, "[1]"), "h.jsonl:2: field process: want a string, found a list"},
		{"deep wrong type", change(`"time":1`, `"time":"1s"`), "h.jsonl:2: field invoke.time: want an integer, found a string"},
		{"fraction", change(`"event":2`, `"event":2.5`), "h.jsonl:2: field invoke.event: 2.5 is not an integer from 0 on that fits"},
		{"negative event", change(`"event":2`, `"event":-2`), "h.jsonl:2: field invoke.event: -2 is not an integer from 0 on that fits"},
		{"negative time", change(`"time":1`, `"time":-1`), "h.jsonl:2: field invoke.time: -1 is negative; times start at 0"},
		{"out of order", head + good + good, "h.jsonl:3: field id: 0 is out of order; the next one is 1"},
		{"unknown status", change(`"pending"`, `"done"`), `h.jsonl:2: field status: "done" is unknown; use ok, fail, unknown or pending`},
		{"no return", change(`"pending"`, `"ok"`), `h.jsonl:2: field return: it is missing, but the status is "ok"; add it`},
		{"pending with return", change(`"invoke"`, `"return":{"time":1,"event":2},"invoke"`), "h.jsonl:2: field return: a pending operation has none; remove it or correct the status"},
		{"returns before", change(`"pending"`, `"ok","return":{"time":0,"event":2}`), "h.jsonl:2: field return.time: 0 is before the invocation at 1"},
		{"unknown access", change(`"invoke"`, `"txn":[{"type":"delete","key":"k"}],"invoke"`), `h.jsonl:2: field txn[0].type: "delete" is unknown; use read, write or append`},
		{"long line", head + strings.Repeat("x", history.MaxLine+2) + "\n", "h.jsonl:2: the line is longer than 1048576 bytes; it was not written by this package"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := history.Read(strings.NewReader(c.text), "h.jsonl")
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

func TestScanStopsWhenAsked(t *testing.T) {
	n := 0
	for range history.Scan(strings.NewReader(head+good+"broken"), "h") {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d steps", n)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(head + good))
	var b bytes.Buffer
	if err := history.Write(&b, sample().All()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		ops, err := history.Read(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		var once bytes.Buffer
		if err := history.Write(&once, each(ops)); err != nil {
			t.Fatal(err)
		}
		again, err := history.Read(bytes.NewReader(once.Bytes()), "again")
		if err != nil || len(again) != len(ops) {
			t.Fatalf("what was read does not read back: %v\n%s", err, once.Bytes())
		}
	})
}

func each(ops []history.Operation) func(func(*history.Operation) bool) {
	return func(yield func(*history.Operation) bool) {
		for i := range ops {
			if !yield(&ops[i]) {
				return
			}
		}
	}
}
