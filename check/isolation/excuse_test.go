package isolation_test

import (
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// TestExcused are histories that the store is not to blame for. Each is a
// violation without the excuse, and one with a real anomaly beside it stays one.
func TestExcused(t *testing.T) {
	corrupt := func(op *history.Operation) string {
		if op.Process == "bad" {
			return "its read was of a range that a fault had corrupted"
		}
		return ""
	}
	again := func(string) []any { return []any{1, 2, 1} }
	const garbage = "a 1-2: append x 1 \n bad 3-4: read x [7] \n b 5-6: read x [1]"
	const skew = "\n p 1-9: read u [], append v 1 \n q 1-9: read v [], append u 1"
	for _, c := range []struct {
		name, text string
		with       isolation.Checker
		tries      int
		want       string
	}{
		{"corrupted", garbage, isolation.Checker{Excuse: corrupt}, 1, "a fault had corrupted"},
		{"corrupted and skewed", garbage + skew, isolation.Checker{Excuse: corrupt}, 1, ""},
		{"sent twice", "a 1-2: append x 1 \n b 3-4: append x 2 \n c 5-6: read x [1 2 1] \n c 7-8: read x [1 2 1]", isolation.Checker{Resent: true}, 2, "sent it 2 times"},
		{"sent twice, then overwritten", "a 1-2: append x 1 \n b 1-9: append x 2 \n c 5-6: read x [1 1] \n c 10-11: read x [1 1 2]", isolation.Checker{Resent: true}, 2, "sent it 2 times"},
		{"sent twice, seen by itself", "a 1-4: append x 1, read x [1 1] \n c 5-6: read x [1 1]", isolation.Checker{Resent: true}, 2, "sent it 2 times"},
		{"written twice", "a 1-3: write x 1 \n b 2-4: write x 2 \n c 5-6: read x 1 \n c 7-8: read x 1", isolation.Checker{Resent: true, Versions: again}, 2, "sent it 2 times"},
		{"written once", "a 1-3: write x 1 \n b 2-4: write x 2 \n c 5-6: read x 1 \n c 7-8: read x 1", isolation.Checker{Resent: true, Versions: again}, 1, ""},
		{"sent once", "a 1-2: append x 1 \n b 3-4: append x 2 \n c 5-6: read x [1 2 1]", isolation.Checker{Resent: true}, 1, ""},
	} {
		h := scene(t, c.text)
		ops := h.Operations()
		for i := range ops {
			if ops[i].Process == "a" {
				ops[i].Attempts = make([]history.Attempt, c.tries)
			}
		}
		all := func(yield func(*history.Operation) bool) {
			for i := range ops {
				if !yield(&ops[i]) {
					return
				}
			}
		}
		if err := (isolation.Checker{Level: isolation.StrictSerializable, Versions: c.with.Versions}).Check(all); err == nil {
			t.Errorf("%s: no violation without the excuse", c.name)
		}
		c.with.Level = isolation.StrictSerializable
		var r *isolation.Result
		c.with.Report = func(result *isolation.Result) { r = result }
		err := c.with.Check(all)
		switch {
		case c.want == "" && err == nil:
			t.Errorf("%s: there is more than what is excused", c.name)
		case c.want != "" && (err != nil || len(r.Excused) != 1 || !strings.Contains(r.Excused[0].Reason, c.want)):
			t.Errorf("%s: %v, excused %v", c.name, err, r.Excused)
		}
		before, counted := r, 0
		if again := c.with.CheckExcusing(all, func(string) { counted++ }); (again == nil) != (err == nil) || counted != len(before.Excused) || r == before {
			t.Errorf("%s: %v, %d are counted, want %d, and reported too", c.name, again, counted, len(before.Excused))
		}
	}
}

// TestVersions: the order that a simulation knows finds what reads do not tell.
func TestVersions(t *testing.T) {
	h := scene(t, `
		a 1-9: write x 1, write y 1
		b 1-9: write x 2, write y 2`)
	if err := isolation.StrictSerializable.Check(h.All()); err != nil {
		t.Errorf("nobody has read anything: %v", err)
	}
	c := isolation.Checker{Level: isolation.ReadUncommitted, Versions: func(key string) []any {
		return map[string][]any{"x": {1, 2}, "y": {2, 1}}[key]
	}}
	if err := c.Check(h.All()); err == nil || !strings.Contains(err.Error(), "G0") || !strings.Contains(err.Error(), "as the given order of versions says") {
		t.Errorf("got %v", err)
	}
	// A write that was acknowledged and is not in the log is not forgotten.
	lost := scene(t, "a 1-2: write x 1 \n b 3-4: write x 2 \n c 5-6: read x 1")
	c = isolation.Checker{Level: isolation.StrictSerializable, Versions: func(string) []any { return []any{1} }}
	if err := c.Check(lost.All()); err == nil || !strings.Contains(err.Error(), "T1 saw 1 in x, which T2's 2 replaced, for the given order of versions lacks it") {
		t.Errorf("got %v", err)
	}
	c.Versions = func(string) []any { return []any{3} }
	if err := c.Check(h.All()); err == nil || !strings.Contains(err.Error(), `Checker.Versions has 3 for key "x", which no transaction wrote`) {
		t.Errorf("got %v", err)
	}
	// Values read back from a file are compared by what they are in JSON.
	var b strings.Builder
	if err := history.Write(&b, scene(t, "a 1-4: append x 1, append y 1 \n b 2-3: append x 2, append y 2 \n c 5-6: read x [1 2], read y [2 1]").All()); err != nil {
		t.Fatal(err)
	}
	ops, err := history.Read(strings.NewReader(b.String()), "h")
	if err != nil {
		t.Fatal(err)
	}
	r, err := isolation.Checker{}.Run(func(yield func(*history.Operation) bool) {
		for i := range ops {
			if !yield(&ops[i]) {
				return
			}
		}
	})
	if err != nil || len(r.Found) != 1 || r.Found[0].Kind.Anomaly != isolation.G0 {
		t.Errorf("from a file: %v, %v", r, err)
	}
}
