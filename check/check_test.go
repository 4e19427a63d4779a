package check_test

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check"
	"github.com/hmdsefi/faultline/history"
)

type checker interface {
	Check(ops iter.Seq[*history.Operation]) error
}

// example is a history, and what the checker must say of it; "" is nothing.
type example struct {
	name string
	c    checker
	text string
	want string
}

// TestExamples has for each checker histories that are right, and ones that
// differ from them in one thing and are not.
func TestExamples(t *testing.T) {
	for _, list := range [][]example{ids(), sets(), queues(), counters(), sessions(), locks(), durable(), converged()} {
		good, bad := 0, 0
		for _, e := range list {
			err := e.c.Check(scene(t, e.text))
			switch {
			case e.want == "" && err != nil:
				t.Errorf("%T, %s: %v", e.c, e.name, err)
			case e.want != "" && (err == nil || !strings.Contains(err.Error(), e.want)):
				t.Errorf("%T, %s: got %v, want %q", e.c, e.name, err, e.want)
			}
			if e.want == "" {
				good++
			} else {
				bad++
			}
		}
		if good == 0 || bad == 0 {
			t.Errorf("%T: %d right and %d wrong ones; both are needed", list[0].c, good, bad)
		}
	}
}

func ids() []example {
	c := check.UniqueIDs{ID: func(op *history.Operation) (any, bool) {
		out, ok := outputs("id")(op)
		if !ok || len(out) == 0 {
			return nil, false
		}
		return out[0], true
	}}
	return []example{
		{"different", c, "a id = 1 @ 1-2 \n b id = 2 @ 1-2 \n a other = 1 @ 3-4", ""},
		{"twice", c, "a id = 1 @ 1-2 \n b id = 1 @ 3-4", "1 was given out twice"},
		{"unknown", c, "a id = 1 @ 1-2 \n b id = 1 @ 3-", ""},
	}
}

func sets() []example {
	c := check.Set{Add: arg("add"), Read: outputs("read")}
	last := c
	last.LastOnly = true
	excused := c
	excused.Excuse = func(element any, _ *history.Operation) string {
		if element == "1" {
			return "the sync of its block failed"
		}
		return ""
	}
	return []example{
		{"all", c, "a add 1 @ 1-2 \n a add 2 @ 3-4 \n b read = 2 1 @ 5-6", ""},
		{"not yet", c, "a add 1 @ 1-5 \n b read = @ 2-3", ""},
		{"already", c, "a add 1 @ 1-5 \n b read = 1 @ 2-3", ""},
		{"lost", c, "a add 1 @ 1-2 \n a add 2 @ 3-4 \n b read = 2 @ 5-6", "lacks 1, which had been added"},
		{"twice", c, "a add 1 @ 1-2 \n b read = 1 1 @ 5-6", "has 1 twice"},
		{"nobody's", c, "a add 1 @ 1-2 \n b read = 1 3 @ 5-6", "has 3, which nobody added"},
		{"failed", c, "a add 1 @ 1-2 fail \n b read = 1 @ 5-6", "has 1, whose addition failed"},
		{"future", c, "a add 1 @ 7-8 \n b read = 1 @ 5-6", "added only later"},
		{"unknown and late", c, "a add 1 @ 1- \n b read = @ 3-4 \n b read = 1 @ 50-60", ""},
		{"seen and gone", c, "a add 1 @ 1-2 \n b read = 1 @ 3-4 \n b read = @ 50-60", "lacks 1"},
		{"lagging", c, "a add 1 @ 1-2 \n b read = @ 3-4 \n b read = 1 @ 50-60", "lacks 1"},
		{"lagging is allowed", last, "a add 1 @ 1-2 \n b read = @ 3-4 \n b read = 1 @ 50-60", ""},
		{"excused", excused, "a add 1 @ 1-2 \n b read = @ 3-4", ""},
		{"not excused", excused, "a add 2 @ 1-2 \n b read = @ 3-4", "lacks 2"},
		{"added twice", c, "a add 1 @ 1-2 \n a add 1 @ 3-4", "put each element once"},
	}
}

