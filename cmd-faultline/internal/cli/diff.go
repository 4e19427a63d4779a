package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/diff"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
)

// maxAfter bounds how many records are lined up: time and memory grow with its
// square.
const maxAfter = 2000

func diffCommand(s *session) *cobra.Command {
	var o diffOptions
	c := &cobra.Command{
		Use: "diff A B", Short: "show where two traces part, and how",
		Args: exactly(2, "two artifact directories"),
		RunE: func(_ *cobra.Command, args []string) error { return s.diff(args[0], args[1], o) },
	}
	c.Flags().IntVar(&o.Before, "before", 5, "show `N` records before the first difference")
	c.Flags().IntVar(&o.After, "after", 20, fmt.Sprintf("line up `N` records of each trace from the first difference on, up to %d", maxAfter))
	c.Flags().BoolVar(&o.json, "json", false, "print it as JSON")
	return c
}

type diffOptions struct {
	diff.Options
	json bool
}

// diffJSON is what diff --json prints.
type diffJSON struct {
	Same      bool              `json:"same"`
	Equal     uint64            `json:"equal"`
	A         sideJSON          `json:"a"`
	B         sideJSON          `json:"b"`
	Fields    []string          `json:"fields"`
	Explained []string          `json:"explained"`
	Before    []json.RawMessage `json:"before"`
	Lines     []lineJSON        `json:"lines"`
}

// sideJSON is one of the two traces.
type sideJSON struct {
	Dir     string          `json:"dir"`
	Records uint64          `json:"records"`
	First   json.RawMessage `json:"first,omitempty"`
}

// lineJSON is a record of one trace, or of both.
type lineJSON struct {
	A json.RawMessage `json:"a,omitempty"`
	B json.RawMessage `json:"b,omitempty"`
}

func (s *session) diff(dirA, dirB string, o diffOptions) error {
	switch {
	case o.Before < 0:
		return usagef("--before %d is negative; use 0 or more", o.Before)
	case o.After < 1 || o.After > maxAfter:
		return usagef("--after %d is out of range; use 1 to %d", o.After, maxAfter)
	}
	a, err := artifact.Read(dirA)
	if err != nil {
		return err
	}
	b, err := artifact.Read(dirB)
	if err != nil {
		return err
	}
	res, err := diff.Compare(a.Records(), b.Records(), o.Options)
	if err != nil {
		return err
	}
	text, err := explainDiff(a, b, res)
	if err != nil {
		return err
	}
	if o.json {
		err = s.diffJSON(a, b, res, text)
	} else {
		err = s.diffText(res, text)
	}
	if err == nil && !res.Same() {
		return exit(ExitNo)
	}
	return err
}

// sideNames are what texts call the two traces.
func sideNames() [2]string { return [2]string{"A", "B"} }

// explainDiff says how the traces part, what scheduled the first records that
// differ, and how the schedules differ.
func explainDiff(a, b *artifact.Artifact, res *diff.Result) ([]string, error) {
	if res.Same() {
		return []string{"The traces are the same: " + tell.Count(res.Equal, "record") + "."}, nil
	}
	text := res.Explain(sideNames())
	for i, art := range []*artifact.Artifact{a, b} {
		first := res.First(i)
		if first == nil || i == 1 && res.First(0) != nil && res.First(0).Cause == first.Cause {
			continue
		}
		cause, err := diff.Scheduler(art.Records(), first)
		if err != nil {
			return nil, err
		}
		if cause != "" {
			text = append(text, fmt.Sprintf("What scheduled it in %s: %s.", sideNames()[i], cause))
		}
	}
	return append(text, diff.Schedules(a.Schedule, b.Schedule, sideNames())...), nil
}

func (s *session) diffJSON(a, b *artifact.Artifact, res *diff.Result, text []string) error {
	out := diffJSON{
		Same: res.Same(), Equal: res.Equal, Fields: append([]string{}, res.Fields...), Explained: text,
		A:      sideJSON{a.Dir, res.Counts[0], rawRecord(res.First(0))},
		B:      sideJSON{b.Dir, res.Counts[1], rawRecord(res.First(1))},
		Before: []json.RawMessage{}, Lines: []lineJSON{},
	}
	if !res.Same() {
		out.Before = rawRecords(res.Before)
		for _, l := range res.Align() {
			out.Lines = append(out.Lines, lineJSON{rawRecord(l.A), rawRecord(l.B)})
		}
	}
	return printJSON(s.Out, out)
}

func (s *session) diffText(res *diff.Result, text []string) error {
	out := &lines{w: s.Out}
	for _, line := range text {
		out.print(line)
	}
	if res.Same() {
		return out.flush()
	}
	out.print("\n", s.paint(dim, "  "+traceHead))
	for i := range res.Before {
		out.print(s.paint(dim, "  "+recordLine(&res.Before[i])))
	}
	for _, l := range res.Align() {
		switch {
		case l.B == nil:
			out.print(s.paint(red, "- "+recordLine(l.A)))
		case l.A == nil:
			out.print(s.paint(green, "+ "+recordLine(l.B)))
		case l.A.Time == l.B.Time:
			out.print("  ", recordLine(l.A))
		default:
			out.print(s.paint(amber, fmt.Sprintf("~ %s  (B: at %v)", recordLine(l.A), l.B.Time)))
		}
	}
	out.print("\n", s.paint(dim, "- only in A, + only in B, ~ the same at another time; numbers of events are those of A"))
	return out.flush()
}
