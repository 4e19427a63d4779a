package linear_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/check/linear"
	"github.com/hmdsefi/faultline/history"
)

// scene builds a history from text: one operation a line, as "c1 write k 1 @
// 10-20", "… @ 10-" for one whose outcome is unknown, "… @ 10-20 fail" for one
// that failed. The input is the words of the call.
func scene(t testing.TB, text string) *history.History {
	t.Helper()
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now), now })
	type end struct {
		call, ret int
		words     []string
		fail      bool
		op        *history.Op
	}
	var all []*end
	last := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		what, when, ok := strings.Cut(line, " @ ")
		when, fail := strings.CutSuffix(when, " fail")
		from, to, _ := strings.Cut(when, "-")
		e := &end{words: strings.Fields(what), fail: fail}
		var err error
		if e.call, err = strconv.Atoi(from); err != nil || !ok {
			t.Fatalf("%q: %v", line, err)
		}
		if to != "" {
			if e.ret, err = strconv.Atoi(to); err != nil {
				t.Fatalf("%q: %v", line, err)
			}
		}
		last = max(last, e.call, e.ret)
		all = append(all, e)
	}
	for now = 1; now <= uint64(last); now++ {
		for _, e := range all {
			if uint64(e.call) == now {
				e.op = h.Invoke(e.words[0], e.words[1], e.words[1:])
			}
			if uint64(e.ret) == now {
				if e.fail {
					e.op.Fail("no")
				} else {
					e.op.OK(nil)
				}
			}
		}
	}
	return h
}

// words translates the operations of a scene.
func words(op *history.Operation) linear.Call {
	w := op.Input.([]string)
	arg := func(i int) string { return w[i] }
	number := func(i int) int64 { n, _ := strconv.ParseInt(w[i], 10, 64); return n }
	seen := func(i int) any {
		if i >= len(w) || w[i] == "-" {
			return nil
		}
		return w[i]
	}
	yes := func(i int) any {
		if i >= len(w) {
			return linear.Whatever
		}
		return w[i] == "yes"
	}
	key := w[1]
	switch w[0] {
	case "read":
		return linear.Read(key, seen(2))
	case "write":
		return linear.Write(key, arg(2))
	case "cas":
		return linear.CompareAndSwap(key, arg(2), arg(3), w[4] == "yes")
	case "add":
		return linear.Add(key, number(2))
	case "sum":
		return linear.AddAndGet(key, number(2), number(3))
	case "count":
		return linear.Count(key, number(2))
	case "insert":
		return linear.Insert(key, arg(2), yes(3))
	case "remove":
		return linear.Remove(key, arg(2), yes(3))
	case "has":
		return linear.Contains(key, arg(2), w[3] == "yes")
	case "members":
		return linear.Members(key, w[2:])
	case "put":
		return linear.Enqueue(key, arg(2))
	case "take":
		return linear.Dequeue(key, seen(2))
	case "lock":
		return linear.Acquire(key, arg(2), w[3] == "yes")
	case "unlock":
		return linear.Release(key, arg(2))
	case "append":
		if len(w) > 3 {
			return linear.Append(key, arg(2), number(3))
		}
		return linear.Append(key, arg(2), linear.Whatever)
	case "list":
		return linear.List(key, w[2:])
	}
	panic(fmt.Sprint("no such operation: ", w))
}
