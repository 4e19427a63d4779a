package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/cmd-faultline/internal/query"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

func traceCommand(s *session) *cobra.Command {
	var o traceOptions
	c := &cobra.Command{
		Use: "trace DIR", Short: "print the records that fit a filter",
		Args: exactly(1, "the artifact directory"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(c.Flags().Changed); err != nil {
				return err
			}
			return s.trace(args[0], o)
		},
	}
	f := c.Flags()
	f.StringSliceVar(&o.nodes, "node", nil, "`NAME`: records of these nodes; '*' is any text, 'world' is no node; can be repeated")
	f.StringSliceVar(&o.kinds, "kind", nil, "`KIND`: records of these kinds, such as 'net/*'; can be repeated")
	f.DurationVar(&o.from, "from", 0, "`TIME`: records from this virtual time on, such as 1.5s")
	f.DurationVar(&o.to, "to", -1, "`TIME`: records up to this virtual time, such as 2s")
	f.StringSliceVar(&o.events, "event", nil, "`N`: records of these events; can be repeated")
	f.StringVar(&o.causes, "causes", "", "the events that led to event `N`, each scheduled by the one before it")
	f.StringVar(&o.effects, "effects", "", "the events that event `N` led to by scheduling them")
	f.BoolVar(&o.slice, "slice", false, "the events of the failure's causal slice, see 'faultline explain'")
	f.StringVar(&o.text, "grep", "", "`TEXT`: records whose words contain this text")
	f.IntVar(&o.last, "last", 0, "only the last `N` of them")
	f.BoolVar(&o.count, "count", false, "count the records by kind in place of printing them")
	f.BoolVar(&o.min, "min", false, minUsage)
	f.BoolVar(&o.json, "json", false, "print the records as the lines of trace.jsonl; with --count as JSON")
	return c
}

type traceOptions struct {
	nodes, kinds, events []string
	from, to             time.Duration
	causes, effects      string
	slice                bool
	text                 string
	last                 int
	count                bool
	min, json            bool
}

// check refuses what no record can fit; given says whether a flag was.
func (o *traceOptions) check(given func(flag string) bool) error {
	switch {
	case given("last") && o.last < 1:
		return usagef("--last %d is no number of records; use 1 or more, or leave it out for all", o.last)
	case given("to") && o.to < 0:
		return usagef("--to %v is before the run; use 0s or more, or leave it out for the end", o.to)
	case given("to") && o.from > o.to:
		return usagef("--from %v is after --to %v, so that nothing fits; exchange them", o.from, o.to)
	}
	return nil
}

// checkNodes reports a name that fits no node of the trace.
func checkNodes(a *artifact.Artifact, patterns []string) error {
	var names []string
	for r, err := range a.Records() {
		if err != nil {
			return err
		}
		if r.Node != "" && !slices.Contains(names, r.Node) {
			names = append(names, r.Node)
		}
	}
	for _, p := range patterns {
		fits := func(name string) bool { return query.Wild(p, name) }
		if p != world && !slices.ContainsFunc(names, fits) {
			slices.SortFunc(names, query.Natural)
			const most = 20
			more := ""
			if len(names) > most {
				names, more = names[:most], ", …"
			}
			return fmt.Errorf("--node %q fits no node of %s; '*' is any text, and the nodes are %s%s", p, a.Dir, artifact.Visible(strings.Join(names, ", ")), more)
		}
	}
	return nil
}

// countJSON is an element of what trace --count --json prints.
type countJSON struct {
	Kind  string `json:"kind"`
	Count uint64 `json:"count"`
}

// world is the name of what has no node.
const world = "world"

func (s *session) trace(dir string, o traceOptions) error {
	sets, err := parseNumbers(o)
	if err != nil {
		return err
	}
	a, err := readRun(dir, o.min)
	if err != nil {
		return err
	}
	if len(o.nodes) > 0 {
		if err := checkNodes(a, o.nodes); err != nil {
			return err
		}
	}
	filter := query.Filter{Kinds: o.kinds, From: o.from, To: o.to, Text: o.text}
	for _, n := range o.nodes {
		filter.World = filter.World || n == world
		filter.Nodes = append(filter.Nodes, n)
	}
	if filter.Events, err = sets.events(a, o); err != nil {
		return err
	}
	if o.count {
		return s.countKinds(a, &filter, o.json)
	}
	return s.printTrace(a, &filter, o)
}

