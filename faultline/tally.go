package faultline

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/fault"
)

// faultTally adds up what became of the faults of a sweep.
type faultTally struct {
	kinds []fault.Tally
	rules []ruleTally
}

// ruleTally counts the faults of a rule.
type ruleTally struct {
	name           string
	planned, fired int
}

// add adds the faults of a run.
func (s *faultTally) add(w *World) {
	for _, t := range w.injector.Tally() {
		s.addKind(t)
	}
	place := map[string]int{}
	for i, r := range s.rules {
		place[r.name] = i
	}
	for _, d := range w.drawn {
		if _, known := place[d.Rule]; !known {
			place[d.Rule] = len(s.rules)
			s.rules = append(s.rules, ruleTally{name: d.Rule})
		}
	}
	for _, f := range w.injector.Faults() {
		name, _, _ := strings.Cut(f.ID, "#")
		if i, ok := place[name]; ok {
			s.rules[i].planned++
			if f.Outcome == fault.Fired {
				s.rules[i].fired++
			}
		}
	}
}

func (s *faultTally) addKind(t fault.Tally) {
	for i := range s.kinds {
		if s.kinds[i].Kind == t.Kind {
			s.kinds[i].Add(t)
			return
		}
	}
	s.kinds = append(s.kinds, t)
}

// write says of each kind how many faults changed something, changed nothing and
// did not begin, which are all that were planned.
func (s *faultTally) write(b *strings.Builder) {
	if len(s.kinds) == 0 {
		return
	}
	b.WriteString("\n\tfaults:")
	fired, inert := 0, 0
	for _, t := range s.kinds {
		fmt.Fprintf(b, " %s %d/%d/%d", t.Kind, t.Fired, t.Inert, t.NoTarget+t.Skipped+t.Pending)
		fired, inert = fired+t.Fired, inert+t.Inert
	}
	b.WriteString(" (changed something / changed nothing / did not begin)")
	if fired == 0 && inert > 0 {
		b.WriteString("\n\tWARNING: every fault was inert: nothing was tested")
	}
}

// manySeeds is from how many seeds on a rule that has done nothing says
// something about the test.
const manySeeds = 10

// writeIdle names the rules none of whose faults has changed anything in many
// seeds.
func (s *faultTally) writeIdle(b *strings.Builder, seeds int) {
	if seeds < manySeeds {
		return
	}
	var idle []string
	for _, r := range s.rules {
		if r.planned > 0 && r.fired == 0 {
			idle = append(idle, fmt.Sprintf("%s (%s)", r.name, plural(r.planned, "fault")))
		}
	}
	if len(idle) > 0 {
		fmt.Fprintf(b, "\n\tin none of %d seeds did these rules change anything: %s", seeds, strings.Join(idle, ", "))
	}
}
