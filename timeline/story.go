package timeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	maxSentence = 800 // characters of a line of the story
	storySteps  = 500 // events of the slice that it is made from
	maxHits     = 4   // faults that are named
	maxKeySteps = 6   // steps that are named
)

// Story tells a run in five lines: what was going on, which faults hit and what
// they did, the operations that the failure speaks of or the decisive steps
// before the end, the last event, and what was seen. A trace that cannot be
// read makes it say less.
func Story(a *artifact.Artifact) []string {
	s := story{a: a, last: ^uint64(0)}
	if f := a.Report.Failure; f != nil {
		s.last = f.Event
	}
	if c, err := Slice(a, storySteps); err == nil {
		s.causes = c
	} else {
		s.causes = &Causes{}
	}
	s.focus()
	s.read()
	slices.SortFunc(s.nodes, natural)
	lines := []string{s.scene(), s.faults(), s.steps("Before the end"), s.end(), s.verdict()}
	if len(s.about) > 0 {
		lines[2], lines[3] = s.speaksOf(), s.steps("Since then")
	}
	for i := range lines {
		lines[i] = shorten(artifact.Visible(lines[i]), maxSentence)
	}
	return lines
}

type story struct {
	a      *artifact.Artifact
	causes *Causes
	last   uint64               // number of the failing event
	about  []*history.Operation // that the failure seems to speak of
	within span                 // from when the first of them was called, to when a check at the end had seen the last
	said   sayings              // words of the failure's message
	matter map[string]bool      // nodes that the failure has to do with
	nodes  []string
	deeds  deeds
	fired  int
	key    keySteps
}

// focus finds what the failure is about: operations, and nodes.
func (s *story) focus() {
	s.matter, s.within = map[string]bool{}, span{until: s.last}
	f := s.a.Report.Failure
	if f == nil {
		return
	}
	s.matter[f.Node] = f.Node != ""
	s.said = sayingsOf(f.Message)
	for i := range s.a.Operations {
		if op := &s.a.Operations[i]; slices.Contains(s.causes.About, op.ID) {
			s.about = append(s.about, op)
			if n := len(op.Attempts); n > 0 {
				s.matter[op.Attempts[n-1].Target] = true
			}
		}
	}
	if len(s.about) == 0 {
		return
	}
	s.within.since = s.about[0].Invoke.Event
	if end := s.about[len(s.about)-1].Return.Event; late(f) && len(s.about) > 1 && end > 0 {
		s.within.until = end
	}
}

// read collects nodes, faults and decisive steps from the trace.
func (s *story) read() {
	seen := map[string]bool{}
	s.key = keySteps{said: s.said, matter: s.matter, within: s.within, taken: map[uint64]bool{}}
	s.deeds.clients, s.deeds.since = map[string]bool{}, s.within.since
	for _, op := range s.about {
		s.deeds.clients[op.Process] = true
	}
	for r, err := range s.a.Records() {
		if err != nil || r.Event > s.last {
			return
		}
		if r.Node != "" && !seen[r.Node] && len(seen) < maxLanes {
			seen[r.Node] = true
			s.nodes = append(s.nodes, r.Node)
			if s.said.words[r.Node] {
				s.matter[r.Node] = true
			}
		}
		if r.Kind == "fault/fire" {
			s.fired++
		}
		s.deeds.add(&r)
		s.key.add(&r)
	}
}

func (s *story) scene() string {
	r := s.a.Report
	text := fmt.Sprintf("%s ran for %v of virtual time", r.Test, kernel.Time(r.Run.Time))
	if n := len(s.nodes); n > 0 {
		text += fmt.Sprintf(" on %s", list(s.nodes, 8))
	}
	h := r.History
	if h == nil {
		return text + "."
	}
	var ends []string
	for _, e := range []struct {
		n    int
		what string
	}{{h.OK, "ok"}, {h.Fail, "failed"}, {h.Unknown, "unknown"}, {h.Pending, "pending"}} {
		if e.n > 0 {
			ends = append(ends, fmt.Sprintf("%d %s", e.n, e.what))
		}
	}
	return text + fmt.Sprintf(", with %s of clients: %s.", plural(h.OK+h.Fail+h.Unknown+h.Pending, "operation"), strings.Join(ends, ", "))
}

func (s *story) faults() string {
	if s.fired == 0 {
		return "No fault had hit." + s.strays()
	}
	named := s.deeds.most(maxHits, s.matter, s.within)
	text := "The fault that hit: "
	if s.fired > 1 {
		text = fmt.Sprintf("%d faults hit: ", s.fired)
	}
	if s.fired > len(named) {
		text = fmt.Sprintf("%d faults hit; those that are likely to matter: ", s.fired)
	}
	for i, f := range named {
		if i > 0 {
			text += "; "
		}
		text += f.told(s.matter)
	}
	inert := 0
	for _, f := range s.a.Report.Faults {
		inert += f.Inert
	}
	if inert > 0 {
		text += fmt.Sprintf(". %d of all changed nothing", inert)
	}
	return text + "." + s.strays()
}