// numbers are the events that flags name.
type numbers struct {
	causes, effects uint64 // 0: not asked for
	list            map[uint64]bool
}

func parseNumbers(o traceOptions) (n numbers, err error) {
	parse := func(flag, text string) uint64 {
		v, parseErr := strconv.ParseUint(text, 10, 64)
		if err == nil && (parseErr != nil || v == 0 && flag != "event") {
			err = usagef("--%s %q is no number of an event; take one from the event column", flag, text)
		}
		return v
	}
	if o.causes != "" {
		n.causes = parse("causes", o.causes)
	}
	if o.effects != "" {
		n.effects = parse("effects", o.effects)
	}
	for _, text := range o.events {
		if n.list == nil {
			n.list = map[uint64]bool{}
		}
		n.list[parse("event", text)] = true
	}
	return n, err
}

// events returns the events that all of the flags allow; nil for any.
func (n numbers) events(a *artifact.Artifact, o traceOptions) (map[uint64]bool, error) {
	out := n.list
	add := func(set map[uint64]bool, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", a.Dir, err)
		}
		if out == nil {
			out = set
			return nil
		}
		both := map[uint64]bool{}
		for e := range set {
			if out[e] {
				both[e] = true
			}
		}
		out = both
		return nil
	}
	if n.causes > 0 {
		if err := add(query.Causes(a.Records(), n.causes)); err != nil {
			return nil, err
		}
	}
	if n.effects > 0 {
		if err := add(query.Effects(a.Records(), n.effects)); err != nil {
			return nil, err
		}
	}
	if o.slice {
		c, err := timeline.Slice(a, timeline.MaxSteps)
		if err != nil {
			return nil, err
		}
		set := map[uint64]bool{}
		for i := range c.Steps {
			set[c.Steps[i].Event] = true
		}
		return out, add(set, nil)
	}
	return out, nil
}

func (s *session) printTrace(a *artifact.Artifact, filter *query.Filter, o traceOptions) error {
	out := &lines{w: s.Out}
	if !o.json {
		out.print(s.paint(dim, traceHead))
	}
	var last []kernel.Record
	for r, err := range a.Records() {
		switch {
		case err != nil:
			_ = out.flush() // what was read is shown
			return err
		case !filter.Fits(&r):
		case o.last == 0:
			out.print(s.traceLine(&r, o.json))
		default:
			if len(last) == o.last {
				last = slices.Delete(last, 0, 1)
			}
			r.Attrs = slices.Clone(r.Attrs)
			last = append(last, r)
		}
	}
	for i := range last {
		out.print(s.traceLine(&last[i], o.json))
	}
	return out.flush()
}

const traceHead = "time           event  node     kind             what"

// traceLine returns a record as a line.
func (s *session) traceLine(r *kernel.Record, asJSON bool) string {
	if asJSON {
		return string(rawRecord(r))
	}
	return s.paint(kindColor(r.Kind), recordLine(r))
}

// recordLine returns a record as a line under traceHead.
func recordLine(r *kernel.Record) string {
	node := artifact.Visible(r.Node)
	if node == "" {
		node = "-"
	}
	return fmt.Sprintf("%-13v %6d  %-8s %-16s %s", r.Time, r.Event, node, artifact.Visible(r.Kind), timeline.Describe(r))
}

// countKinds counts the records that fit by kind, the most frequent first.
func (s *session) countKinds(a *artifact.Artifact, filter *query.Filter, asJSON bool) error {
	counts := map[string]uint64{}
	for r, err := range a.Records() {
		if err != nil {
			return err
		}
		if filter.Fits(&r) {
			counts[r.Kind]++
		}
	}
	list := []countJSON{}
	for kind, n := range counts {
		list = append(list, countJSON{kind, n})
	}
	slices.SortFunc(list, func(a, b countJSON) int {
		if a.Count != b.Count {
			if a.Count > b.Count {
				return -1
			}
			return 1
		}
		return query.Natural(a.Kind, b.Kind)
	})
	if asJSON {
		return printJSON(s.Out, list)
	}
	out := &lines{w: s.Out}
	for _, c := range list {
		out.print(fmt.Sprintf("%9d  %s", c.Count, artifact.Visible(c.Kind)))
	}
	return out.flush()
}