func queues() []example {
	c := check.Queue{Put: arg("put"), Take: outputs("take"), Drained: true}
	least := c
	least.AtLeastOnce = true
	running := c
	running.Drained = false
	return []example{
		{"total", c, "a put 1 @ 1-2 \n a put 2 @ 3-4 \n b take = 2 @ 5-6 \n b take = 1 @ 7-8 \n b take = @ 9-10", ""},
		{"lost", c, "a put 1 @ 1-2 \n a put 2 @ 3-4 \n b take = 2 @ 5-6", "1 was put and never taken"},
		{"not drained", running, "a put 1 @ 1-2 \n a put 2 @ 3-4 \n b take = 2 @ 5-6", ""},
		{"taken by nobody knows whom", c, "a put 1 @ 1-2 \n b take @ 5-", ""},
		{"one take cannot take two", c, "a put 1 @ 1-2 \n a put 2 @ 3-4 \n b take @ 5-", "cannot explain 2"},
		{"a failed take takes nothing", c, "a put 1 @ 1-2 \n b take @ 5-6 fail", "never taken"},
		{"twice", c, "a put 1 @ 1-2 \n b take = 1 @ 5-6 \n c take = 1 @ 7-8", "taken twice"},
		{"twice, at least once", least, "a put 1 @ 1-2 \n b take = 1 @ 5-6 \n c take = 1 @ 7-8", ""},
		{"never, at least once", least, "a put 1 @ 1-2", "never taken"},
		{"nobody's", least, "b take = 1 @ 5-6", "which nobody put"},
		{"failed", least, "a put 1 @ 1-2 fail \n b take = 1 @ 5-6", "not put, for certain"},
		{"future", c, "a put 1 @ 7-8 \n b take = 1 @ 5-6", "put only later"},
		{"unknown put", c, "a put 1 @ 1- \n a put 2 @ 1- \n b take = 2 @ 5-6", ""},
	}
}

func counters() []example {
	c := check.Counter{Add: delta("add"), Read: number("read")}
	return []example{
		{"sum", c, "a add 1 @ 1-2 \n a add 2 @ 3-4 \n b read = 3 @ 5-6", ""},
		{"too little", c, "a add 1 @ 1-2 \n a add 2 @ 3-4 \n b read = 2 @ 5-6", "between 3 and 3"},
		{"too much", c, "a add 1 @ 1-2 \n a add 2 @ 3-4 \n b read = 4 @ 5-6", "between 3 and 3"},
		{"during", c, "a add 1 @ 1-9 \n b read = 0 @ 2-3 \n b read = 1 @ 4-5", ""},
		{"during, too much", c, "a add 1 @ 1-9 \n b read = 2 @ 2-3", "between 0 and 1"},
		{"unknown", c, "a add 5 @ 1- \n b read = 5 @ 2-3 \n b read = 0 @ 90-91", ""},
		{"failed", c, "a add 5 @ 1-2 fail \n b read = 5 @ 3-4", "between 0 and 0"},
		{"down", c, "a add -5 @ 1- \n a add 3 @ 1-2 \n b read = -2 @ 5-6 \n b read = 3 @ 7-8", ""},
		{"down too far", c, "a add -5 @ 1- \n a add 3 @ 1-2 \n b read = -3 @ 5-6", "between -2 and 3"},
		{"while it is read", c, "b read = 1 @ 1-9 \n a add 1 @ 2-3 \n a add 1 @ 4-5", ""},
	}
}

func sessions() []example {
	versions := func(op *history.Operation) []check.Version {
		n, err := strconv.ParseInt(op.Output.([]string)[0], 10, 64)
		if err != nil {
			panic(err)
		}
		return []check.Version{{Key: op.Input.([]string)[0], Number: n, Write: op.Function == "write"}}
	}
	c := check.Sessions{Versions: versions}
	reads := check.Sessions{Versions: versions, NotReadYourWrites: true, NotMonotonicReads: true}
	writes := check.Sessions{Versions: versions, NotMonotonicWrites: true, NotWritesFollowReads: true}
	const ryw, mr = "a write x = 2 @ 1-2 \n a read x = 1 @ 3-4", "a read x = 2 @ 1-2 \n a read x = 1 @ 3-4"
	const mw, wfr = "a write x = 2 @ 1-2 \n a write x = 1 @ 3-4", "a read x = 2 @ 1-2 \n a write x = 1 @ 3-4"
	return []example{
		{"in order", c, "a write x = 1 @ 1-2 \n a read x = 1 @ 3-4 \n a read x = 3 @ 5-6 \n a write x = 4 @ 7-8", ""},
		{"of others", c, "a write x = 2 @ 1-2 \n b read x = 1 @ 3-4", ""},
		{"of another key", c, "a write x = 2 @ 1-2 \n a read y = 1 @ 3-4", ""},
		{"read your writes", c, ryw, "read your writes"},
		{"monotonic reads", c, mr, "monotonic reads"},
		{"monotonic writes", c, mw, "monotonic writes"},
		{"writes follow reads", c, wfr, "writes follow reads"},
		{"not asked for", reads, ryw, ""},
		{"not asked for", reads, mr, ""},
		{"not asked for", writes, mw, ""},
		{"not asked for", writes, wfr, ""},
		{"asked for", writes, ryw, "read your writes"},
		{"asked for", reads, mw, "monotonic writes"},
	}
}

