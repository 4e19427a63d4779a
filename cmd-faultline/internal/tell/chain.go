package tell

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/timeline"
)

// maxClauses is how many records of an event are told.
const maxClauses = 4

// Step is an event of a chain of causes.
type Step struct {
	Number  int         // its place, from 1
	Event   uint64      // number of the event
	Time    kernel.Time // virtual time
	Because []int       // places of the steps that scheduled it
	After   []int       // places of the steps that came before it on a node that it touches
	Text    string      // what happened, as clauses
}

// Chain makes sentences of a causal slice. Events that only say that something
// ran are not told, unless it is the last one: what follows from them follows
// from what they follow from.
func Chain(c *timeline.Causes) []Step {
	from := map[uint64][]timeline.Edge{} // by the later event
	for _, e := range c.Edges {
		from[e.To] = append(from[e.To], e)
	}
	told := map[uint64]int{}          // place of a told event
	over := map[uint64]map[int]bool{} // of one that is not: the steps that it follows from, and whether only by order
	var steps []Step
	for i := range c.Steps {
		s := &c.Steps[i]
		links := map[int]bool{}
		for _, e := range from[s.Event] {
			if n := told[e.From]; n > 0 {
				link(links, n, e.Order)
			}
			for n, order := range over[e.From] {
				link(links, n, order || e.Order)
			}
		}
		if i < len(c.Steps)-1 && silent(s) {
			over[s.Event] = links
			continue
		}
		step := Step{Number: len(steps) + 1, Event: s.Event, Time: s.Time, Text: clauses(s)}
		for _, n := range slices.Sorted(maps.Keys(links)) {
			if links[n] {
				step.After = append(step.After, n)
			} else {
				step.Because = append(step.Because, n)
			}
		}
		steps = append(steps, step)
		told[s.Event] = step.Number
	}
	return steps
}

// link notes that something follows from step n; a schedule says more than an
// order.
func link(links map[int]bool, n int, order bool) {
	if old, ok := links[n]; ok {
		order = order && old
	}
	links[n] = order
}

// silent reports whether an event only says that something ran.
func silent(s *timeline.Step) bool {
	return !slices.ContainsFunc(s.Records, func(r kernel.Record) bool { return !Routine(r.Kind) })
}

// String returns the step as a sentence, without its number.
func (s *Step) String() string {
	text := "At " + s.Time.String()
	var links []string
	if len(s.Because) > 0 {
		links = append(links, "because of "+numbers(s.Because))
	}
	if len(s.After) > 0 {
		links = append(links, "after "+numbers(s.After))
	}
	if len(links) > 0 {
		text += ", " + strings.Join(links, " and ")
	}
	return text + ", " + s.Text + "."
}

func numbers(list []int) string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = fmt.Sprint(n)
	}
	return strings.Join(out, ", ")
}

// clauses tells the records of an event; those that only say that something
// ran are left out if there are others.
func clauses(s *timeline.Step) string {
	var out []string
	for i := range s.Records {
		if r := &s.Records[i]; !Routine(r.Kind) {
			out = append(out, Sentence(r))
		}
	}
	if len(out) == 0 && len(s.Records) > 0 {
		out = append(out, Sentence(&s.Records[0]))
	}
	if len(out) == 0 {
		return "nothing is recorded"
	}
	left := s.Left
	if n := len(out) - maxClauses; n > 0 { // the last one is the failure, if there is one
		left += n
		out = append(out[:maxClauses-1], out[len(out)-1])
	}
	if left > 0 {
		out = slices.Insert(out, len(out)-1, Count(left, "more record"))
	}
	return strings.Join(out, "; ")
}

// Routine reports whether records of a kind say only that something ran.
func Routine(kind string) bool {
	switch kind {
	case "timer", "proc", "call", "enter", "inert":
		return true
	}
	return false
}
