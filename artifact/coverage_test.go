package artifact_test

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

func coverage(runs uint64, list ...artifact.Coverable) artifact.Coverage {
	return artifact.Coverage{Package: "example.com/kv", Test: "TestKV", Runs: runs, Properties: list}
}

func TestCoverage(t *testing.T) {
	a := coverage(3, artifact.Coverable{Kind: "sometimes", Name: "led", Seen: 2, Seed: 7},
		artifact.Coverable{Kind: "watermark", Name: "size", Seen: 3, Max: 5, Seed: 8})
	b := coverage(4, artifact.Coverable{Kind: "watermark", Name: "size", Seen: 4, Max: 6, Seed: 9},
		artifact.Coverable{Kind: "reachable", Name: "retry"}, artifact.Coverable{Kind: "sometimes", Name: "led", Seen: 1, Seed: 1})
	var file []byte
	var err error
	for _, c := range []artifact.Coverage{a, b} {
		if file, err = c.Append(file); err != nil {
			t.Fatal(err)
		}
	}
	schema := loadSchema(t, "coverage")
	for line := range strings.Lines(string(file)) {
		if err := schema.validate([]byte(line)); err != nil {
			t.Errorf("%v in %s", err, line)
		}
	}
	list, err := artifact.ReadCoverage(strings.NewReader(string(file)), "c.jsonl")
	if err != nil || len(list) != 2 {
		t.Fatalf("%v, %v", list, err)
	}
	sum := list[0]
	sum.Merge(list[1])
	want := `{"format":"faultline/coverage","version":1,"package":"example.com/kv","test":"TestKV","runs":7,"properties":[` +
		`{"kind":"sometimes","name":"led","seen":3,"seed":"0x0000000000000007"},` +
		`{"kind":"watermark","name":"size","seen":7,"max":6,"seed":"0x0000000000000009"},` +
		`{"kind":"reachable","name":"retry","seen":0}]}` + "\n"
	if got, _ := sum.Append(nil); string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for text, want := range map[string]string{
		strings.Replace(want, "reachable", "readable", 1):      `c.jsonl:1: field properties[2].kind: "readable" is unknown`,
		strings.Replace(want, `"runs"`, `"rnus"`, 1):           "c.jsonl:1: field rnus: it is not part of the format",
		strings.Replace(want, `"version":1`, `"version":2`, 1): "c.jsonl:1: field version: 2 is newer than 1",
		want + "{\n": "c.jsonl:2: ",
	} {
		if _, err := artifact.ReadCoverage(strings.NewReader(text), "c.jsonl"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