func locks() []example {
	c := check.Lock{
		Acquired: func(op *history.Operation) (check.Hold, bool) {
			if op.Function != "lock" {
				return check.Hold{}, false
			}
			h := check.Hold{Key: "l", Owner: op.Process}
			for _, w := range op.Output.([]string) {
				if n, ok := strings.CutPrefix(w, "t"); ok {
					h.Token, _ = strconv.ParseInt(n, 10, 64)
				} else if n, err := strconv.Atoi(w); err == nil {
					h.Lease = time.Duration(n) * time.Millisecond
				}
			}
			return h, true
		},
		Released: func(op *history.Operation) (string, string, bool) { return "l", op.Process, op.Function == "unlock" },
		Used: func(op *history.Operation) (string, int64, bool) {
			n, ok := delta("use")(op)
			return "file", n, ok
		},
	}
	skewed := c
	skewed.Skew = 5 * time.Millisecond
	return []example{
		{"in turn", c, "a lock @ 1-2 \n a unlock @ 3-4 \n b lock @ 5-6", ""},
		{"while it is released", c, "a lock @ 1-2 \n a unlock @ 3-9 \n b lock @ 4-5", ""},
		{"both", c, "a lock @ 1-2 \n b lock @ 3-4 \n a unlock @ 5-6", "held twice"},
		{"never released", c, "a lock @ 1-2 \n b lock @ 30-40", "held twice"},
		{"released, perhaps", c, "a lock @ 1-2 \n a unlock @ 3- \n b lock @ 30-40", ""},
		{"not released", c, "a lock @ 1-2 \n a unlock @ 3-4 fail \n b lock @ 30-40", "held twice"},
		{"a lock that timed out", c, "a lock @ 1- \n b lock @ 30-40", ""},
		{"lease over", c, "a lock = 10 @ 1-2 \n b lock = 10 @ 12-13", ""},
		{"lease not over", c, "a lock = 10 @ 1-2 \n b lock = 10 @ 8-9", "held twice"},
		{"lease not over, with skew", skewed, "a lock = 10 @ 1-2 \n b lock = 10 @ 8-9", ""},
		{"got too late", c, "a lock = 10 @ 1-20 \n b lock = 10 @ 12-13", ""},
		{"tokens grow", c, "a lock = 5 t1 @ 1-2 \n b lock = 5 t2 @ 12-13", ""},
		{"a token twice", c, "a lock = 5 t1 @ 1-2 \n b lock = 5 t1 @ 12-13", "token 1 of l was given out twice"},
		{"a token that shrinks", c, "a lock = 5 t2 @ 1-2 \n b lock = 5 t1 @ 12-13", "token 1 of l is smaller than 2"},
		{"renewed and released", c, "a lock = 10 @ 1-2 \n a lock = 10 @ 3-4 \n a unlock @ 5-6 \n b lock = 10 @ 7-8", ""},
		{"renewed, over", c, "a lock = 10 @ 1-2 \n a lock = 10 @ 8-9 \n b lock = 10 @ 18-19", ""},
		{"renewed, not over", c, "a lock = 10 @ 1-2 \n a lock = 10 @ 8-9 \n b lock = 10 @ 12-13", "held twice"},
		{"renewed for less", c, "a lock = 10 @ 1-2 \n a lock = 3 @ 4-5 \n b lock = 10 @ 8-9", "held twice"},
		{"released, then acquired again", c, "a lock = 10 @ 1-2 \n a unlock @ 3-4 \n a lock = 10 @ 5-6 \n b lock @ 7-8", "held twice"},
		{"released, then acquired again at once", c, "a lock = 10 @ 1-2 \n a unlock @ 3-4 \n a lock = 10 @ 4-6 \n b lock @ 7-8", "held twice"},
		{"renewed while it is released", c, "a lock = 10 @ 1-2 \n a unlock @ 3-6 \n a lock = 10 @ 4-5 \n b lock @ 7-8", ""},
		{"released while it is renewed", c, "a lock = 10 @ 1-2 \n a lock = 10 @ 3-6 \n a unlock @ 4-5 \n b lock @ 7-8", ""},
		{"a renewal keeps its token", c, "a lock = 5 t1 @ 1-2 \n a lock = 5 t1 @ 3-4 \n a lock = 5 t1 @ 5-6 \n b lock = 5 t2 @ 12-13", ""},
		{"a renewal has a new token", c, "a lock = 5 t1 @ 1-2 \n a lock = 5 t2 @ 3-4 \n b lock = 5 t3 @ 12-13", ""},
		{"the token of a renewal for another", c, "a lock = 5 t1 @ 1-2 \n a lock = 5 t1 @ 3-4 \n b lock = 5 t1 @ 12-13", "token 1 of l was given out twice"},
		{"a renewal after another had it", c, "a lock = 5 t1 @ 1-2 \n b lock = 5 t2 @ 12-13 \n a lock = 5 t1 @ 23-24", "token 1 of l is smaller than 2"},
		{"a token again at once", c, "a lock = t1 @ 1-2 \n a unlock @ 3-4 \n a lock = t1 @ 4-6", "token 1 of l was given out twice"},
		{"a token again after the release", c, "a lock = t1 @ 1-2 \n a unlock @ 3-4 \n a lock = t1 @ 5-6", "token 1 of l was given out twice"},
		{"fenced", c, "a use 1 @ 1-2 \n b use 2 @ 3-4 \n a use 1 @ 5-6 fail", ""},
		{"not fenced", c, "a use 1 @ 1-2 \n b use 2 @ 3-4 \n a use 1 @ 5-6", "used with token 1 after token 2"},
		{"used at once", c, "b use 2 @ 3-5 \n a use 1 @ 4-6", ""},
	}
}

