package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/tell"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

func showCommand(s *session) *cobra.Command {
	var o showOptions
	c := &cobra.Command{
		Use: "show DIR", Short: "print the story, the failure, the faults and the last events",
		Args: exactly(1, "the artifact directory"),
		RunE: func(_ *cobra.Command, args []string) error { return s.show(args[0], o) },
	}
	c.Flags().IntVar(&o.last, "last", 5, "print the last `N` records of each node, without those that only say that something ran")
	c.Flags().BoolVar(&o.allFaults, "all-faults", false, "list also the faults that did not hit")
	c.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 1 if the run failed")
	c.Flags().BoolVar(&o.min, "min", false, minUsage)
	c.Flags().BoolVar(&o.json, "json", false, "print it as JSON")
	return c
}

type showOptions struct {
	last      int
	allFaults bool
	exitCode  bool
	min       bool
	json      bool
}

// showJSON is what show --json prints.
type showJSON struct {
	Dir    string           `json:"dir"`
	Story  []string         `json:"story"`
	Report *artifact.Report `json:"report"`
	Faults json.RawMessage  `json:"faults"`
	Last   []lastJSON       `json:"last"`
}

// lastJSON is the end of one node.
type lastJSON struct {
	Node    string            `json:"node"`
	Records []json.RawMessage `json:"records"`
}

func (s *session) show(dir string, o showOptions) error {
	if o.last < 0 {
		return usagef("--last %d is negative; use 0 or more", o.last)
	}
	a, err := readRun(dir, o.min)
	if err != nil {
		return err
	}
	last, err := lastOf(a, o.last)
	if err != nil {
		return err
	}
	if o.json {
		err = s.showJSON(a, last)
	} else {
		err = s.showText(a, last, o)
	}
	if err == nil && o.exitCode && a.Report.Result == artifact.Failed {
		return exit(ExitNo)
	}
	return err
}

// ending is the last records of a node.
type ending struct {
	node    string
	records []kernel.Record
}

// lastOf returns the last records of each node that say more than that
// something ran.
func lastOf(a *artifact.Artifact, n int) ([]ending, error) {
	by := map[string][]kernel.Record{}
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		if r.Node == "" || tell.Routine(r.Kind) || n == 0 {
			continue
		}
		keep := r
		keep.Attrs = slices.Clone(r.Attrs)
		list := append(by[r.Node], keep)
		if len(list) > n {
			list = slices.Delete(list, 0, 1)
		}
		by[r.Node] = list
	}
	var out []ending
	for node, records := range by {
		out = append(out, ending{node, records})
	}
	slices.SortFunc(out, func(a, b ending) int { return query.Natural(a.node, b.node) })
	return out, nil
}

func story(a *artifact.Artifact) []string {
	if len(a.Report.Story) > 0 {
		return a.Report.Story
	}
	return timeline.Story(a)
}

func (s *session) showJSON(a *artifact.Artifact, last []ending) error {
	out := showJSON{Dir: a.Dir, Story: story(a), Report: a.Report, Faults: faultsJSON(nil), Last: []lastJSON{}}
	if a.Schedule != nil {
		out.Faults = faultsJSON(a.Schedule.Faults)
	}
	for _, e := range last {
		out.Last = append(out.Last, lastJSON{e.node, rawRecords(e.records)})
	}
	return printJSON(s.Out, out)
}

func (s *session) showText(a *artifact.Artifact, last []ending, o showOptions) error {
	out := &lines{w: s.Out}
	s.verdict(out, a.Report)
	title := "What happened"
	if small := a.Report.Shrunk; small != nil {
		s.shrunk(out, small)
		title += " in the run of the seed, with all its faults"
	}
	s.story(out, title, story(a))
	if a.Schedule != nil {
		s.faults(out, a.Schedule.Faults, o.allFaults)
	}
	if len(last) > 0 {
		out.print("\n", s.paint(bold, "The last events of each node"))
	}
	for _, e := range last {
		out.print("  ", artifact.Visible(e.node))
		for i := range e.records {
			r := &e.records[i]
			out.print(fmt.Sprintf("    %-13v %6d  ", r.Time, r.Event), s.paint(kindColor(r.Kind), timeline.Describe(r)))
		}
	}
	if f := a.Report.Failure; f != nil {
		s.block(out, "More about it", f.Detail)
		s.block(out, "The stack", f.Stack)
	}
	if c := a.Report.Replay.Command; c != "" {
		out.print("\n", s.paint(bold, "To see it again"), "\n  ", artifact.Visible(c))
	}
	s.next(out, a, o.min)
	return out.flush()
}

