package faultline

import (
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// told runs a client that calls for as long as the server answers, under a kill,
// and returns the story.
func told(t *testing.T, extra func(w *World)) (string, error) {
	t.Helper()
	out, err := Once(Options{Duration: time.Second}, 7, func(w *World) {
		w.Server("n1", func(n *Node) kernel.Handler { return &echo{n: n} })
		w.Client("c1", func(c *Client) {
			op := c.Invoke("call", "x1")
			c.Send("n1", 1)
			c.Recv()
			op.OK(nil)
		})
		w.Script(fault.Fault{Kind: fault.Kill, Target: fault.Target{Nodes: []string{"n1"}}, At: 100 * time.Millisecond, For: 50 * time.Millisecond})
		extra(w)
	})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := out.Story()
	return strings.Join(lines, "\n"), err
}

func TestStoryOfOneRun(t *testing.T) {
	text, err := told(t, func(w *World) {
		w.Final("nothing was called", func() error {
			for op := range w.History().All() {
				return &calledError{op.String()}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"Seed 0x0000000000000007", "kill on n1", "c1 call(x1)", "nothing was called"} {
		if !strings.Contains(text, word) {
			t.Errorf("the story does not say %q:\n%s", word, text)
		}
	}
	if text, err = told(t, func(*World) {}); err != nil || !strings.Contains(text, "All checks held.") {
		t.Errorf("of a run that passed: %v\n%s", err, text)
	}
}

type calledError struct{ call string }

func (e *calledError) Error() string { return "there was " + e.call }

// A run that the seed does not decide has no story: the one that would be told is
// of another run.
func TestNoStoryOfAnotherRun(t *testing.T) {
	runs := 0
	_, err := told(t, func(w *World) {
		runs++
		w.Sim().At(kernel.Time(runs), func() { w.Sim().Log("run") })
	})
	if err == nil || !strings.Contains(err.Error(), "did something else") {
		t.Errorf("the error is %v", err)
	}
	if _, err := (Outcome{}).Story(); err == nil {
		t.Error("there is a story of no run")
	}
}

// A rule that is left out and is not there is a mistake in the setup.
func TestUnknownRuleIsRefused(t *testing.T) {
	_, err := Once(Options{Duration: time.Second}, 1, func(w *World) {
		w.Server("n1", func(n *Node) kernel.Handler { return &echo{n: n} })
		w.Faults(fault.Default().WithoutRules("suspned"))
	})
	if err == nil || !strings.Contains(err.Error(), `("suspned"): WithoutRules: there is no rule of that name; the rules are kill, `) {
		t.Errorf("got %v", err)
	}
}
