package fault_test

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// everySchedule has a value in every field.
func everySchedule() *fault.Schedule {
	return &fault.Schedule{
		Test: "TestKV/<a>", Package: "example.org/kv", Seed: 0xfedcba9876543210,
		Duration: 90 * time.Second, Quiet: 67500 * time.Millisecond,
		Faults: []fault.Fault{
			{ID: "kill#1", Kind: fault.Kill, At: 1500 * time.Millisecond, For: 2 * time.Second,
				Target: fault.Target{Group: "servers", Role: "leader", Pick: fault.One}, Nodes: []string{"n2"}, Outcome: fault.Fired},
			{ID: "crash", Kind: fault.PowerLoss, When: fault.Trigger{Op: "sync", After: true, File: "wal/*", Node: "n1", Nth: 3}, Profile: "torn"},
			{Kind: fault.OneWay, At: time.Second, For: time.Second, Target: fault.Target{Nodes: []string{"n1"}}, Peers: []string{"n2", "n3"}, Outcome: fault.Inert},
			{Kind: fault.Kill, When: fault.Trigger{Point: "applied"}},
			{Kind: fault.Pause, When: fault.Trigger{Op: "send", Message: "vote*", Chance: 20}, Target: fault.Target{Group: "servers", Pick: fault.Self}},
			{Kind: fault.HoldMessage, When: fault.Trigger{State: "two leaders"}, Target: fault.Target{Nodes: []string{"n1"}}, Amount: time.Hour, Count: 7, Message: "*Ack"},
			{Kind: fault.Loss, At: time.Minute, Rate: 200_000},
			{Kind: fault.WriteFail, At: time.Minute, File: "wal/*", Rate: 5, Target: fault.Target{Nodes: []string{"n1"}}, Profile: "short"},
			{Kind: fault.ClockStep, At: time.Minute, Target: fault.Target{Nodes: []string{"n\"1\u2028"}}, Amount: -time.Hour},
			{Kind: fault.ClockDrift, At: time.Minute, Target: fault.Target{Nodes: []string{"n1"}}, Rate: -500, Outcome: fault.Skipped},
		},
		Choices: []kernel.Choice{
			{Point: "net/n1>n2/drop", N: 12, Value: 1, Time: kernel.Time(time.Second)},
			{Point: "disk/n1/torn", N: 1 << 63, Value: -1 << 62},
		},
		Expect: &fault.Expect{Kind: "invariant", Check: "one leader", Site: "two leaders", Time: 12 * time.Second, Event: 4711, Hash: "00ff"},
	}
}

func TestScheduleReadsBackAsItWas(t *testing.T) {
	for _, s := range []*fault.Schedule{everySchedule(), {Choices: []kernel.Choice{}}} {
		text := s.Encode()
		got, err := fault.ParseSchedule(text, "schedule.json")
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if !reflect.DeepEqual(got, s) {
			t.Errorf("got  %+v\nwant %+v", got, s)
		}
		if again := got.Encode(); !bytes.Equal(again, text) {
			t.Errorf("it prints as\n%s\nand not as\n%s", again, text)
		}
	}
}

