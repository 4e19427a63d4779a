package timeline

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

const (
	defaultBoxes = 40
	maxBoxLines  = 5  // records in a box
	maxBoxWidth  = 60 // characters of a record in a box
)

// Mermaid returns the causal slice of the artifact's failure as a Mermaid
// flowchart, the content of causes.mmd. It has boxes of at most maxSteps
// noteworthy events; 0 means 40, which a page shows well. A solid arrow leads
// from an event to one that it scheduled, a dotted one to one that came later on
// the same node. The error comes from reading the trace.
func Mermaid(a *artifact.Artifact, maxSteps int) ([]byte, error) {
	if maxSteps <= 0 {
		maxSteps = defaultBoxes
	}
	c, err := Slice(a, maxSteps)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%%%% What led to the failure of seed %s: %s", a.Report.Seed, plural(len(c.Steps), "event"))
	if c.Left > 0 || c.More {
		fmt.Fprintf(&b, "; %d further away are left out", c.Left)
	}
	b.WriteString("\nflowchart TD\n")
	if len(c.Steps) == 0 {
		b.WriteString("    none[\"There is no trace to draw.\"]\n")
		return []byte(b.String()), nil
	}
	for i := range c.Steps {
		box(&b, &c.Steps[i])
	}
	for _, e := range c.Edges {
		arrow := "-->"
		if e.Order {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "    e%d %s e%d\n", e.From, arrow, e.To)
	}
	b.WriteString("    classDef fault fill:#fdebd0,stroke:#b9770e,color:#000\n")
	b.WriteString("    classDef failure fill:#f5b7b1,stroke:#922b21,color:#000\n")
	for i := range c.Steps {
		if class := classOf(&c.Steps[i]); class != "" {
			fmt.Fprintf(&b, "    class e%d %s\n", c.Steps[i].Event, class)
		}
	}
	return []byte(b.String()), nil
}

// box draws an event: time and number, then its records. Records that say only
// that something ran are drawn if there is nothing else.
func box(b *strings.Builder, s *Step) {
	fmt.Fprintf(b, "    e%d[\"%s, event %d", s.Event, s.Time, s.Event)
	var lines []string
	for i := range s.Records {
		if !routine(s.Records[i].Kind) {
			lines = append(lines, boxLine(&s.Records[i]))
		}
	}
	if len(lines) == 0 && len(s.Records) > 0 {
		lines = append(lines, boxLine(&s.Records[0]))
	}
	more := s.Left
	if n := len(lines) - maxBoxLines; n > 0 {
		// The first ones say why the event ran, the last one how it ended.
		more += n
		lines = append(lines[:maxBoxLines-1], lines[len(lines)-1])
	}
	if more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	for _, text := range lines {
		b.WriteString("<br/>" + text)
	}
	b.WriteString("\"]\n")
}

func boxLine(r *kernel.Record) string {
	text := describe(r)
	if r.Node != "" {
		text = shown(r.Node) + ": " + text
	}
	return label(shorten(text, maxBoxWidth))
}

func classOf(s *Step) string {
	class := ""
	for i := range s.Records {
		switch kind := s.Records[i].Kind; {
		case kind == "fail":
			return "failure"
		case strings.HasPrefix(kind, "fault/"), kind == "node/kill", kind == "node/power-loss", kind == "net/drop":
			class = "fault"
		}
	}
	return class
}

// label escapes a text for a quoted label: everything that is not a letter, a
// digit, a space or harmless becomes a numbered character of Mermaid.
func label(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)), strings.ContainsRune(" .,:+-=/→←✗…", r), r >= utf8.RuneSelf && unicode.IsLetter(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
