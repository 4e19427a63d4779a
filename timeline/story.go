package timeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxSentence = 400 // characters of a line of the story
	storySteps  = 500 // events of the slice that it is made from
	maxHits     = 4   // faults that are named
	maxKeySteps = 3   // steps that are named
)

// Story tells a run in five lines: what was going on, which faults hit, the
// decisive steps before the end, the last event, and what was seen. A trace
// that cannot be read makes it say less.
func Story(a *artifact.Artifact) []string {
	s := story{a: a}
	if c, err := Slice(a, storySteps); err == nil {
		s.causes = c
	} else {
		s.causes = &Causes{}
	}
	s.read()
	slices.SortFunc(s.nodes, natural)
	lines := []string{s.scene(), s.faults(), s.steps(), s.end(), s.verdict()}
	if len(s.causes.About) > 0 {
		lines[2], lines[3] = s.about(), s.after()
	}
	for i := range lines {
		lines[i] = shorten(artifact.Visible(lines[i]), maxSentence)
	}
	return lines
}

type story struct {
	a      *artifact.Artifact
	causes *Causes
	nodes  []string
	hits   []string // the last faults that fired
	fired  int
	turns  []string // the last starts and stops of nodes
}

// read collects nodes and faults from the trace.
func (s *story) read() {
	seen := map[string]bool{}
	for r, err := range s.a.Records() {
		if err != nil {
			return
		}
		if r.Node != "" && !seen[r.Node] && len(seen) < 1000 {
			seen[r.Node] = true
			s.nodes = append(s.nodes, r.Node)
		}
		if r.Kind == "fault/fire" {
			s.fired++
			s.hits = append(s.hits, fmt.Sprintf("%s at %v", strings.TrimPrefix(faultRecord(&r, "fire"), "FAULT "), r.Time))
			s.hits = s.hits[max(0, len(s.hits)-maxHits):]
		}
		if strings.HasPrefix(r.Kind, "node/") {
			s.turns = append(s.turns, told(&r))
			s.turns = s.turns[max(0, len(s.turns)-maxKeySteps):]
		}
	}
}

func (s *story) scene() string {
	r := s.a.Report
	text := fmt.Sprintf("%s ran for %v of virtual time", r.Test, kernel.Time(r.Run.Time))
	if n := len(s.nodes); n > 0 {
		text += fmt.Sprintf(" on %s", list(s.nodes, 8))
	}
	if h := r.History; h != nil {
		text += fmt.Sprintf("; of %d operations %d were ok, %d failed, %d are unknown and %d were pending",
			h.OK+h.Fail+h.Unknown+h.Pending, h.OK, h.Fail, h.Unknown, h.Pending)
	}
	return text + "."
}

func (s *story) faults() string {
	if s.fired == 0 {
		return "No fault had hit."
	}
	text := "The fault that hit: "
	if s.fired > 1 {
		text = fmt.Sprintf("%d faults hit: ", s.fired)
	}
	if s.fired > len(s.hits) {
		text = fmt.Sprintf("%d faults hit, the last ones: ", s.fired)
	}
	text += strings.Join(s.hits, "; ")
	inert := 0
	for _, f := range s.a.Report.Faults {
		inert += f.Inert
	}
	if inert > 0 {
		text += fmt.Sprintf(" (%d of all changed nothing)", inert)
	}
	return text + "."
}

// about tells the operations that the failure speaks of.
func (s *story) about() string {
	var out []string
	for i := range s.a.Operations {
		if op := &s.a.Operations[i]; slices.Contains(s.causes.About, op.ID) {
			out = append(out, fmt.Sprintf("op %d, %s", op.ID, shorten(op.String(), 120)))
		}
	}
	return "It seems to be about " + strings.Join(out, "; and ") + "."
}

// after tells what crashed after the first of them.
func (s *story) after() string {
	first := s.a.Operations[slices.IndexFunc(s.a.Operations, func(op history.Operation) bool { return op.ID == s.causes.About[0] })]
	var out []string
	for i := range s.causes.Steps {
		if step := &s.causes.Steps[i]; step.Event > first.Return.Event && len(out) < maxHits {
			for j := range step.Records {
				if r := &step.Records[j]; r.Kind == "node/power-loss" || r.Kind == "node/kill" {
					out = append(out, told(r))
				}
			}
		}
	}
	if len(out) == 0 {
		return "After that no node crashed."
	}
	return "After that: " + strings.Join(out, "; ") + "."
}

