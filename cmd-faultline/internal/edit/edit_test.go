package edit

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

func sample() *fault.Schedule {
	return &fault.Schedule{
		Seed: 7, Duration: 10 * time.Second, Quiet: 8 * time.Second,
		Faults: []fault.Fault{
			{ID: "kill#1", Kind: fault.Kill, At: time.Second, Nodes: []string{"n1"}},
			{ID: "blackout#1", Kind: fault.PowerLoss, At: 2 * time.Second, Nodes: []string{"n1", "n2"}},
			{ID: "kill#2", Kind: fault.Kill, At: 3 * time.Second, Nodes: []string{"n2"}},
			{Kind: fault.Loss, At: 4 * time.Second, Rate: 10},
		},
		Choices: []kernel.Choice{{Point: "net/n1>n2/drop", N: 1, Value: 1}, {Point: "disk/n1/crash/log", N: 2, Value: 1}},
		Expect:  &fault.Expect{Kind: "final", Check: "c"},
	}
}

func ids(s *fault.Schedule) string {
	var out []string
	for i := range s.Faults {
		out = append(out, Name(&s.Faults[i]))
	}
	out = append(out, "|")
	for _, c := range s.Choices {
		out = append(out, c.Point)
	}
	return strings.Join(out, " ")
}

func TestDropAndKeep(t *testing.T) {
	for _, c := range []struct {
		name  string
		edit  func(*fault.Schedule, Entries) (*fault.Schedule, error)
		which Entries
		want  string
	}{
		{"drop an id", Drop, Entries{Faults: []string{"kill#1"}}, "blackout#1 kill#2 loss | net/n1>n2/drop disk/n1/crash/log"},
		{"drop a kind", Drop, Entries{Faults: []string{"power-loss"}}, "kill#1 kill#2 loss | net/n1>n2/drop disk/n1/crash/log"},
		{"drop a pattern", Drop, Entries{Faults: []string{"kill#*"}}, "blackout#1 loss | net/n1>n2/drop disk/n1/crash/log"},
		{"drop places", Drop, Entries{Faults: []string{"1", "4"}}, "blackout#1 kill#2 | net/n1>n2/drop disk/n1/crash/log"},
		{"drop choices", Drop, Entries{Choices: []string{"disk/*"}}, "kill#1 blackout#1 kill#2 loss | net/n1>n2/drop"},
		{"drop all", Drop, Entries{Faults: []string{"*"}, Choices: []string{"*"}}, "|"},
		{"keep faults", Keep, Entries{Faults: []string{"kill#2", "loss"}}, "kill#2 loss | net/n1>n2/drop disk/n1/crash/log"},
		{"keep choices", Keep, Entries{Choices: []string{"net/*"}}, "kill#1 blackout#1 kill#2 loss | net/n1>n2/drop"},
	} {
		before := sample().Encode()
		s := sample()
		got, err := c.edit(s, c.which)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if ids(got) != c.want {
			t.Errorf("%s: got %q, want %q", c.name, ids(got), c.want)
		}
		if !bytes.Equal(s.Encode(), before) {
			t.Errorf("%s: the schedule that was given has changed", c.name)
		}
		if _, err := fault.ParseSchedule(got.Encode(), c.name); err != nil {
			t.Errorf("%s: the result is not valid: %v", c.name, err)
		}
	}
}

func TestNamesThatMeanNothing(t *testing.T) {
	s := sample()
	for _, c := range []struct {
		which Entries
		want  string
	}{
		{Entries{Faults: []string{"kill#3"}}, `no fault is "kill#3"; there are kill#1, blackout#1, kill#2, loss`},
		{Entries{Faults: []string{"0"}}, `no fault is "0"`},
		{Entries{Faults: []string{"5"}}, `no fault is "5"`},
		{Entries{Choices: []string{"net"}}, `no choice was made at "net"`},
	} {
		if _, err := Drop(s, c.which); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.which, err, c.want)
		}
	}
}

func TestShiftKeepsFaultsInTheRunAndInOrder(t *testing.T) {
	got, err := Shift(sample(), []string{"kill#1"}, 1500*time.Millisecond)
	if err != nil || ids(got) != "blackout#1 kill#1 kill#2 loss | net/n1>n2/drop disk/n1/crash/log" || got.Faults[1].At != 2500*time.Millisecond {
		t.Errorf("got %s, %v", ids(got), err)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
	if _, err := Shift(sample(), []string{"kill#1"}, -time.Second); err != nil {
		t.Errorf("to the very start: %v", err)
	}
	if got, err := Shift(sample(), []string{"loss"}, 4*time.Second-1); err != nil || got.Validate() != nil {
		t.Errorf("to the last moment: %v, %v", err, got.Validate())
	}
	for by, want := range map[time.Duration]string{
		-time.Second - 1: "use -1s or less",
		7 * time.Second:  "use 6.999999999s or less",
		1<<63 - 1:        "use 6.999999999s or less",
		-1 << 63:         "use -1s or less",
	} {
		if _, err := Shift(sample(), []string{"kill#1"}, by); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("by %v: got %v, want %s", by, err, want)
		}
	}
}