// strays tells what happened to messages without a fault that explains it.
func (s *story) strays() string {
	text := ""
	for _, m := range s.deeds.strays {
		text += fmt.Sprintf(" Without one, %s %s %s, the last one %s.", plural(m.count, "message"), was(m.count), m.what, m.last)
	}
	return text
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// speaksOf tells the operations that the failure speaks of.
func (s *story) speaksOf() string {
	var out []string
	for _, op := range s.about {
		text := fmt.Sprintf("op %d, %s", op.ID, shorten(op.String(), 120))
		out = append(out, text+asked(op))
	}
	return "It seems to be about " + strings.Join(out, "; and ") + "."
}

// asked tells whom a client has asked for an operation.
func asked(op *history.Operation) string {
	n := len(op.Attempts)
	switch n {
	case 0:
		return ""
	case 1:
		return ", asked of " + op.Attempts[0].Target
	}
	return fmt.Sprintf(", asked %d times, last of %s", n, op.Attempts[n-1].Target)
}

func (s *story) steps(when string) string {
	best := s.key.best(s.causes, s.last)
	var out []string
	for i := range best {
		out = append(out, told(&best[i]))
	}
	if len(s.about) > 0 {
		if end := s.lastEvent(); end != "" {
			out = append(out, end)
		}
	}
	if len(out) == 0 {
		return when + " nothing decisive is recorded."
	}
	return when + ": " + strings.Join(out, "; then ") + "."
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
	text := s.lastEvent()
	if what := s.broke(); text == "" && what != "" {
		return what
	}
	if text == "" {
		last := &s.causes.Steps[n-1]
		return fmt.Sprintf("The last event, %d at %v, only ran a check.", last.Event, last.Time)
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if op := s.waiting(); op != nil {
		text += fmt.Sprintf(". It concerns op %d, %s%s", op.ID, shorten(op.String(), 120), asked(op))
	}
	return text + "."
}

// broke tells an event in which no check failed but the code under test; it is empty
// for others.
func (s *story) broke() string {
	f := s.a.Report.Failure
	if f == nil || f.Check != f.Kind {
		return ""
	}
	did := map[string]string{
		kernel.KindPanic: "panicked", kernel.KindFatal: "gave up the test", kernel.KindMisuse: "used the simulator wrongly", "timeout": "never came to an end",
	}[f.Kind]
	if did == "" {
		return ""
	}
	who := "the code under test"
	if f.Node != "" {
		who = "the program of " + f.Node
	}
	return fmt.Sprintf("In the last event, %d at %v, %s %s.", f.Event, kernel.Time(f.Time), who, did)
}

// lastEvent tells the failing event; it is empty if that only ran a check.
func (s *story) lastEvent() string {
	n := len(s.causes.Steps)
	if n == 0 {
		return ""
	}
	last := &s.causes.Steps[n-1]
	if f := s.a.Report.Failure; f != nil && last.Event != f.Event {
		return ""
	}
	var best []*kernel.Record
	for i := range last.Records {
		if r := &last.Records[i]; r.Kind != "fail" && !routine(r.Kind) {
			best = append(best, r)
		}
	}
	slices.SortStableFunc(best, func(a, b *kernel.Record) int { return weight(b) - weight(a) })
	best = best[:min(len(best), maxKeySteps)]
	slices.SortFunc(best, func(a, b *kernel.Record) int { return int(a.Index) - int(b.Index) })
	var out []string
	for _, r := range best {
		text := describe(r)
		if r.Node != "" {
			text = r.Node + " " + text
		}
		out = append(out, shorten(text, 120))
	}
	if len(out) == 0 {
		return ""
	}
	return fmt.Sprintf("the last event, %d at %v: %s", last.Event, last.Time, strings.Join(out, ", "))
}

// waiting returns the operation that a client of the failing event was busy
// with, if there is one.
func (s *story) waiting() *history.Operation {
	n := len(s.causes.Steps)
	if n == 0 || s.a.Report.Failure == nil {
		return nil
	}
	names := map[string]bool{}
	for i := range s.causes.Steps[n-1].Records {
		r := &s.causes.Steps[n-1].Records[i]
		names[r.Node], names[get(r, "to")], names[get(r, "from")] = true, true, true
	}
	for i := range s.a.Operations {
		if op := &s.a.Operations[i]; names[op.Process] && op.Invoke.Event <= s.last && (!op.Done() || op.Return.Event >= s.last) {
			return op
		}
	}
	return nil
}

func (s *story) verdict() string {
	f := s.a.Report.Failure
	if f == nil {
		return "All checks held."
	}
	where := ""
	if f.Node != "" {
		where = " on " + f.Node
	}
	message := strings.Join(strings.Fields(f.Message), " ")
	return fmt.Sprintf("Then %s%s: %s", f.What(), where, message)
}

// list joins names, at most n of them.
func list(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %s", strings.Join(names[:n], ", "), plural(len(names)-n, "more node"))
}
