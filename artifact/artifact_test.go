package artifact_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

func testKey() artifact.Key {
	return artifact.Key{Package: "example.org/kv", Test: "TestKV/three nodes", Seed: 0xabc}
}

// fullReport has a value in every field.
func fullReport() *artifact.Report {
	return &artifact.Report{
		Result: artifact.Failed, Faultline: "v0.1.0", Go: "go1.26.0",
		Test: "TestKV/three nodes", Package: "example.org/kv", Seed: 0xabc,
		Story: []string{"Three servers, two clients.", "n1 lost power at 1s.", "It restarted at 2s.", "c1 read \"a\" at 3s.", "It saw nothing; it had written 1."},
		Failure: &artifact.Failure{
			Kind: "invariant", Check: "acknowledged writes survive", Message: "a is <nothing>, want 1\nit was acknowledged",
			Time: artifact.Duration(3 * time.Second), Event: 77, Node: "n1", Stack: "goroutine 1\n\tmain.go:1", Detail: "more\x1b[31m",
		},
		Shrunk: &artifact.Shrunk{
			Takes: []string{"12 faults, 3 choices -> 1 fault, 0 choices in 1s, 9 runs", "1s power-loss on n1 (lose-all)"},
			Story: []string{"n1 lost power at 1s.", "c1 read \"a\" at 2.5s."},
			Time:  artifact.Duration(2500 * time.Millisecond), Event: 50, Node: "n1",
		},
		Groups:    []artifact.Group{{"servers", []string{"n1", "n2", "n3"}}, {"clients", []string{"c1", "c2"}}},
		Replay:    artifact.Replay{Command: "FAULTLINE_SEED=0xabc go test -count=1 -run '^TestKV$'", Dir: "kv"},
		TraceHash: strings.Repeat("ab", 32), Signature: "invariant/acknowledged writes survive/a is _",
		Options: []artifact.Setting{{"Duration", "30s"}}, Env: []artifact.Setting{{"FAULTLINE_SEEDS", "1"}},
		Run:         artifact.RunStats{"failed", artifact.Duration(3 * time.Second), 77, 200, true, 5, artifact.Duration(time.Millisecond)},
		Faults:      []artifact.FaultStat{{"power-loss", 3, 1, 1, 0, 1}},
		Intensities: []artifact.Setting{{"power-loss", "every 4s"}},
		History:     artifact.CountOperations(history.Counts{OK: 1, Pending: 1, Each: []history.FunctionCount{{Function: "put", OK: 1, Pending: 1}}}),
		Invariants:  []artifact.CheckStat{{"one leader", 77, artifact.Duration(time.Millisecond)}},
		Coverage:    []artifact.Property{{"leader changed", 1}},
	}
}

// records are one of each type of attribute.
func records() []kernel.Record {
	return []kernel.Record{
		{Index: 0, Kind: "call"},
		{Index: 1, Time: 5, Event: 1, Node: "n1", Boot: 1, Kind: "node/boot"},
		{Index: 2, Time: 1e9, Event: 2, Cause: 1, Node: "n\"1\"\x00é", Boot: 2, Kind: "mine", Attrs: []kernel.Attr{
			{Key: "i", Type: kernel.AttrInt, Num: -5},
			{Key: "u", Type: kernel.AttrUint, Num: -1},
			{Key: "d", Type: kernel.AttrDur, Num: -1500},
			{Key: "b", Type: kernel.AttrBool, Num: 1},
			{Key: "no", Type: kernel.AttrBool},
			{Key: "s", Type: kernel.AttrString, Text: "a\n<b>\u202e"},
			{Key: "h", Type: kernel.AttrHash, Num: -2},
		}},
	}
}

func operations() *history.History {
	h := history.New(func() (time.Duration, uint64) { return time.Second, 2 })
	h.Invoke("c1", "put", "a=1").OK(true)
	h.Invoke("c2", "get", "a")
	return h
}

func schedule() *fault.Schedule {
	return &fault.Schedule{
		Test: "TestKV", Seed: 0xabc, Duration: 30 * time.Second,
		Faults:  []fault.Fault{{ID: "x", Kind: fault.Kill, At: time.Second, Target: fault.Target{Nodes: []string{"n1"}}}},
		Choices: []kernel.Choice{{Point: "net/n1>n2/loss", N: 1, Value: 1}},
	}
}