func durable() []example {
	kept := func(items string) func(any) bool {
		return func(item any) bool { return strings.Contains(" "+items+" ", fmt.Sprint(" ", item, " ")) }
	}
	of := func(items string) check.Durability {
		return check.Durability{Wrote: arg("put"), Kept: kept(items), Saw: func(op *history.Operation) []any {
			out, _ := outputs("get")(op)
			return out
		}}
	}
	excused := of("2")
	excused.Excuse = func(item any, _ *history.Operation) string {
		return map[any]string{"1": "a fault corrupted block 3 of the log at 5ms"}[item]
	}
	return []example{
		{"kept", of("1 2"), "a put 1 @ 1-2 \n a put 2 @ 3-4", ""},
		{"lost", of("2"), "a put 1 @ 1-2 \n a put 2 @ 3-4", "1 is lost, and had been acknowledged"},
		{"unknown and lost", of(""), "a put 1 @ 1-", ""},
		{"unknown and kept", of("1"), "a put 1 @ 1-", ""},
		{"unknown, served and lost", of(""), "a put 1 @ 1- \n b get = 1 @ 3-4", "1 is lost, and had been served to a reader"},
		{"failed and kept", of("1"), "a put 1 @ 1-2 fail", "1 is there, and its write failed"},
		{"failed and served", of(""), "a put 1 @ 1-2 fail \n b get = 1 @ 3-4", "was served 1, whose write failed"},
		{"served from nowhere", of(""), "b get = 1 @ 3-4", "which nobody wrote"},
		{"excused", excused, "a put 1 @ 1-2 \n a put 2 @ 3-4", ""},
		{"not excused", excused, "a put 1 @ 1-2 \n a put 3 @ 3-4", "3 is lost"},
	}
}

func converged() []example {
	of := func(states ...string) check.Convergence {
		m := map[string]any{}
		for i, s := range states {
			m[fmt.Sprint("n", i+1)] = s
		}
		return check.Convergence{
			States: func() map[string]any { return m },
			Has: func(state any, op *history.Operation) bool {
				return strings.Contains(state.(string), op.Input.([]string)[0])
			},
			Changes: func(op *history.Operation) bool { return op.Function == "add" },
		}
	}
	return []example{
		{"equal", of("12", "12"), "a add 1 @ 1-2 \n b add 2 @ 1- \n c get @ 3-4", ""},
		{"not equal", of("12", "1"), "a add 1 @ 1-2 \n b add 2 @ 1-", "n1 has 12, but n2 has 1"},
		{"lost everywhere", of("2", "2"), "a add 1 @ 1-2 \n b add 2 @ 1-2", "n1 lacks"},
		{"failed", of("12", "12"), "a add 1 @ 1-2 \n b add 2 @ 1-2 fail", "which failed"},
		{"nobody", of(), "a add 1 @ 1-2", "returned no replica"},
	}
}

