package artifact_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// readAll reads an artifact and its trace.
func readAll(dir string) error {
	a, err := artifact.Read(dir)
	if err != nil {
		return err
	}
	for _, err := range a.Records() {
		if err != nil {
			return err
		}
	}
	return nil
}

// change replaces text in a file of an artifact.
func change(t *testing.T, dir, name, old, new string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(data), old, new, 1)
	if text == string(data) {
		t.Fatalf("%s has no %q", name, old)
	}
	write(t, filepath.Join(dir, name), text)
}

func TestReadRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(t *testing.T, dir string)
		want string // DIR/ is the directory
	}{
		{"no report", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "report.json")) },
			"DIR/report.json: the file is missing; give an artifact directory of faultline"},
		{"no trace", func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "trace.jsonl")) },
			"DIR/trace.jsonl: the file is missing, but report.json lists it; get the directory again in whole"},
		{"truncated report", func(t *testing.T, dir string) { truncate(t, dir, "report.json", 300) },
			"DIR/report.json:13: field story[2]: the text ends too early; the file was truncated, get it again in whole"},
		{"truncated schedule", func(t *testing.T, dir string) { truncate(t, dir, "schedule.json", 200) },
			"DIR/schedule.json:8: field faults[0].target.nodes: the text ends too early; the file was truncated, get it again in whole"},
		{"truncated history", func(t *testing.T, dir string) { truncate(t, dir, "history.jsonl", 100) },
			"DIR/history.jsonl:2: the last line has no end; the file was truncated, get it again in whole"},
		{"truncated trace", func(t *testing.T, dir string) { truncate(t, dir, "trace.jsonl", 60) },
			"DIR/trace.jsonl:2: the last line has no end; the file was truncated, get it again in whole"},
		{"trace that lacks lines", func(t *testing.T, dir string) {
			truncate(t, dir, "trace.jsonl", int64(len(traceHead)+len(firstLine)+1))
		},
			"DIR/trace.jsonl: it has 1 lines after the header, but report.json says 3; the file was truncated or changed, get it again in whole"},
		{"history that lacks lines", func(t *testing.T, dir string) { change(t, dir, "report.json", `"lines": 2`, `"lines": 9`) },
			"DIR/history.jsonl: it has 2 lines after the header, but report.json says 9; the file was truncated or changed, get it again in whole"},
		{"empty trace", func(t *testing.T, dir string) { truncate(t, dir, "trace.jsonl", 0) },
			"DIR/trace.jsonl:1: the file is empty; a trace starts with a line with format and version"},
		{"newer report", func(t *testing.T, dir string) {
			change(t, dir, "report.json", `"version": 1`, `"new": {}, "version": 2`)
		},
			"DIR/report.json:3: field version: 2 is newer than 1, the newest that this program reads; use a newer faultline"},
		{"newer trace", func(t *testing.T, dir string) { change(t, dir, "trace.jsonl", `"version":1`, `"new":{},"version":2`) },
			"DIR/trace.jsonl:1: field version: 2 is newer than 1, the newest that this program reads; use a newer faultline"},
		{"newer schedule", func(t *testing.T, dir string) { change(t, dir, "schedule.json", `"version": 1`, `"version": 3`) },
			"DIR/schedule.json:3: field version: 3 is newer than 1, the newest that this program reads; use a newer faultline"},
		{"other format", func(t *testing.T, dir string) {
			change(t, dir, "report.json", "faultline/report", "faultline/schedule")
		},
			`DIR/report.json:2: field format: "faultline/schedule" is not "faultline/report"; this is another kind of file`},
		{"large report", func(t *testing.T, dir string) { grow(t, dir, "report.json", artifact.MaxReport+1) },
			"DIR/report.json: it is larger than 16777216 bytes, the most that is read; make it smaller"},
		{"large schedule", func(t *testing.T, dir string) { grow(t, dir, "schedule.json", 256<<20+1) },
			"DIR/schedule.json: it is larger than 268435456 bytes, the most that is read; make it smaller"},
		{"long line", func(t *testing.T, dir string) { grow(t, dir, "trace.jsonl", artifact.MaxLine*2) },
			"DIR/trace.jsonl:5: the line is longer than 1048576 bytes; it was not written by faultline"},
		{"trace is a link", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "trace.jsonl"))
			link(t, "report.json", filepath.Join(dir, "trace.jsonl"))
		}, "DIR/trace.jsonl: it is a symbolic link; only regular files are read"},
		{"trace is a directory", func(t *testing.T, dir string) {
			os.Remove(filepath.Join(dir, "trace.jsonl"))
			mkdir(t, filepath.Join(dir, "trace.jsonl"))
		}, "DIR/trace.jsonl: it is a directory; only regular files are read"},
		{"file outside", func(t *testing.T, dir string) { change(t, dir, "report.json", "timeline.txt", "../x") },
			`DIR/report.json:144: field files[4].name: "../x" is no safe file name; use up to 100 letters, digits, '.', '-', '_' and ',', starting with a letter or digit`},
		{"unknown result", func(t *testing.T, dir string) { change(t, dir, "report.json", `"fail"`, `"maybe"`) },
			`DIR/report.json:4: field result: "maybe" is unknown; use fail or pass`},
		{"pass with failure", func(t *testing.T, dir string) { change(t, dir, "report.json", `"fail"`, `"pass"`) },
			"DIR/report.json:17: field failure: a run that passed has none; remove it or correct the result"},
		{"negative time", func(t *testing.T, dir string) { change(t, dir, "report.json", `"time": "3s"`, `"time": "-3s"`) },
			`DIR/report.json:21: field failure.time: "-3s" is negative; use 0s or more`},
		{"bad seed", func(t *testing.T, dir string) { change(t, dir, "report.json", "0x0000000000000abc", "12") },
			`DIR/report.json:9: field seed: "12" is not a number in hexadecimal; write it like 0x0123456789abcdef`},
		{"unknown field", func(t *testing.T, dir string) { change(t, dir, "report.json", `"events"`, `"evnets"`) },
			"DIR/report.json:78: field run.evnets: it is not part of the format; correct or remove it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := writeFull(t, t.TempDir())
			c.do(t, dir)
			err := readAll(dir)
			want := strings.ReplaceAll(strings.ReplaceAll(c.want, "DIR/", dir+string(filepath.Separator)), "DIR", dir)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestReadOfNoDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "nowhere")
	_, system := os.OpenRoot(dir)
	want := fmt.Sprintf("artifact: %v; give the directory that holds report.json", system)
	if _, err := artifact.Read(dir); err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func truncate(t *testing.T, dir, name string, size int64) {
	t.Helper()
	if err := os.Truncate(filepath.Join(dir, name), size); err != nil {
		t.Fatal(err)
	}
}

