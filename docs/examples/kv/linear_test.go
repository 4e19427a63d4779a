package kv

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// scene builds a history from text: one operation a line, as "put 1 @ 10-20",
// "get 1 @ 15-30", or "put 1 @ 10-" for one whose outcome is unknown.
func scene(t *testing.T, text string) *history.History {
	t.Helper()
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	calls := make([]*history.Op, len(lines))
	for now = 1; now < 100; now++ {
		for i, line := range lines {
			kind, rest, _ := strings.Cut(line, " ")
			value, when, _ := strings.Cut(rest, " @ ")
			if value == "-" {
				value = ""
			}
			from, to, _ := strings.Cut(when, "-")
			op := Op{Kind: kind, Key: "x"}
			if kind == "put" {
				op.Value = value
			}
			switch fmt.Sprint(now) {
			case from:
				calls[i] = h.Invoke(fmt.Sprintf("c%d", i), kind, op)
			case to:
				calls[i].OK(map[string]string{"get": value}[kind])
			}
		}
	}
	return h
}

func TestLinearizable(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"nothing", "", ""},
		{"in turn", "put a @ 1-2\n get a @ 3-4\n put b @ 5-6\n get b @ 7-8", ""},
		{"nothing put yet", "get - @ 1-2\n put a @ 3-4", ""},
		{"either, while it is put", "put a @ 1-9\n get - @ 2-3\n get a @ 4-5", ""},
		{"back to before", "put a @ 1-9\n get a @ 2-3\n get - @ 4-5", "no value up to"},
		{"lost", "put a @ 1-2\n get - @ 3-4", "no value up to"},
		{"stale", "put a @ 1-2\n put b @ 3-4\n get a @ 5-6", "the value b at some moment"},
		{"stale but overlapping", "put a @ 1-2\n put b @ 3-9\n get a @ 5-6", ""},
		{"two orders", "put a @ 1-9\n put b @ 1-9\n get a @ 10-11\n get b @ 12-13\n get a @ 14-15", "there was the value"},
		{"unknown, seen", "put a @ 1-2\n put b @ 3-\n get a @ 5-6\n get b @ 7-8", ""},
		{"unknown, seen and gone", "put a @ 1-2\n put b @ 3-\n get b @ 5-6\n get a @ 7-8", "there was the value"},
		{"unknown, never seen", "put a @ 1-2\n put b @ 3-\n get a @ 50-60", ""},
		{"out of nowhere", "get a @ 1-2", "nobody has written"},
		{"before its time", "get a @ 1-2\n put a @ 3-4", "called only later"},
	} {
		err := linear.Map(Calls).Check(scene(t, c.text).All())
		switch {
		case err == nil && c.want != "":
			t.Errorf("%s: no error, want one with %q", c.name, c.want)
		case err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestLinearizableAgainstSearch compares the check with a search through every
// order, on small random histories.
func TestLinearizableAgainstSearch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	bad := 0
	for range 3000 {
		var text strings.Builder
		times := rng.Perm(40)
		values := []string{"-", "a", "b", "c"}
		for i, n := 0, 3+rng.IntN(4); i < n; i++ {
			from, to := times[2*i]+1, times[2*i+1]+1
			if from > to {
				from, to = to, from
			}
			until := fmt.Sprint(to)
			kind, value := "get", values[rng.IntN(4)]
			if i < 3 {
				kind, value = "put", values[i+1]
				if rng.IntN(4) == 0 {
					until = ""
				}
			}
			fmt.Fprintf(&text, "%s %s @ %d-%s\n", kind, value, from, until)
		}
		h := scene(t, text.String())
		err := linear.Map(Calls).Check(h.All())
		want := search(h.Operations(), "")
		if (err == nil) != want {
			t.Fatalf("the check says %v, the search %v, of\n%s", err, want, text.String())
		}
		if !want {
			bad++
		}
	}
	if bad < 300 || bad > 2700 {
		t.Errorf("%d of 3000 histories are wrong; the comparison needs many of both", bad)
	}
}

// search reports whether some order of the operations explains them.
func search(left []history.Operation, value string) bool {
	finished := true
	for i, op := range left {
		if op.Status == history.OK {
			finished = false
		}
		first := true // no other operation has ended before this one begins
		for j, other := range left {
			first = first && (i == j || other.Status != history.OK || other.Return.Event > op.Invoke.Event)
		}
		if !first {
			continue
		}
		rest := append(append([]history.Operation{}, left[:i]...), left[i+1:]...)
		in := op.Input.(Op)
		if in.Kind == "put" && search(rest, in.Value) {
			return true
		}
		if in.Kind == "get" && op.Output == value && search(rest, value) {
			return true
		}
	}
	return finished
}
