package faultline

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/kernel"
)

// Messages in a row are of one failure, those of different rows are not.
func TestSiteForgetsValues(t *testing.T) {
	for want, messages := range map[string][]string{
		"node # lost key # after #": {"node n1 lost key 17 after 1.5s (0xdeadbeef)", "node n2 lost key b after 20ms"},
		"node # lost the key #":     {`node n1 lost the key "k=1. And more"`},
		"key # not linearizable #": {
			"key x: not linearizable: c2 get(x) ok: c1-17 [1s, 2s]\nmore", "key y: not linearizable: c1 put(y=\"a\") unknown: timeout [3s, …]",
			"key y: not linearizable: c1 cas([1 2]) fail [3s, 4s]"},
		"put # was acknowledged to # at # and is lost # the leader of term # does not have it": {
			"put x=c1-2 was acknowledged to c1 at 1.2s, and is lost: n1, the leader of term 4, does not have it"},
		"# has voters # but # has #": {"n1 has voters [1 2 3], but n2 has [1 [2]]: a; b", "n3 has voters (none); but {1 2} has 3"},
		"# takes effect twice":       {"w3 takes effect twice. The client has asked once: [n1]", "w1 takes effect twice."},
		"the log is short":           {"the log is short", "the log is short."},
		"the log is long":            {"the log is long"},
		"":                           {"", "\n"},
	} {
		for _, m := range messages {
			if got := site(failureWith(m, "")); got != want {
				t.Errorf("%q has the site %q, want %q", m, got, want)
			}
		}
	}
}

func TestSiteOfPanic(t *testing.T) {
	stack := "goroutine 5 [running]:\nruntime/debug.Stack()\n\t/go/stack.go:1\ngithub.com/hmdsefi/faultline/kernel.(*Sim).guarded.func1()\n\t/k.go:2\n" +
		"panic({0x1, 0x2})\n\t/p.go:3\nexample.com/kv.(*Server).Receive(0xc0, {0x1, 0x2})\n\t/s.go:4\n"
	if got := site(failureWith("x", stack)); got != "example.com/kv.(*Server).Receive" {
		t.Errorf("site of a panic is %q", got)
	}
}

func failureWith(message, stack string) *kernel.Failure {
	return &kernel.Failure{Kind: "invariant", Check: "c", Message: message, Stack: stack}
}

// A panic in the standard library is told by who called it there.
func TestSiteBehindStandardLibrary(t *testing.T) {
	for name, f := range map[string]func(string) string{"repeatsHeader": repeatsHeader, "repeatsFooter": repeatsFooter} {
		var stack string
		func() {
			defer func() { _ = recover(); stack = string(debug.Stack()) }()
			f("=")
		}()
		// As in the code of a user.
		stack = strings.ReplaceAll(stack, "github.com/hmdsefi/faultline/faultline.repeats", "example.com/kv.repeats")
		if got, want := site(&kernel.Failure{Stack: stack}), "example.com/kv."+name; got != want {
			t.Errorf("the site is %q, want %q, of\n%s", got, want, stack)
		}
	}
}

//go:noinline
func repeatsHeader(s string) string { return strings.Repeat(s, -len(s)) }

//go:noinline
func repeatsFooter(s string) string { return strings.Repeat(s, -len(s)) }
