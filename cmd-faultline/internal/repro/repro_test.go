package repro

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Everything of a schedule is in the source, and the source is Go.
func TestSource(t *testing.T) {
	x := Test{Place: Place{Package: "kv"}, Name: "TestRepro", Original: "TestKV", About: []string{"what\nfailed", "a \"part\""}, Schedule: &fault.Schedule{
		Test: "TestKV/a", Seed: 7, Duration: 4900 * time.Millisecond, Quiet: 1234567,
		Faults: []fault.Fault{
			{ID: "kill#1", Kind: fault.Kill, At: 1500 * time.Microsecond, For: time.Second, Target: fault.Target{Group: "servers", Role: "leader", Pick: fault.One}, Nodes: []string{"n1", "n2"}, Outcome: fault.Fired},
			{Kind: fault.Loss, When: fault.Trigger{Op: "sync", After: true, Nth: 2}, Peers: []string{"@servers"}, Rate: 5, Amount: -time.Minute, Profile: "torn", Target: fault.Target{Nodes: []string{"n3"}}, Outcome: fault.Skipped},
		},
		Choices: []kernel.Choice{{Point: "net/n1>n2/drop", N: 12, Value: 1, Of: 255}, {Point: "net/n1>n2/drop", N: 13, Value: 1}},
	}}
	data, err := x.Source()
	if err != nil {
		t.Fatal(err)
	}
	source := string(data)
	if _, err := parser.ParseFile(token.NewFileSet(), "x_test.go", data, 0); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	for _, want := range []string{
		"//	what failed\n//	a \"part\"\nfunc TestRepro(t *testing.T) {",
		`{ID: "kill#1", Kind: "kill", At: 1500 * time.Microsecond, For: 1 * time.Second, Target: fault.Target{Group: "servers", Role: "leader", Pick: "one"}, Nodes: []string{"n1", "n2"}},`,
		`When: fault.Trigger{Point: "", Op: "sync", After: true, File: "", Message: "", State: "", Node: "", Nth: 2, Chance: 0}, Target: fault.Target{Nodes: []string{"n3"}}, Peers: []string{"@servers"}, Rate: 5, Amount: -60 * time.Second, Profile: "torn", Outcome: "skipped"},`,
		`{Point: "net/n1>n2/drop", N: 12, Value: 1, Of: 0x00000000000000ff},`,
		`{Point: "net/n1>n2/drop", N: 13, Value: 1},`,
		"Duration: 4900 * time.Millisecond,\n", "Quiet:    1234567,\n", "}, TestKV)\n",
	} {
		if !strings.Contains(source, want) {
			t.Errorf("the source lacks %q:\n%s", want, source)
		}
	}
	x.Schedule = &fault.Schedule{Test: "TestKV", Seed: 1}
	if data, err = x.Source(); err != nil || strings.Contains(string(data), `"time"`) || strings.Contains(string(data), "kernel") {
		t.Errorf("it imports what it does not use (%v):\n%s", err, data)
	}
}