// writeFull writes an artifact with every sort of file and returns its place.
func writeFull(t testing.TB, root string) string {
	t.Helper()
	w, err := artifact.Create(root, testKey())
	if err != nil {
		t.Fatal(err)
	}
	w.Trace(slices.Values(records()))
	w.Schedule(schedule())
	w.Minimal(schedule())
	w.History(operations().All())
	w.File("timeline.txt", []byte("a timeline\n"))
	w.File("check-1.html", []byte("<p>"))
	w.Report(fullReport())
	dir, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestArtifactReadsBackAsItWas(t *testing.T) {
	root := t.TempDir()
	dir := writeFull(t, root)
	if want := filepath.Join(root, "example.org+kv", "TestKV+three=20nodes~31", "0x0000000000000abc"); dir != want {
		t.Errorf("it is at %s, want %s", dir, want)
	}
	a, err := artifact.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := fullReport()
	want.Format, want.Version = "faultline/report", 1
	want.Files = []artifact.File{{"trace.jsonl", 3}, {"schedule.json", 0}, {"schedule.min.json", 0}, {"history.jsonl", 2},
		{"timeline.txt", 0}, {"check-1.html", 0}, {"report.txt", 0}}
	if !reflect.DeepEqual(a.Report, want) {
		t.Errorf("report: got\n%+v\nwant\n%+v", a.Report, want)
	}
	if !reflect.DeepEqual(a.Schedule, schedule()) {
		t.Errorf("schedule: %+v", a.Schedule)
	}
	if len(a.Operations) != 2 || a.Operations[1].Status != history.Pending {
		t.Errorf("operations: %+v", a.Operations)
	}
	if got := collect(t, a); !reflect.DeepEqual(got, records()) {
		t.Errorf("trace: got\n%+v\nwant\n%+v", got, records())
	}
	if data, err := a.File("check-1.html"); err != nil || string(data) != "<p>" {
		t.Errorf("file: %q, %v", data, err)
	}
	if _, err := a.File("../other"); err == nil {
		t.Error("a file outside is read")
	}
}

// The run of the smaller schedule is read like the whole one.
func TestMinimalRunReadsBack(t *testing.T) {
	root := t.TempDir()
	a, err := artifact.Read(writeFull(t, root))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Minimal(); err == nil || !strings.Contains(err.Error(), "report.min.json is not in its list of files") {
		t.Errorf("an artifact without a shrunk run: %v", err)
	}
	w, err := artifact.Create(root, testKey())
	if err != nil {
		t.Fatal(err)
	}
	small := fullReport()
	small.Failure.Event = 3
	w.Minimal(schedule())
	w.MinimalRun(small, slices.Values(records()[:2]), operations().All())
	w.Report(fullReport())
	dir, err := w.Commit()
	if err != nil {
		t.Fatal(err)
	}
	if a, err = artifact.Read(dir); err != nil {
		t.Fatal(err)
	}
	b, err := a.Minimal()
	if err != nil {
		t.Fatal(err)
	}
	if b.Report.Failure.Event != 3 || a.Report.Failure.Event == 3 || len(b.Operations) != 2 || len(a.Operations) != 0 ||
		!reflect.DeepEqual(b.Schedule, schedule()) || a.Schedule != nil || !reflect.DeepEqual(collect(t, b), records()[:2]) || len(collect(t, a)) != 0 {
		t.Errorf("read %+v with %d operations beside %+v with %d", b.Report, len(b.Operations), a.Report, len(a.Operations))
	}
	if err := os.WriteFile(filepath.Join(dir, "trace.min.jsonl"), []byte("broken\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, err := range b.Records() {
		if err == nil || !strings.Contains(err.Error(), "trace.min.jsonl:1: ") {
			t.Errorf("a broken trace: %v", err)
		}
	}
}

// collect reads the whole trace.
func collect(t *testing.T, a *artifact.Artifact) []kernel.Record {
	t.Helper()
	var out []kernel.Record
	for r, err := range a.Records() {
		if err != nil {
			t.Fatal(err)
		}
		r.Attrs = slices.Clone(r.Attrs)
		if len(r.Attrs) == 0 {
			r.Attrs = nil
		}
		out = append(out, r)
	}
	return out
}

func TestInMemory(t *testing.T) {
	a := artifact.InMemory(fullReport(), nil, nil, slices.Values(records()))
	if got := collect(t, a); !reflect.DeepEqual(got, records()) {
		t.Errorf("got %+v", got)
	}
	for range a.Records() {
		break
	}
	if got := collect(t, artifact.InMemory(fullReport(), nil, nil, nil)); got != nil {
		t.Errorf("without records: %+v", got)
	}
}

// Report.txt is for people; it may change whenever it reads better so.
func TestGoldenReportText(t *testing.T) {
	golden(t, "report.txt", fullReport().Text())
}

// Report.json may change only with the version of its format.
func TestGoldenReport(t *testing.T) {
	data, err := fullReport().Encode()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "report.json", data)
}

// The lines of trace.jsonl may change only with the version of their format.
func TestGoldenTrace(t *testing.T) {
	var data []byte
	for _, r := range records() {
		data = append(artifact.AppendRecord(data, &r), '\n')
	}
	golden(t, "trace.jsonl", data)
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", "golden", name)
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is\n%s\nwant\n%s", name, got, want)
	}
}

func TestVisible(t *testing.T) {
	for _, c := range [][2]string{
		{"plain é 日本", "plain é 日本"},
		{"a\x1b[31mb\x00\x7f\u0085", `a\x1b[31mb\x00\x7f\x85`},
		{"two\nlines\ttab", `two\nlines\ttab`},
		{"evil\u202eexe\u2066\ufeff\u2028", `evil\u{202e}exe\u{2066}\u{feff}\u{2028}`},
		{"bad \xff byte \ufffd", `bad \xff byte ` + "\ufffd"},
	} {
		if got := artifact.Visible(c[0]); got != c[1] {
			t.Errorf("Visible(%q) = %s, want %s", c[0], got, c[1])
		}
	}
}

// A report of a run that shows nothing says so.
func TestTextOfARunThatShowsNothing(t *testing.T) {
	r := fullReport()
	loud := "every fault was inert"
	if strings.Contains(string(r.Text()), loud) {
		t.Errorf("it is loud for nothing:\n%s", r.Text())
	}
	for i := range r.Faults {
		r.Faults[i].Fired, r.Faults[i].Inert = 0, 1
	}
	if !strings.Contains(string(r.Text()), loud) {
		t.Errorf("it is not loud:\n%s", r.Text())
	}
}

func TestWhatFailed(t *testing.T) {
	for want, f := range map[string]artifact.Failure{
		`invariant "one leader" failed`: {Kind: "invariant", Check: "one leader"},
		`new "x" failed`:                {Kind: "new", Check: "x"},
		"panic":                         {Kind: "panic", Check: "panic"},
		"timeout":                       {Kind: "timeout"},
		`fatal in "setup"`:              {Kind: "fatal", Check: "setup"},
	} {
		if got := f.What(); got != want {
			t.Errorf("%+v: %s, want %s", f, got, want)
		}
	}
}
