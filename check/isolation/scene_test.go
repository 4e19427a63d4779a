package isolation_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/isolation"
	"github.com/hmdsefi/faultline/history"
)

// scene builds a history from text: one transaction a line, as
//
//	a 1-4: read x [1 2], append x 3
//	b 2-: write y 5
//	c 2-3 failed: read y -
//
// with the process, the events of call and return (none: the outcome is
// unknown), and the accesses; "-" is no value.
func scene(t testing.TB, text string) *history.History {
	t.Helper()
	type txn struct {
		process   string
		call, ret int
		failed    bool
		accesses  []string
		op        *history.Op
	}
	var all []*txn
	last := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		head, body, _ := strings.Cut(line, ":")
		f := strings.Fields(head)
		from, to, _ := strings.Cut(f[1], "-")
		x := &txn{process: f[0], failed: len(f) > 2, accesses: strings.Split(body, ",")}
		var err error
		if x.call, err = strconv.Atoi(from); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		x.ret, _ = strconv.Atoi(to)
		last = max(last, x.call, x.ret)
		all = append(all, x)
	}
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	for now = 1; now <= uint64(last); now++ {
		for _, x := range all {
			if uint64(x.ret) == now {
				for _, a := range x.accesses {
					access(t, x.op, strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(a)))
				}
				if x.failed {
					x.op.Fail("aborted")
				} else {
					x.op.OK(nil)
				}
			}
			if uint64(x.call) == now {
				x.op = h.Invoke(x.process, "txn", nil)
				if x.ret == 0 {
					for _, a := range x.accesses {
						access(t, x.op, strings.Fields(strings.NewReplacer("[", " [ ", "]", " ] ").Replace(a)))
					}
				}
			}
		}
	}
	return h
}

func access(t testing.TB, op *history.Op, w []string) {
	t.Helper()
	number := func(s string) int {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%q: %v", w, err)
		}
		return n
	}
	switch {
	case w[0] == "append":
		op.Append(w[1], number(w[2]))
	case w[0] == "write":
		op.Write(w[1], number(w[2]))
	case w[2] == "-":
		op.Read(w[1], nil)
	case w[2] == "[":
		list := []int{}
		for _, s := range w[3 : len(w)-1] {
			list = append(list, number(s))
		}
		op.Read(w[1], list)
	default:
		op.Read(w[1], number(w[2]))
	}
}

// names returns the names of what was found.
func names(r *isolation.Result) []string {
	out := []string{}
	for _, f := range r.Found {
		out = append(out, f.Kind.String())
	}
	return out
}

// holds demands which levels nothing was found against: these and those that
// they imply.
func holds(t *testing.T, r *isolation.Result, strongest ...isolation.Level) {
	t.Helper()
	implied := map[isolation.Level][]isolation.Level{
		isolation.ReadCommitted:             {isolation.ReadUncommitted},
		isolation.ConsistentView:            {isolation.ReadCommitted},
		isolation.RepeatableRead:            {isolation.ConsistentView, isolation.SnapshotIsolation, isolation.Serializable},
		isolation.SnapshotIsolation:         {isolation.ConsistentView},
		isolation.Serializable:              {isolation.RepeatableRead},
		isolation.StrongSessionSnapshot:     {isolation.SnapshotIsolation},
		isolation.StrongSnapshot:            {isolation.StrongSessionSnapshot},
		isolation.StrongSessionSerializable: {isolation.Serializable, isolation.StrongSessionSnapshot},
		isolation.StrictSerializable:        {isolation.StrongSessionSerializable, isolation.StrongSnapshot},
	}
	want := map[isolation.Level]bool{}
	var add func(l isolation.Level)
	add = func(l isolation.Level) {
		if !want[l] {
			want[l] = true
			for _, i := range implied[l] {
				add(i)
			}
		}
	}
	for _, l := range strongest {
		add(l)
	}
	for _, l := range isolation.Levels() {
		if r.Holds(l) != want[l] {
			t.Errorf("%s holds: %v; found %v", l, r.Holds(l), names(r))
		}
	}
	if len(r.Satisfied()) != len(want) || !slices.IsSortedFunc(r.Satisfied(), func(a, b isolation.Level) int {
		return slices.Index(isolation.Levels(), a) - slices.Index(isolation.Levels(), b)
	}) {
		t.Errorf("satisfied: %v", r.Satisfied())
	}
}
