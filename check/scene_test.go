package check_test

import (
	"iter"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/history"
)

// scene builds a history from text: one operation a line, as
//
//	a add 1 @ 1-2
//	b read = 1 2 @ 3-4
//	c add 2 @ 3-        its outcome is unknown
//	d add 3 @ 3-4 fail
//
// The input is the words before "=", the output those after it. Events are a
// millisecond apart.
func scene(t testing.TB, text string) iter.Seq[*history.Operation] {
	t.Helper()
	type line struct {
		in, out   []string
		call, ret int
		fail      bool
		op        *history.Op
	}
	var all []*line
	last := 0
	for s := range strings.Lines(text) {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		what, when, _ := strings.Cut(s, " @ ")
		when, fail := strings.CutSuffix(when, " fail")
		in, out, _ := strings.Cut(what, "=")
		from, to, _ := strings.Cut(when, "-")
		l := &line{in: strings.Fields(in), out: strings.Fields(out), fail: fail}
		var err error
		if l.call, err = strconv.Atoi(from); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		l.ret, _ = strconv.Atoi(to)
		last = max(last, l.call, l.ret)
		all = append(all, l)
	}
	now := uint64(0)
	h := history.New(func() (time.Duration, uint64) { return time.Duration(now) * time.Millisecond, now })
	for now = 1; now <= uint64(last); now++ {
		for _, l := range all {
			if uint64(l.call) == now {
				l.op = h.Invoke(l.in[0], l.in[1], l.in[2:])
			}
			switch {
			case uint64(l.ret) != now:
			case l.fail:
				l.op.Fail("no")
			default:
				l.op.OK(l.out)
			}
		}
	}
	return h.All()
}

// arg returns the argument of an operation of that name.
func arg(name string) func(op *history.Operation) (any, bool) {
	return func(op *history.Operation) (any, bool) {
		in := op.Input.([]string)
		if op.Function != name || len(in) == 0 {
			return nil, false
		}
		return in[0], true
	}
}

// outputs returns the outputs of an operation of that name.
func outputs(name string) func(op *history.Operation) ([]any, bool) {
	return func(op *history.Operation) ([]any, bool) {
		if op.Function != name {
			return nil, false
		}
		var out []any
		if op.Output != nil {
			for _, w := range op.Output.([]string) {
				out = append(out, w)
			}
		}
		return out, true
	}
}

// number returns the first output of an operation of that name as a number.
func number(name string) func(op *history.Operation) (int64, bool) {
	return func(op *history.Operation) (int64, bool) {
		if op.Function != name || op.Output == nil {
			return 0, false
		}
		n, err := strconv.ParseInt(op.Output.([]string)[0], 10, 64)
		return n, err == nil
	}
}

// delta returns the argument of an operation of that name as a number.
func delta(name string) func(op *history.Operation) (int64, bool) {
	return func(op *history.Operation) (int64, bool) {
		v, ok := arg(name)(op)
		if !ok {
			return 0, false
		}
		n, err := strconv.ParseInt(v.(string), 10, 64)
		return n, err == nil
	}
}
