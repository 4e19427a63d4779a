package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// An event that never ends is told with its virtual time, its node and its proc.
func TestHangIsTold(t *testing.T) {
	o := runScenario(t, "channel-alone")
	o.wants(t, "faultline: timeout at 1s, event 3, node c1", `event 3 in the proc "main" has`, " not ended after 300ms", "In the last event, 3 at 1s, the program of c1 never came to an end.")
	r := o.report(t)
	if r.Failure.Time != artifact.Duration(time.Second) || r.Failure.Node != "c1" || r.Run.Time != artifact.Duration(time.Second) {
		t.Errorf("report.json says %+v, %+v", r.Failure, r.Run)
	}
}

// What breaks in a program is told as that, and the stack begins in the user's code.
func TestBrokenProgramIsTold(t *testing.T) {
	for scenario, c := range map[string]struct{ told, frame string }{
		"panic-proc":    {"the program of bad panicked.", "github.com/hmdsefi/faultline/faultline.panicScenarios.func"},
		"fatal-proc":    {"the program of bad gave up the test.", "github.com/hmdsefi/faultline/faultline.panicScenarios.func"},
		"panic-handler": {"", "github.com/hmdsefi/faultline/faultline."},
		"unknown-proc":  {"the program of bad used the simulator wrongly.", ""},
	} {
		o := runScenario(t, scenario)
		if o.wants(t, c.told); strings.Contains(o.text, "only ran a check") {
			t.Errorf("%s: no check failed:\n%s", scenario, o.text)
		}
		stack := o.report(t).Failure.Stack
		if lines := strings.Split(stack, "\n"); c.frame != "" && (len(lines) < 2 || !strings.HasPrefix(lines[0], "goroutine ") || !strings.HasPrefix(lines[1], c.frame)) {
			t.Errorf("%s: the stack is\n%s", scenario, stack)
		}
	}
}

// A stack begins below the frames that took it: at the user's code, or at ours if
// that has panicked.
func TestStackBeginsWithTheUser(t *testing.T) {
	const head, user = "goroutine 7 [running]:\n", "example.com/kv.(*Server).Receive(0x1)\n\t/kv/server.go:7\n"
	const ours = "runtime/debug.Stack()\n\t/go/stack.go:26\ngithub.com/hmdsefi/faultline/kernel.(*Sim).guarded.func1()\n\t/kernel/run.go:202\npanic({0x1?, 0x2?})\n\t/go/panic.go:8\n"
	const below = "github.com/hmdsefi/faultline/kernel.(*Sim).advance(0x1)\n\t/kernel/run.go:240\n"
	for in, want := range map[string]string{
		head + ours + user + below: head + user + below,
		head + user:                head + user,
		head + ours + below:        head + below,
		head + ours:                head + ours,
		"":                         "",
	} {
		if got := fromUser(in); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
