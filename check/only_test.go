package check_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/history"
)

// service is a run of a system that keeps every promise of this package: what
// its clients saw, and the states of its replicas at the end.
type service struct {
	text   string
	states map[string]any
}

func promised() service {
	return service{`
		a id = 7 @ 1-2
		b id = 8 @ 1-2
		a add 1 @ 3-4
		a add 2 @ 5-6
		b add 3 @ 5-
		b read = 1 2 @ 7-8
		a put 1 @ 9-10
		a put 2 @ 11-12
		b take = 2 @ 13-14
		b take = 1 @ 15-16
		b take = @ 17-18
		a plus 5 @ 19-
		b count = 0 @ 20-21
		b count = 5 @ 22-23
		a lock = t1 @ 24-25
		a use 1 @ 26-27
		a unlock @ 28-29
		b lock = t2 @ 30-31
		b use 2 @ 32-33`,
		map[string]any{"n1": " 1 2 3 ", "n2": " 1 2 3 "}}
}

// all are the checkers, each with its promise; several look at the same
// operations.
func (s service) all() map[string]checker {
	has := func(state any, item any) bool { return strings.Contains(state.(string), fmt.Sprint(" ", item, " ")) }
	return map[string]checker{
		"ids": check.UniqueIDs{ID: func(op *history.Operation) (any, bool) {
			out, ok := outputs("id")(op)
			return strings.Join(op.Output.([]string), ""), ok && len(out) > 0
		}},
		"set":   check.Set{Add: arg("add"), Read: outputs("read")},
		"queue": check.Queue{Put: arg("put"), Take: outputs("take"), Drained: true},
		"at least once": check.Queue{Put: arg("put"), Take: func(op *history.Operation) ([]any, bool) {
			out, ok := outputs("take")(op)
			return out, ok && len(out) > 0
		}, Drained: true, AtLeastOnce: true},
		"counter": check.Counter{Add: delta("plus"), Read: number("count")},
		"sessions": check.Sessions{Versions: func(op *history.Operation) []check.Version {
			if n, ok := number("count")(op); ok {
				return []check.Version{{Key: "n", Number: n}}
			}
			return nil
		}},
		"lock": check.Lock{
			Acquired: func(op *history.Operation) (check.Hold, bool) {
				if op.Function != "lock" {
					return check.Hold{}, false
				}
				token, _ := strconv.ParseInt(op.Output.([]string)[0][1:], 10, 64)
				return check.Hold{Key: "l", Owner: op.Process, Token: token}, true
			},
			Released: func(op *history.Operation) (string, string, bool) { return "l", op.Process, op.Function == "unlock" },
			Used: func(op *history.Operation) (string, int64, bool) {
				n, ok := delta("use")(op)
				return "file", n, ok
			},
		},
		"durability": check.Durability{Wrote: arg("add"), Saw: func(op *history.Operation) []any {
			out, _ := outputs("read")(op)
			return out
		}, Kept: func(item any) bool { return has(s.states["n1"], item) }},
		"convergence": check.Convergence{States: func() map[string]any { return s.states }},
	}
}

// TestOnlyOne plants one bug at a time into a run that is right, and demands that
// the checkers named find it, and no other one does.
func TestOnlyOne(t *testing.T) {
	both := func(state string) map[string]any { return map[string]any{"n1": state, "n2": state} }
	for _, c := range []struct {
		bug, line, by string
		states        map[string]any
		finds         []string
	}{
		{"none", "", "", nil, nil},
		{"an identifier is given out twice", "b id = 8", "b id = 7", nil, []string{"ids"}},
		{"a read misses what was added", "b read = 1 2", "b read = 2", nil, []string{"set"}},
		{"an element is taken twice", "b take = @", "b take = 1 @", nil, []string{"queue"}},
		{"an element is never taken", "b take = 1 @ 15-16", "", nil, []string{"queue", "at least once"}},
		{"a count is beyond what was added", "b count = 5", "b count = 6", nil, []string{"counter"}},
		{"a session goes back", "b count = 5 @ 22-23", "b count = 5 @ 22-23 \n b count = 0 @ 34-35", nil, []string{"sessions"}},
		{"two hold the lock", "a unlock @ 28-29", "a unlock @ 36-37", nil, []string{"lock"}},
		{"a token is given out again", "b lock = t2", "b lock = t1", nil, []string{"lock"}},
		{"who was fenced off still writes", "b use 2 @ 32-33", "b use 2 @ 32-33 \n a use 1 @ 38-39", nil, []string{"lock"}},
		{"an acknowledged element is lost at the end", "", "", both(" 2 3 "), []string{"durability"}},
		{"a served element is lost at the end", "b read = 1 2", "b read = 1 2 3", both(" 1 2 "), []string{"durability"}},
		{"a replica stays behind", "", "", map[string]any{"n1": " 1 2 3 ", "n2": " 1 2 "}, []string{"convergence"}},
	} {
		s := promised()
		if c.line != "" && !strings.Contains(s.text, c.line) {
			t.Fatalf("%s: there is no line %q", c.bug, c.line)
		}
		s.text = strings.Replace(s.text, c.line, c.by, 1)
		if c.states != nil {
			s.states = c.states
		}
		var finds []string
		checkers := s.all()
		for _, name := range slices.Sorted(maps.Keys(checkers)) {
			if checkers[name].Check(scene(t, s.text)) != nil {
				finds = append(finds, name)
			}
		}
		slices.Sort(c.finds)
		if !slices.Equal(finds, c.finds) {
			t.Errorf("%s: found by %q, want %q", c.bug, finds, c.finds)
		}
	}
}