// The text of a schedule may change only with the version of its format:
// people keep schedules and edit them.
func TestGoldenSchedule(t *testing.T) {
	file := filepath.Join("testdata", "golden", "schedule.json")
	got := everySchedule().Encode()
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
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

const smallSchedule = `{
  "format": "faultline/schedule",
  "version": 1,
  "seed": "0x0000000000000001",
  "duration": "30s",
  "faults": [
    {"kind":"kill","at":"1s"},
    {"id":"x","kind":"loss","at":"2s","rate":5,"when":{"point":"p"},"target":{"pick":"one"}}
  ],
  "choices": [
    {"point":"net/n1>n2/drop","n":1,"value":1},
    {"point":"net/n1>n2/drop","n":2,"value":1}
  ]
}
`

func TestParseScheduleRefuses(t *testing.T) {
	kinds := kindNames()
	for _, c := range []struct{ name, old, new, want string }{
		{"empty", smallSchedule, "", "s.json:1: the text ends too early; the file was truncated, get it again in whole"},
		{"truncated", smallSchedule[150:], "", "s.json:8: field faults[1]: the text ends too early; the file was truncated, get it again in whole"},
		{"no JSON", `"kill",`, `"kill";`, "s.json:7: field faults[0]: invalid character ';' after object key:value pair; correct the JSON"},
		{"other format", "faultline/schedule", "faultline/report", `s.json:2: field format: "faultline/report" is not "faultline/schedule"; this is another kind of file`},
		{"no format", `"format": "faultline/schedule",`, "", "s.json:14: field format: it is missing; add it"},
		{"newer", `"version": 1,`, `"version": 2, "new": {},`, "s.json:3: field version: 2 is newer than 1, the newest that this program reads; use a newer faultline"},
		{"version 0", `"version": 1`, `"version": 0`, "s.json:3: field version: 0 is not a version; the first one is 1"},
		{"reserved", `"choices"`, "\"goroutines\": [],\n  \"choices\"", "s.json:10: field goroutines: it is reserved for choices that this version cannot replay; use a newer faultline"},
		{"unknown field", `"at":"1s"`, `"att":"1s"`, "s.json:7: field faults[0].att: it is not part of the format; correct or remove it"},
		{"letter case", `"at":"1s"`, `"At":"1s"`, "s.json:7: field faults[0].At: it is not part of the format; correct or remove it"},
		{"missing field", `,"at":"1s"`, ``, "s.json:7: field faults[0].at: it is missing; add it"},
		{"repeated field", `"at":"1s"`, `"at":"1s","at":"1s"`, "s.json:7: field faults[0].at: it is there twice; keep one"},
		{"wrong type", `"at":"1s"`, `"at":1`, "s.json:7: field faults[0].at: want a string, found a number"},
		{"no duration", `"at":"1s"`, `"at":"soon"`, `s.json:7: field faults[0].at: "soon" is no duration; write it like "1.5s" or "200ms"`},
		{"null", `"faults": [`, `"faults": null, "x": [`, "s.json:6: field faults: want a list, found null"},
		{"no seed", `0x0000000000000001`, "12", `s.json:4: field seed: "12" is no seed; write it like "0x0123456789abcdef"`},
		{"large seed", `0x0000000000000001`, "0x10000000000000000", `s.json:4: field seed: "0x10000000000000000" is no seed; write it like "0x0123456789abcdef"`},
		{"trailing", "]\n}\n", "]\n}\n{}", "s.json:15: there is more text after the end; remove it"},
		{"unknown kind", `"kill"`, `"klil"`, `s.json:7: field faults[0].kind: "klil" is unknown; use one of ` + kinds},
		{"negative time", `"at":"1s"`, `"at":"-1s"`, "s.json:7: field faults[0].at: -1s is negative; use 0s or more"},
		{"negative window", `"at":"2s"`, `"at":"2s","for":"-1ms"`, "s.json:8: field faults[1].for: -1ms is negative; use 0s or more"},
		{"negative amount", `"at":"2s"`, `"at":"2s","amount":"-1ms"`, "s.json:8: field faults[1].amount: -1ms is negative; use 0s or more (only clock-step, clock-offset, clock-step-down or clock-strobe take less)"},
		{"negative rate", `"rate":5`, `"rate":-5`, "s.json:8: field faults[1].rate: -5 is negative; use 0 or more (only clock-drift takes less)"},
		{"unknown outcome", `"rate":5`, `"outcome":"ok"`, `s.json:8: field faults[1].outcome: "ok" is unknown; use fired, inert, no-target or skipped, or leave it out`},
		{"unknown pick", `"pick":"one"`, `"pick":"two"`, `s.json:8: field faults[1].target.pick: "two" is unknown; use one, minority, half, majority, all or self`},
		{"no trigger", `"point":"p"`, "", "s.json:8: field faults[1].when: it names neither a point nor an op nor a state; name one, or leave when out"},
		{"two triggers", `"point":"p"`, `"point":"p","op":"sync"`, "s.json:8: field faults[1].when: it names more than one of point, op and state; a fault has one trigger"},
		{"negative nth", `"point":"p"`, `"point":"p","nth":-1`, "s.json:8: field faults[1].when.nth: -1 is negative; the first match is 1"},
		{"bad pattern", `"point":"p"`, `"op":"sync","file":"[a"`, `s.json:8: field faults[1].when.file: "[a" is no pattern of path.Match; close its brackets`},
		{"bad message", `"point":"p"`, `"op":"send","message":"[a"`, `s.json:8: field faults[1].when.message: "[a" is no pattern of path.Match; close its brackets`},
		{"bad chance", `"point":"p"`, `"point":"p","chance":-1`, "s.json:8: field faults[1].when.chance: -1 is no number of parts per million; use 0 to 1000000"},
		{"chance and nth", `"point":"p"`, `"point":"p","chance":5,"nth":2`, "s.json:8: field faults[1].when: it has an nth and a chance; use one"},
		{"negative count", `"rate":5`, `"count":-5`, "s.json:8: field faults[1].count: -5 is negative; use 0 or more"},
		{"same id", `{"kind"`, `{"id":"x","kind"`, `s.json:8: field faults[1].id: "x" is the id of faults[0] too; give each fault its own`},
		{"default choice", `"n":2,"value":1`, `"n":2,"value":0`, "s.json:12: field choices[1].value: 0 is the default, which is not written; remove the line"},
		{"no name", `"n":2,"value":1`, `"n":2,"value":1,"of":"0x0"`, `s.json:12: field choices[1].of: "0x0" names nothing; write it like "0x0123456789abcdef", or remove it to go by n`},
		{"odd name", `"n":2,"value":1`, `"n":2,"value":1,"of":"12"`, `s.json:12: field choices[1].of: "12" names nothing; write it like "0x0123456789abcdef", or remove it to go by n`},
		{"same choice", `"n":2`, `"n":1`, `s.json:12: field choices[1]: occurrence 1 of "net/n1>n2/drop" is chosen by choices[0] too; keep one`},
		{"nameless choice", `"point":"net/n1>n2/drop","n":2`, `"point":"","n":2`, "s.json:12: field choices[1].point: it is empty; name who chooses what"},
		{"negative choice time", `"n":2`, `"n":2,"time":"-1s"`, "s.json:12: field choices[1].time: -1s is outside of a run; use 0s or more"},
		{"negative n", `"n":2`, `"n":-2`, "s.json:12: field choices[1].n: -2 is not an integer from 0 on that fits"},
		{"negative duration", `"30s"`, `"-30s"`, "s.json:5: field duration: -30s is negative; use 0s or more"},
		{"negative quiet", `"30s"`, `"30s","quiet":"-1s"`, "s.json:5: field quiet: -1s is negative; use 0s or more"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(smallSchedule, c.old, c.new, 1)
			if text == smallSchedule {
				t.Fatal("the case changes nothing")
			}
			_, err := fault.ParseSchedule([]byte(text), "s.json")
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
	if _, err := fault.ParseSchedule([]byte(smallSchedule), "s.json"); err != nil {
		t.Errorf("the unchanged schedule: %v", err)
	}
}

func kindNames() string {
	var list []string
	for _, k := range fault.Kinds() {
		list = append(list, string(k))
	}
	return strings.Join(list, ", ")
}

func TestParseScheduleIsBounded(t *testing.T) {
	_, err := fault.ParseSchedule(make([]byte, fault.MaxSchedule+1), "s.json")
	want := "s.json: it is larger than 268435456 bytes, the most that is read; remove choices or shorten the run"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	deep := strings.Repeat(`{"a":`, 1<<20)
	if _, err := fault.ParseSchedule([]byte(deep), "s.json"); err == nil {
		t.Error("deep nesting is accepted")
	}
}

func FuzzParseSchedule(f *testing.F) {
	f.Add([]byte(smallSchedule))
	f.Add(everySchedule().Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := fault.ParseSchedule(data, "fuzz")
		if err != nil {
			return
		}
		text := s.Encode()
		again, err := fault.ParseSchedule(text, "again")
		if err != nil {
			t.Fatalf("what was read does not read back: %v\n%s", err, text)
		}
		if twice := again.Encode(); !bytes.Equal(twice, text) {
			t.Fatalf("prints as\n%s\nthen as\n%s", text, twice)
		}
	})
}

func BenchmarkParseSchedule(b *testing.B) {
	s := everySchedule()
	for n := range uint64(10_000) {
		s.Choices = append(s.Choices, kernel.Choice{Point: "net/n1>n2/loss", N: n, Value: 1, Time: kernel.Time(n)})
	}
	text := s.Encode()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := fault.ParseSchedule(text, "s.json"); err != nil {
			b.Fatal(err)
		}
	}
}

// A choice has the same number as another, and is about something with a name: they are
// two. The text keeps the name, and a name is taken once.
func TestChoicesWithNames(t *testing.T) {
	s, err := fault.ParseSchedule([]byte(strings.Replace(smallSchedule, `"n":2,"value":1`, `"n":1,"value":1,"of":"0x00000000000000ff"`, 1)), "s.json")
	if err != nil {
		t.Fatal(err)
	}
	want := []kernel.Choice{{Point: "net/n1>n2/drop", N: 1, Value: 1}, {Point: "net/n1>n2/drop", N: 1, Value: 1, Of: 255}}
	if !slices.Equal(s.Choices, want) {
		t.Errorf("the choices are %+v", s.Choices)
	}
	again, err := fault.ParseSchedule(s.Encode(), "again.json")
	if err != nil || !slices.Equal(again.Choices, want) {
		t.Errorf("written and read again they are %+v, %v", again, err)
	}
	s.Choices[0].Of, s.Choices[0].N = 255, 7
	if _, err = fault.ParseSchedule(s.Encode(), "s.json"); err == nil || !strings.Contains(err.Error(), `choices[1]: 0xff of "net/n1>n2/drop" is chosen by choices[0] too; keep one`) {
		t.Errorf("the same name twice: %v", err)
	}
}
