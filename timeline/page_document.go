package timeline

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's parts
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// The parts of the page. dist is made from src by the maintenance command
// bundle; a test sees that it is current.
var (
	//go:embed page/page.html
	pageSkeleton string
	//go:embed page/dist/page.css
	pageStyle string
	//go:embed page/dist/page.js
	pageScript string
)

const maxPageMessage = 4000 // characters of the failure's message

// document is the page's own text: what is there before any script runs.
type document struct {
	report     *artifact.Report
	story      []string
	chronicle  *chronicle
	causes     *Causes
	plots      *svg
	spacetime  *svg
	skipped    int // records
	cut        int // texts
	operations int
}

// write fills the skeleton. A slot of it is a comment with the slot's name.
func (d *document) write(out *bytes.Buffer, payload func() error) error {
	for i, part := range strings.Split(pageSkeleton, "<!--=") {
		if i == 0 {
			out.WriteString(part)
			continue
		}
		name, rest, _ := strings.Cut(part, "-->")
		if name == "payload" {
			if err := payload(); err != nil {
				return err
			}
		} else {
			out.WriteString(d.slot(name))
		}
		out.WriteString(rest)
	}
	return nil
}

func (d *document) slot(name string) string {
	r := d.report
	switch name {
	case "policy":
		return `<meta http-equiv="Content-Security-Policy" content="` + policy() + `">`
	case "style":
		return "<style>" + pageStyle + "</style>"
	case "script":
		return `<script type="module">` + pageScript + "</script>"
	case "title":
		return "<title>" + safe(fmt.Sprintf("%s, seed %v: %s", shorten(r.Test, maxValue), r.Seed, r.Result)) + "</title>"
	case "test":
		return safe(shorten(r.Test, maxValue))
	case "seed":
		return safe(r.Seed.String())
	case "package":
		return safe(shorten(r.Package, maxValue))
	case "verdict":
		return d.verdict()
	case "story":
		return items(d.story)
	case "command":
		return safe(r.Replay.Command)
	case "facts":
		return d.facts()
	case "notes":
		return items(d.notes())
	case "plots":
		return d.plots.inline("plots-picture", "Operations of clients per second by outcome, and their latency, over virtual time")
	case "spacetime":
		return d.spacetime.inline("causes-picture", "What led to the failure: a column for each node, time from top to bottom")
	}
	return ""
}

// policy lets the page's own script and style run, and nothing else.
func policy() string {
	return fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'", hashOf(pageScript), hashOf(pageStyle))
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

func (d *document) verdict() string {
	f := d.report.Failure
	if f == nil {
		return `<h1><span class="badge passed">Passed</span> All checks held</h1>`
	}
	where := fmt.Sprintf("at %v, event %d", kernel.Time(f.Time), f.Event)
	if f.Node != "" {
		where += ", on " + f.Node
	}
	what := safe(f.Kind)
	if f.Check != f.Kind {
		what += " “" + safe(shorten(f.Check, maxValue)) + "”"
	}
	return fmt.Sprintf(`<h1><span class="badge">Failed</span> %s</h1>`+"\n"+`<p class="where">%s</p>`+"\n"+`<pre class="message" tabindex="0">%s</pre>`,
		what, safe(where), paragraphs(shorten(f.Message, maxPageMessage)))
}

// paragraphs is safe text that keeps its line breaks.
func paragraphs(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		out = append(out, safe(line))
	}
	return strings.Join(out, "\n")
}

func items(list []string) string {
	var b strings.Builder
	for _, s := range list {
		b.WriteString("<li>" + safe(s) + "</li>\n")
	}
	return b.String()
}

// facts are a few numbers beside the story.
func (d *document) facts() string {
	r := d.report
	rows := [][2]string{
		{"virtual time", kernel.Time(r.Run.Time).String()},
		{"events", fmt.Sprint(r.Run.Events)},
		{"records", fmt.Sprint(d.chronicle.records)},
		{"nodes", fmt.Sprint(len(d.chronicle.nodes) + len(d.chronicle.nolane))},
	}
	if h := r.History; h != nil {
		rows = append(rows, [2]string{"operations", fmt.Sprintf("%d ok, %d failed, %d unknown, %d pending", h.OK, h.Fail, h.Unknown, h.Pending)})
	}
	fired := 0
	for i := range d.chronicle.faults {
		if d.chronicle.faults[i].id != "" {
			fired++
		}
	}
	rows = append(rows, [2]string{"faults", fmt.Sprint(fired)})
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "<div><dt>%s</dt><dd>%s</dd></div>\n", safe(row[0]), safe(row[1]))
	}
	return b.String()
}

func cuts(n int) string {
	if n == 1 {
		return "1 cut or degradation hit"
	}
	return fmt.Sprintf("%d cuts or degradations hit", n)
}

// notes say what the page leaves out.
func (d *document) notes() []string {
	var out []string
	if s := d.report.Shrunk; s != nil {
		out = append(out, fmt.Sprintf("A shrunk run failed in the same way at %v, event %d: timeline.min.html beside this file shows it.", s.Time, s.Event))
	}
	if d.skipped > 0 {
		out = append(out, fmt.Sprintf("The first %d of %d records are left out: the page holds the last %d. Bands, plots and causes are of the whole run.",
			d.skipped, d.chronicle.records, d.chronicle.records-d.skipped))
	}
	if d.report.Run.TraceCut {
		out = append(out, "The trace itself grew too large and was kept in part.")
	}
	if d.cut > 0 {
		out = append(out, "Shortened here, and in full in the artifact: "+plural(d.cut, "long text")+".")
	}
	if n := d.operations - maxPageOps; n > 0 {
		out = append(out, fmt.Sprintf("The first %d operations of clients are left out.", n))
	}
	if n := len(d.chronicle.nolane); n > 0 {
		out = append(out, fmt.Sprintf("%s beyond the first %d have no lane: what they did is listed under Events as of another node, and trace.jsonl names them.", plural(n, "node"), maxLanes))
	}
	if d.chronicle.left > 0 {
		out = append(out, fmt.Sprintf("%d faults, cuts or starts beyond the first %d are drawn without their duration.", d.chronicle.left, maxSpans))
	}
	if d.chronicle.unshaded > 0 {
		out = append(out, fmt.Sprintf("%s more links than the page can shade; the records say which.", cuts(d.chronicle.unshaded)))
	}
	if d.causes.Left > 0 {
		out = append(out, fmt.Sprintf("The causal slice has %s, the closest to the failure; %d further away led to it too.", plural(len(d.causes.Steps), "event"), d.causes.Left))
	}
	if d.causes.More {
		out = append(out, "The trace before the last million events was not searched for causes.")
	}
	if len(d.causes.About) > 0 {
		out = append(out, fmt.Sprintf("The slice is also of the operations that its message seems to speak of (%s), and of the crashes after them.", strings.Trim(fmt.Sprint(d.causes.About), "[]")))
	}
	if d.causes.Odd > 0 {
		out = append(out, fmt.Sprintf("The slice is also of %s of messages that were held up or repeated.", plural(d.causes.Odd, "arrival")))
	}
	return out
}