// faultlineCheck is what faultline asks a check for, to count what it excuses.
type faultlineCheck interface {
	CheckExcusing(ops iter.Seq[*history.Operation], excused func(reason string)) error
}

// TestReports: what is excused is reported with the reason.
func TestReports(t *testing.T) {
	var got []string
	report := func(v any, reason string) { got = append(got, fmt.Sprint(v, ": ", reason)) }
	excuse := func(any, *history.Operation) string { return "a failed sync" }
	for _, c := range []struct {
		c    checker
		text string
		want string
	}{
		{check.Set{Add: arg("add"), Read: outputs("read"), Excuse: excuse, Report: report},
			"a add 1 @ 1-2 \n b read = @ 3-4 \n b read = @ 5-6", "1: a failed sync"},
		{check.Queue{Put: arg("put"), Take: outputs("take"), Drained: true, Excuse: excuse, Report: report}, "a put 1 @ 1-2", "1: a failed sync"},
		{check.Queue{Put: arg("put"), Take: outputs("take"), Drained: true, Report: report},
			"a put 1 @ 1-2 \n b take @ 3-", "1: an operation whose outcome is unknown may have taken it"},
		{check.Durability{Wrote: arg("put"), Kept: func(any) bool { return false }, Excuse: excuse, Report: report},
			"a put 1 @ 1-2", "1: a failed sync"},
	} {
		got = nil
		if err := c.c.Check(scene(t, c.text)); err != nil || len(got) != 1 || got[0] != c.want {
			t.Errorf("%T: %v, reported %q, want %q", c.c, err, got, c.want)
		}
		var counted []string
		by := c.c.(faultlineCheck)
		if err := by.CheckExcusing(scene(t, c.text), func(reason string) { counted = append(counted, reason) }); err != nil || len(counted) != 1 || "1: "+counted[0] != c.want || len(got) != 2 {
			t.Errorf("%T: %v, counted %q, want %q, and reported again: %q", c.c, err, counted, c.want, got)
		}
	}
}

// TestResent: a retry that a client library made may have had its effect twice.
func TestResent(t *testing.T) {
	resent := func(text string) iter.Seq[*history.Operation] {
		return func(yield func(*history.Operation) bool) {
			for op := range scene(t, text) {
				o := *op
				if o.Function == "add" {
					o.Attempts = make([]history.Attempt, 2)
				}
				if !yield(&o) {
					return
				}
			}
		}
	}
	counter := check.Counter{Add: delta("add"), Read: number("read")}
	counters := counter
	counters.Resent = true
	told := ""
	queue := check.Queue{Put: arg("add"), Take: outputs("take"), Drained: true, Report: func(v any, reason string) { told += fmt.Sprint(v, ": ", reason) }}
	queues := queue
	queues.Resent = true
	for _, e := range []example{
		{"added twice", counters, "a add 5 @ 1-2 \n b read = 10 @ 3-4", ""},
		{"added twice, once too often", counter, "a add 5 @ 1-2 \n b read = 10 @ 3-4", "saw 10"},
		{"added three times", counters, "a add 5 @ 1-2 \n b read = 15 @ 3-4", "saw 15"},
		{"taken twice", queues, "a add 5 @ 1-2 \n b take = 5 @ 3-4 \n c take = 5 @ 5-6", ""},
		{"taken twice, once too often", queue, "a add 5 @ 1-2 \n b take = 5 @ 3-4 \n c take = 5 @ 5-6", "taken twice"},
		{"taken three times", queues, "a add 5 @ 1-2 \n b take = 5 5 @ 3-4 \n c take = 5 @ 5-6", "taken twice"},
	} {
		told = ""
		err := e.c.Check(resent(e.text))
		if (err == nil) != (e.want == "") || err != nil && !strings.Contains(err.Error(), e.want) {
			t.Errorf("%s: got %v, want %q", e.name, err, e.want)
		}
		if e.name == "taken twice" && told != "5: the client library sent it 2 times, and each copy may have been put" {
			t.Errorf("%s: told %q", e.name, told)
		}
	}
}

// TestManyProblems: an error lists the first problems and counts the rest.
func TestManyProblems(t *testing.T) {
	err := check.Set{Add: arg("add"), Read: outputs("read")}.Check(scene(t, "a read = 1 2 3 4 5 6 7 @ 1-2"))
	if err == nil || strings.Count(err.Error(), "\n") != 5 || !strings.HasSuffix(err.Error(), "and 2 more") {
		t.Errorf("got %v", err)
	}
}