// grow makes a file as large as that, with a hole.
func grow(t *testing.T, dir, name string, size int64) { truncate(t, dir, name, size) }

const (
	traceHead = `{"format":"faultline/trace","version":1}` + "\n"
	firstLine = `{"index":0,"time":0,"event":0,"cause":0,"kind":"call"}`
	goodLine  = `{"index":0,"time":5,"event":1,"cause":0,"node":"n1","boot":1,"kind":"mine","attrs":{"a":1}}`
)

func TestScanTraceRefuses(t *testing.T) {
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown field", `"kind"`, `"knid"`, "field knid: it is not part of the format; correct or remove it"},
		{"letter case", `"kind"`, `"Kind"`, "field Kind: it is not part of the format; correct or remove it"},
		{"missing field", `"kind":"mine",`, ``, "field kind: it is missing; add it"},
		{"missing boot", `"boot":1,`, ``, "field boot: it is missing, but there is a node; add it"},
		{"repeated field", `"event":1`, `"event":1,"event":1`, "field event: it is there twice; keep one"},
		{"wrong type", `"mine"`, `5`, "field kind: want a string, found a number"},
		{"null", `"mine"`, `null`, "field kind: want a string, found null"},
		{"text for number", `"time":5`, `"time":"5s"`, "field time: want an integer, found a string"},
		{"negative time", `"time":5`, `"time":-5`, "field time: -5 is not an integer from 0 on that fits"},
		{"late time", `"time":5`, `"time":9000000000000000000`, "field time: 9000000000000000000 is more than 3153600000000000000, the most that is possible"},
		{"fraction", `"event":1`, `"event":1.5`, "field event: want an integer, found a fraction"},
		{"leading zero", `"event":1`, `"event":01`, "field event: 01 starts with a zero; correct the JSON"},
		{"too large", `"event":1`, `"event":18446744073709551616`, "field event: 18446744073709551616 is not an integer from 0 on that fits"},
		{"large boot", `"boot":1`, `"boot":2147483648`, "field boot: 2147483648 is more than 2147483647, the most that is possible"},
		{"attrs as list", `{"a":1}`, `[1]`, "field attrs: want an object, found a list"},
		{"attribute null", `{"a":1}`, `{"a":null}`, "field attrs.a: want text, an integer, true or false, or an object with ns or hash; found null"},
		{"attribute form", `{"a":1}`, `{"a":{"sec":1}}`, `field attrs.a: "sec" is no form of a value; use ns or hash`},
		{"attribute forms", `{"a":1}`, `{"a":{"ns":1,"ns":2}}`, "field attrs.a: want an object with either ns or hash"},
		{"short hash", `{"a":1}`, `{"a":{"hash":"00"}}`, `field attrs.a: "00" is not 16 hexadecimal digits`},
		{"order", `"index":0`, `"index":1`, "field index: 1 is out of order; the next one is 0"},
		{"ends early", `,"kind":"mine","attrs":{"a":1}}`, "", "field boot: the line ends too early; the file was truncated, get it again in whole"},
		{"ends in text", `mine","attrs":{"a":1}}`, "mi", "field kind: the line ends in a string; the file was truncated, get it again in whole"},
		{"trailing", `}}`, `}} x`, "there is more text after the end; remove it"},
		{"no object", goodLine, `[]`, "want an object, found a list"},
		{"control character", `mine`, "mi\x01ne", "field kind: \"mi\x01ne\" is no JSON string; correct the JSON"},
		{"bad escape", `mine`, `mi\xne`, `field kind: "mi\xne" is no JSON string; correct the JSON`},
		{"bad sched", `"kind"`, `"sched":"x","kind"`, `field sched: "x" is not 16 hexadecimal digits`},
	} {
		t.Run(c.name, func(t *testing.T) {
			line := strings.Replace(goodLine, c.old, c.new, 1)
			if line == goodLine {
				t.Fatal("the case changes nothing")
			}
			err := scanError(traceHead + line + "\n")
			if want := "t.jsonl:2: " + c.want; err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
	reserved := strings.Replace(goodLine, `"kind"`, `"goroutine":3,"sched":"00000000000000ff", "kind" `, 1)
	if err := scanError(traceHead + reserved + "\n"); err != nil {
		t.Errorf("reserved fields: %v", err)
	}
}

func scanError(text string) error {
	for _, err := range artifact.ScanTrace(strings.NewReader(text), "t.jsonl") {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestLongRecordsAreCut(t *testing.T) {
	r := kernel.Record{Kind: "mine"}
	for range 300 {
		r.Attrs = append(r.Attrs, kernel.Attr{Key: "k", Type: kernel.AttrString, Text: strings.Repeat("\x00é", 10_000)})
	}
	line := artifact.AppendRecord(nil, &r)
	if len(line) > artifact.MaxLine || !bytes.Contains(line, []byte(`"cut":true`)) {
		t.Errorf("%d bytes", len(line))
	}
	if err := scanError(traceHead + string(line) + "\n"); err != nil {
		t.Error(err)
	}
}

func TestRepeatedKeysAreNumbered(t *testing.T) {
	r := kernel.Record{Kind: "mine", Attrs: []kernel.Attr{kernel.Int("k", 1), kernel.Int("k", 2), kernel.Int("k", 3)}}
	line := string(artifact.AppendRecord(nil, &r))
	if !strings.Contains(line, `{"k":1,"k#2":2,"k#3":3}`) {
		t.Error(line)
	}
}

// Every line is what encoding/json takes for the same.
func FuzzAppendRecord(f *testing.F) {
	f.Add("n1", "mine", "key", "text", int64(5), uint8(0))
	f.Fuzz(func(t *testing.T, node, kind, key, text string, num int64, typ uint8) {
		r := kernel.Record{Time: 1, Node: node, Kind: kind, Attrs: []kernel.Attr{
			{Key: key, Type: kernel.AttrString, Text: text}, {Key: key, Type: kernel.AttrType(typ % 6), Num: num, Text: text},
		}}
		line := artifact.AppendRecord(nil, &r)
		if !json.Valid(line) {
			t.Fatalf("no JSON: %s", line)
		}
		for got, err := range artifact.ScanTrace(io.MultiReader(strings.NewReader(traceHead), bytes.NewReader(line), strings.NewReader("\n")), "t") {
			if err != nil {
				t.Fatalf("%v\n%s", err, line)
			}
			if again := artifact.AppendRecord(nil, &got); !bytes.Equal(again, line) {
				t.Fatalf("reads as\n%s\nnot as\n%s", again, line)
			}
		}
	})
}

func FuzzScanTrace(f *testing.F) {
	f.Add([]byte(goodLine))
	for _, r := range records() {
		f.Add(artifact.AppendRecord(nil, &r))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		err := scanError(traceHead + string(line) + "\n")
		if err == nil && !bytes.Contains(line, []byte("\n")) && len(line) > 0 && !json.Valid(line) {
			t.Fatalf("accepted what is no JSON: %q", line)
		}
	})
}

func FuzzParseReport(f *testing.F) {
	data, err := fullReport().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := artifact.ParseReport(data, "fuzz")
		if err != nil {
			return
		}
		once, err := r.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := artifact.ParseReport(once, "again")
		if err != nil {
			t.Fatalf("what was read does not read back: %v\n%s", err, once)
		}
		r.Text()
		if twice, _ := again.Encode(); !slices.Equal(once, twice) {
			t.Fatalf("prints as\n%s\nthen as\n%s", once, twice)
		}
	})
}
