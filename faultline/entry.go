package faultline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// entry is what shrinking takes away or makes weaker: a fault, a choice, or
// the shape that all of a schedule shares.
type entry struct {
	fault  *fault.Fault
	choice *kernel.Choice
	plain  bool // of an operation: it draws the least of everything
	shape  *shape
	place  int // in the whole schedule
}

// entriesOf takes a schedule apart: faults, choices, operations, the shape.
func entriesOf(s *fault.Schedule) []entry {
	var faults, choices, operations []entry
	for i := range s.Faults {
		faults = append(faults, entry{fault: &s.Faults[i]})
	}
	plain := map[operation]bool{}
	for _, c := range s.Choices {
		if client, is := isPlain(c); is {
			plain[operation{client, c.N}] = true
		}
	}
	for i := range s.Choices {
		c := &s.Choices[i]
		client, is := isOperation(*c)
		_, isMark := isPlain(*c)
		switch {
		case is:
			operations = append(operations, entry{choice: c, plain: plain[operation{client, c.N}]})
		case !isShape(*c) && !isMark:
			choices = append(choices, entry{choice: c})
		}
	}
	all := slices.Concat(faults, choices, operations, []entry{{shape: shapeOf(s)}})
	for i := range all {
		all[i].place = i
	}
	return all
}

// scheduleOf puts entries back together, in the frame of the whole schedule.
func scheduleOf(whole *fault.Schedule, entries []entry) *fault.Schedule {
	entries = slices.SortedFunc(slices.Values(entries), func(a, b entry) int { return cmp.Compare(a.place, b.place) })
	s := *whole
	s.Faults, s.Choices, s.Expect, s.Shrunk = nil, []kernel.Choice{}, nil, false
	h := shapeOf(whole)
	for _, e := range entries {
		if e.shape != nil {
			h = e.shape
		}
	}
	s.Quiet, s.Duration = h.quiet, h.duration
	s.Choices = append(s.Choices, h.choices()...)
	for _, e := range entries {
		switch {
		case e.fault != nil && e.fault.At < h.faultsEnd():
			s.Faults = append(s.Faults, *e.fault)
		case e.choice != nil && h.reaches(*e.choice):
			s.Choices = append(s.Choices, *e.choice)
			if e.plain {
				client, _ := isOperation(*e.choice)
				s.Choices = append(s.Choices, kernel.Choice{Point: workPrefix + client + plainSuffix, N: e.choice.N, Value: 1, Time: e.choice.Time})
			}
		}
	}
	return &s
}

// key tells entries apart by what they do.
func (e entry) key() string {
	switch {
	case e.fault != nil:
		f := e.fault
		return fmt.Sprint("fault ", f.ID, " ", f.Kind, " ", f.At, f.For, f.File, " ", f.Rate, " ", f.Amount, " ", f.Count, f.Profile, f.Nodes, f.Outcome, f.When.Nth)
	case e.choice != nil:
		return fmt.Sprint("choice ", e.choice.Point, " ", e.choice.N, " ", e.choice.Of, " ", e.choice.Value, e.plain)
	}
	return "shape " + fmt.Sprint(*e.shape)
}

// kind puts faults of a kind together, those that did nothing, choices of one
// sort, such as all drops, and all operations.
func (e entry) kind() string {
	switch {
	case e.shape != nil:
		return ""
	case e.fault != nil && e.fault.Outcome != fault.Fired:
		return "idle"
	case e.fault != nil:
		return "fault " + string(e.fault.Kind)
	}
	if _, is := isOperation(*e.choice); is {
		return "operations"
	}
	parts := strings.Split(e.choice.Point, "/")
	if len(parts) > 3 { // what a crash does to a file
		return "choice " + parts[0] + " " + strings.Join(parts[2:4], " ")
	}
	return "choice " + parts[0] + " " + parts[len(parts)-1]
}

// owner puts together what belongs to one rule, link, node or client.
func (e entry) owner() string {
	switch {
	case e.shape != nil:
		return ""
	case e.fault != nil:
		rule, _, _ := strings.Cut(e.fault.ID, "#")
		return "rule " + rule
	}
	parts := strings.SplitN(e.choice.Point, "/", 3)
	return strings.Join(parts[:min(len(parts), 2)], "/")
}

// weaker returns the entry at less strength, the weakest first: shorter,
// slower, rarer, on fewer nodes. f is the failure that is to be kept.
func (e entry) weaker(f *kernel.Failure) []entry {
	var out []entry
	switch {
	case e.fault != nil:
		out = weakerFaults(e.fault)
	case e.choice != nil:
		out = e.weakerChoices()
	default:
		out = e.shape.weaker(f)
	}
	for i := range out {
		out[i].place = e.place
	}
	return out
}

func (e entry) weakerChoices() []entry {
	var out []entry
	c := e.choice
	vary := func(v, least int64) {
		if v >= least && v < c.Value {
			weaker := *c
			weaker.Value = v
			out = append(out, entry{choice: &weaker})
		}
	}
	switch _, is := isOperation(*c); {
	case is && !e.plain:
		out = append(out, entry{choice: c, plain: true})
	case strings.HasPrefix(c.Point, "setup/"): // before others: names are the user's
		vary(c.Value/2, 1)
		vary(c.Value-1, 1)
	case strings.HasSuffix(c.Point, "/delay"):
		vary(c.Value/10, int64(time.Millisecond))
		vary(c.Value/2, int64(time.Millisecond))
	}
	return out
}
