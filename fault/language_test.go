package fault

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
)

// drawn returns a fault of any kind with any of its fields, as a script might
// have it.
func drawn(q *kernel.Seq) Fault {
	texts := []string{"", "n1", "vote*", "a b", "\"<é>\u2028"}
	text := func() string { return texts[q.Below(uint64(len(texts)))] }
	span := func() time.Duration { return time.Duration(q.Between(0, int64(time.Hour))) >> q.Below(40) }
	names := func() []string {
		var out []string
		for range q.Below(3) {
			out = append(out, "n"+text())
		}
		return out
	}
	kinds := Kinds()
	f := Fault{Kind: kinds[q.Below(uint64(len(kinds)))], At: span(), For: span(), Peers: names(), Rate: q.Between(0, 1_000_000),
		Amount: span(), Count: q.Between(0, 40), Message: text(), Profile: text(), Nodes: names(), Outcome: []Outcome{"", Fired, Inert, NoTarget, Skipped}[q.Below(5)]}
	f.Target = Target{Nodes: names(), Group: text(), Role: text(), Pick: []Pick{"", One, Minority, Half, Majority, All, Self}[q.Below(7)]}
	switch q.Below(4) {
	case 0:
		f.When = Trigger{Point: "p" + text(), Nth: int(q.Below(5)), Node: text()}
	case 1:
		f.When = Trigger{Op: "send", Message: "m*", After: q.Below(2) == 0, Chance: int(q.Below(1_000_000))}
	case 2:
		f.When = Trigger{State: "s" + text()}
	}
	if f.Kind == ClockStep || f.Kind == ClockStrobe {
		f.Amount = -f.Amount
	}
	return f
}

// A script in JSON is the script in Go: what is written reads back as it was,
// and prints as it parsed.
func TestAnyFaultReadsBackAsItWas(t *testing.T) {
	q := kernel.Seq{Stream: kernel.NewStream(1, "language")}
	for range 3000 {
		f := drawn(&q)
		s := &Schedule{Seed: q.Next(), Duration: time.Minute, Faults: []Fault{f}, Choices: []kernel.Choice{}}
		text := s.Encode()
		got, err := ParseSchedule(text, "s")
		if err != nil {
			t.Fatalf("%+v: %v\n%s", f, err, text)
		}
		if !reflect.DeepEqual(got, s) {
			t.Fatalf("got  %+v\nwant %+v\n%s", got.Faults[0], f, text)
		}
		if again := got.Encode(); !bytes.Equal(again, text) {
			t.Fatalf("prints as\n%s\nand not as\n%s", again, text)
		}
	}
}

// A script that is read from JSON does what it does in Go.
func TestScriptsMeanTheSame(t *testing.T) {
	for seed := range uint64(8) {
		planned, _, err := Plan(kernel.NewStream(seed, "plan"), busy(), time.Second, Known{})
		if err != nil {
			t.Fatal(err)
		}
		s := &Schedule{Duration: time.Second, Faults: planned}
		read, err := ParseSchedule(s.Encode(), "s")
		if err != nil {
			t.Fatal(err)
		}
		var hashes [2]string
		for i, faults := range [][]Fault{planned, read.Faults} {
			k := newSystemAnd(t, kernel.Config{Seed: seed}, 3, 1)
			if err := k.in.Arm(faults, Options{}); err != nil {
				t.Fatal(err)
			}
			hashes[i] = k.run(t, time.Second)
		}
		if hashes[0] != hashes[1] || len(planned) < 5 {
			t.Errorf("seed %d: %d faults, hashes %v", seed, len(planned), hashes)
		}
	}
}