// next names the commands that tell more, the shortest way first.
func (s *session) next(out *lines, a *artifact.Artifact, small bool) {
	if a.Report.Failure == nil {
		return
	}
	dir, why := artifact.Visible(shellWord(a.Dir)), "what led to it, step by step"
	out.print("\n", s.paint(bold, "Next"))
	if small || a.Report.Shrunk != nil {
		out.print("  faultline explain --min ", dir, "   # ", why)
		why = "the same in the run of the seed"
	}
	if !small {
		out.print("  faultline explain ", dir, "   # ", why)
	}
}

// shrunk prints what happened in the shrunk run, and what the failure takes.
func (s *session) shrunk(out *lines, r *artifact.Shrunk) {
	where := ""
	if r.Node != "" {
		where = ", node " + r.Node
	}
	s.story(out, artifact.Visible(fmt.Sprintf("What happened in the shrunk run, which failed the same way at %v, event %d%s", r.Time, r.Event, where)), r.Story)
	s.block(out, "What it takes", strings.Join(r.Takes, "\n"))
}

func (s *session) story(out *lines, title string, story []string) {
	out.print("\n", s.paint(bold, title))
	for i, text := range story {
		out.print(fmt.Sprintf("  %d. %s", i+1, artifact.Visible(text)))
	}
}

// maxBlock is how many lines of a longer text are shown.
const maxBlock = 30

// block prints a text of several lines under a title, unless it is empty.
func (s *session) block(out *lines, title, text string) {
	if text == "" {
		return
	}
	out.print("\n", s.paint(bold, title))
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxBlock {
			out.print("  … report.txt has the rest")
			return
		}
		line = strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    ")
		out.print("  ", artifact.Visible(line))
	}
}

// verdict prints which run it was and how it ended.
func (s *session) verdict(out *lines, r *artifact.Report) {
	f := r.Failure
	word, color := "PASSED", green
	if r.Result == artifact.Failed {
		word, color = "FAILED", red
	}
	out.print(s.paint(color, word), artifact.Visible(fmt.Sprintf("  %s, seed %s, package %s", r.Test, r.Seed, r.Package)))
	if f == nil {
		return
	}
	where := ""
	if f.Node != "" {
		where = ", node " + f.Node
	}
	out.print(artifact.Visible(fmt.Sprintf("  %s at %v, event %d%s", f.What(), f.Time, f.Event, where)))
	for line := range strings.Lines(f.Message) {
		out.print("  ", s.paint(color, artifact.Visible(strings.TrimRight(line, "\r\n"))))
	}
}

// faults prints those that hit, or all.
func (s *session) faults(out *lines, list []fault.Fault, all bool) {
	var chosen []fault.Fault
	var places []int
	hit := 0
	for i, f := range list {
		met := f.Outcome == fault.Fired || f.Outcome == fault.Inert
		if met {
			hit++
		}
		if met || all {
			chosen, places = append(chosen, f), append(places, i+1)
		}
	}
	title := fmt.Sprintf("Faults: %d of %d hit", hit, len(list))
	if len(chosen) < len(list) {
		title += "; --all-faults lists the others too"
	}
	out.print("\n", s.paint(bold, title))
	if len(chosen) == 0 {
		return
	}
	for i, row := range faultTable(chosen, places) {
		color := dim
		if i > 0 {
			color = ""
		}
		out.print("  ", s.paint(color, row))
	}
}