// steps tells the events of the slice that say most, the later of equals.
func (s *story) steps() string {
	var best []*kernel.Record
	steps := s.causes.Steps
	for i := range max(0, len(steps)-1) {
		if r := keyRecord(&steps[i]); r != nil {
			best = append(best, r)
		}
	}
	if len(best) == 0 {
		return s.lastTurns()
	}
	slices.SortStableFunc(best, func(a, b *kernel.Record) int {
		return cmp.Or(cmp.Compare(s.weight(b), s.weight(a)), cmp.Compare(b.Index, a.Index))
	})
	best = best[:min(len(best), maxKeySteps)]
	slices.SortFunc(best, func(a, b *kernel.Record) int { return cmp.Compare(a.Index, b.Index) })
	var out []string
	for _, r := range best {
		out = append(out, told(r))
	}
	return "Before the end: " + strings.Join(out, "; then ") + "."
}

func (s *story) lastTurns() string {
	if len(s.turns) == 0 {
		return "Nothing that is recorded led to the end."
	}
	return "The last starts and stops: " + strings.Join(s.turns, "; ") + "."
}

// weight says how much a record tells about this failure: more if it is of the
// node that failed.
func (s *story) weight(r *kernel.Record) int {
	n := 2 * weight(r)
	if f := s.a.Report.Failure; f != nil && f.Node != "" && r.Node == f.Node {
		n += 3
	}
	return n
}

// keyRecord returns the record of an event that says most, or nil.
func keyRecord(s *Step) *kernel.Record {
	var best *kernel.Record
	for i := range s.Records {
		if r := &s.Records[i]; weight(r) > 0 && (best == nil || weight(r) > weight(best)) {
			best = r
		}
	}
	return best
}

// weight says how much a record tells.
func weight(r *kernel.Record) int {
	module, _, ok := strings.Cut(r.Kind, "/")
	switch {
	case routine(r.Kind), r.Kind == "fail", r.Kind == "fault/skip":
		return 0
	case r.Kind == "fault/end", r.Kind == "fault/quiet":
		return 2
	case r.Kind == "node/boot" && r.Boot <= 1:
		return 1
	case module == "fault":
		return 6
	case module == "node", module == "clock":
		return 5
	case !ok: // the user's own
		return 4
	case r.Kind == "net/drop", r.Kind == "disk/crash":
		return 3
	case r.Kind == "net/deliver", module == "disk", module == "op":
		return 2
	}
	return 1
}

// told tells a record with its node and time.
func told(r *kernel.Record) string {
	text := describe(r)
	if r.Node != "" {
		text = r.Node + " " + text
	}
	return fmt.Sprintf("%s at %v", shorten(text, 120), r.Time)
}

func (s *story) end() string {
	n := len(s.causes.Steps)
	if n == 0 {
		return "There is no trace of the last event."
	}
	last := &s.causes.Steps[n-1]
	var out []string
	for i := range last.Records {
		if r := &last.Records[i]; r.Kind != "fail" && (!routine(r.Kind) || len(last.Records) <= 2) && len(out) < maxKeySteps {
			text := describe(r)
			if r.Node != "" {
				text = r.Node + " " + text
			}
			out = append(out, shorten(text, 120))
		}
	}
	text := fmt.Sprintf("The last event, %d at %v", last.Event, last.Time)
	if len(out) == 0 {
		return text + ", only ran a check."
	}
	return text + ": " + strings.Join(out, ", ") + "."
}

func (s *story) verdict() string {
	f := s.a.Report.Failure
	if f == nil {
		return "All checks held."
	}
	message := strings.Join(strings.Fields(f.Message), " ")
	return fmt.Sprintf("Then %s %q failed: %s", f.Kind, f.Check, message)
}

// list joins names, at most n of them.
func list(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more nodes", strings.Join(names[:n], ", "), len(names)-n)
}
