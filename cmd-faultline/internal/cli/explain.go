package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

func explainCommand(s *session) *cobra.Command {
	var o explainOptions
	c := &cobra.Command{
		Use: "explain DIR", Short: "print what led to the failure, as numbered sentences",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.explain(args[0], o) },
	}
	c.Flags().IntVar(&o.steps, "steps", 25, fmt.Sprintf("tell at most the nearest `N` events, up to %d", timeline.MaxSteps))
	c.Flags().Uint64Var(&o.event, "event", 0, "explain event `N` in place of the failure")
	c.Flags().BoolVar(&o.min, "min", false, minUsage)
	c.Flags().BoolVar(&o.json, "json", false, "print it as JSON")
	return c
}

type explainOptions struct {
	steps int
	event uint64
	min   bool
	json  bool
}

// explainJSON is what explain --json prints.
type explainJSON struct {
	About []int      `json:"about"`
	Odd   int        `json:"odd"`
	Steps []stepJSON `json:"steps"`
	Left  int        `json:"left"`
	More  bool       `json:"more"`
}

// stepJSON is an event of the chain.
type stepJSON struct {
	Number  int    `json:"number"`
	Event   uint64 `json:"event"`
	Time    int64  `json:"time"`
	Because []int  `json:"because"`
	After   []int  `json:"after"`
	Text    string `json:"text"`
}

func (s *session) explain(dir string, o explainOptions) error {
	if o.steps < 1 || o.steps > timeline.MaxSteps {
		return usagef("--steps %d is out of range; use 1 to %d", o.steps, timeline.MaxSteps)
	}
	a, err := readRun(dir, o.min)
	if err != nil {
		return err
	}
	c, err := causes(a, o)
	if err != nil {
		return err
	}
	if o.json {
		return printJSON(s.Out, explained(c))
	}
	out := &lines{w: s.Out}
	if o.event == 0 {
		s.verdict(out, a.Report)
		out.print()
	}
	steps := tell.Chain(c)
	if len(steps) == 0 {
		out.print("The artifact has no trace: there is nothing to explain.")
		return out.flush()
	}
	if left := leftOut(c); left != "" {
		out.print(left)
	}
	out.print(s.paint(dim, "'Because of' a step: that step scheduled this one. 'After' a step: it came before\non the same node, and may have left state behind."), "\n")
	for i := range steps {
		st := &steps[i]
		text := fmt.Sprintf("%3d. %s", st.Number, st)
		if st.Event == failing(a, o) {
			text = s.paint(red, text)
		}
		out.print(text)
	}
	return out.flush()
}

// failing returns the number of the event that is explained.
func failing(a *artifact.Artifact, o explainOptions) uint64 {
	if o.event > 0 {
		return o.event
	}
	if f := a.Report.Failure; f != nil {
		return f.Event
	}
	return 0
}

// leftOut says what the chain is about and what it leaves out.
func leftOut(c *timeline.Causes) string {
	var out []string
	if len(c.About) > 0 {
		ops := make([]string, len(c.About))
		for i, n := range c.About {
			ops[i] = fmt.Sprint(n)
		}
		out = append(out, "This is also about the operations that the failure seems to speak of ("+strings.Join(ops, ", ")+"),\nand the first crash of each node after them.")
	}
	if c.Odd > 0 {
		out = append(out, fmt.Sprintf("It is also about what came late or once more (%s).", tell.Count(c.Odd, "arrival")))
	}
	if c.Left > 0 {
		out = append(out, further(c.Left)+" left out; --steps shows more.")
	}
	if c.More {
		out = append(out, "The trace before the last million events was not looked at.")
	}
	return strings.Join(out, "\n")
}

// further is like "3 events that are further away are".
func further(n int) string {
	if n == 1 {
		return "1 event that is further away is"
	}
	return fmt.Sprintf("%d events that are further away are", n)
}

func explained(c *timeline.Causes) explainJSON {
	out := explainJSON{About: append([]int{}, c.About...), Odd: c.Odd, Steps: []stepJSON{}, Left: c.Left, More: c.More}
	for _, st := range tell.Chain(c) {
		out.Steps = append(out.Steps, stepJSON{st.Number, st.Event, int64(st.Time),
			append([]int{}, st.Because...), append([]int{}, st.After...), st.Text})
	}
	return out
}

// causes returns the slice of the failure, or of the event that is asked for.
func causes(a *artifact.Artifact, o explainOptions) (*timeline.Causes, error) {
	if o.event == 0 {
		return timeline.Slice(a, o.steps)
	}
	var failed error
	records := func(yield func(kernel.Record) bool) {
		for r, err := range a.Records() {
			if failed = err; err != nil || !yield(r) {
				return
			}
		}
	}
	report := *a.Report
	report.Failure = &artifact.Failure{Kind: kernel.KindInvariant, Event: o.event}
	c, err := timeline.Slice(artifact.InMemory(&report, nil, nil, records), o.steps)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case len(c.Steps) == 0 || c.Steps[len(c.Steps)-1].Event != o.event:
		return nil, fmt.Errorf("%s: no record is of event %d; 'faultline trace' shows the numbers", a.Dir, o.event)
	}
	return c, nil
}
