package timeline

import (
	"fmt"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/kernel"
)

// SpaceTime returns spacetime.svg: the causal slice of the failure as a
// space-time diagram. Each node has a line from top to bottom, each event a
// row; lines between them are causes. maxSteps is how many events it has at
// most, as in [Slice]; 0 means 60. The error comes from reading the trace.
func SpaceTime(a *artifact.Artifact, maxSteps int) ([]byte, error) {
	if maxSteps <= 0 {
		maxSteps = maxDrawnSteps
	}
	c, err := chronicleOf(a)
	if err != nil {
		return nil, err
	}
	causes, err := Slice(a, maxSteps)
	if err != nil {
		return nil, err
	}
	return spacetimeOf(causes, c).file("What led to the failure"), nil
}

const (
	maxDrawnSteps = 60
	rowHigh       = 26.0
	headHigh      = 40.0
	timeWide      = 116.0
	maxColumns    = 12
)

// diagram lays the steps out.
type diagram struct {
	svg
	causes  *Causes
	steps   []Step
	columns []string // nodes; "" is the world
	wide    float64
	row     map[uint64]int
}

func spacetimeOf(causes *Causes, c *chronicle) *svg {
	d := &diagram{causes: causes, row: map[uint64]int{}}
	d.steps = causes.Steps[max(0, len(causes.Steps)-maxDrawnSteps*2):]
	if len(d.steps) == 0 {
		d.width, d.height = 600, 40
		d.text(8, 24, "quiet", "start", "There is no trace to draw.")
		return &d.svg
	}
	used := map[string]bool{}
	for i := range d.steps {
		d.row[d.steps[i].Event] = i
		used[d.home(i)] = true
	}
	d.columns = append(d.columns, c.nodes...)
	d.columns = slices.DeleteFunc(d.columns, func(name string) bool { return !used[name] })
	if used[""] || len(d.columns) > maxColumns {
		d.columns = append([]string{""}, d.columns[:min(len(d.columns), maxColumns)]...)
	}
	d.wide = max(150, min(240, 960/float64(len(d.columns))))
	d.width = int(timeWide + d.wide*float64(len(d.columns)) + 120)
	d.height = int(headHigh + rowHigh*float64(len(d.steps)) + 16)
	d.lines()
	d.edges()
	for i := range d.steps {
		d.event(i)
	}
	d.notes(len(used))
	return &d.svg
}

// notes say below the diagram what is not in it.
func (d *diagram) notes(homes int) {
	var out []string
	if n := d.causes.Left + len(d.causes.Steps) - len(d.steps); n > 0 {
		out = append(out, plural(n, "event")+" that led to it too are left out.")
	}
	if n := homes - len(d.columns); n > 0 {
		out = append(out, fmt.Sprintf("%s without a column: their events are in the first one.", plural(n, "node")))
	}
	for _, text := range out {
		d.text(8, float64(d.height)+8, "quiet small", "start", text)
		d.height += 20
	}
}

// telling returns the record of a step that stands for it.
func (d *diagram) telling(i int) *kernel.Record {
	s := &d.steps[i]
	for j := range s.Records {
		if s.Records[j].Kind == "fail" {
			return &s.Records[j]
		}
	}
	if r := keyRecord(s); r != nil {
		return r
	}
	return &s.Records[0]
}

func (d *diagram) home(i int) string {
	if r := d.telling(i); r.Node != "" {
		return r.Node
	}
	for j := range d.steps[i].Records {
		if r := &d.steps[i].Records[j]; r.Node != "" && r.Kind != "fail" && d.telling(i).Kind == "fail" {
			return r.Node
		}
	}
	return ""
}

func (d *diagram) x(i int) float64 {
	column := max(0, slices.Index(d.columns, d.home(i)))
	return timeWide + d.wide*float64(column) + 12
}

func (d *diagram) y(i int) float64 { return headHigh + rowHigh*(float64(i)+0.5) }

func (d *diagram) lines() {
	for i, name := range d.columns {
		x := timeWide + d.wide*float64(i) + 12
		label := name
		if name == "" {
			label = "world"
		}
		d.text(x-6, 20, "strong", "start", shorten(label, 24))
		d.line(x, 28, x, float64(d.height)-8, "rule")
	}
}

func (d *diagram) edges() {
	for _, e := range d.causes.Edges {
		from, ok := d.row[e.From]
		to, ok2 := d.row[e.To]
		if !ok || !ok2 {
			continue
		}
		class := "sched"
		if e.Order {
			class = "order"
		}
		x1, y1, x2, y2 := d.x(from), d.y(from), d.x(to), d.y(to)
		if x1 == x2 {
			d.line(x1, y1+4, x2, y2-4, class)
			continue
		}
		d.printf(`<path d="M%s %s C%s %s %s %s %s %s" class="%s"/>`, coord(x1), coord(y1+4), coord(x1), coord((y1+y2)/2), coord(x2), coord((y1+y2)/2), coord(x2), coord(y2-4), class)
	}
}

func (d *diagram) event(i int) {
	s, r := &d.steps[i], d.telling(i)
	class, words := "step", "small halo"
	switch {
	case r.Kind == "fail":
		class, words = "failure", "small halo failtext"
	case r.Kind == "net/drop" || r.Kind == "node/kill" || r.Kind == "node/power-loss" || r.Kind == "disk/crash" || r.Kind == "fault/fire":
		class = "bad"
	}
	x, y := d.x(i), d.y(i)
	if i == 0 || d.steps[i-1].Time != s.Time {
		d.text(timeWide-20, y+4, "mono quiet", "end", s.Time.String())
	}
	text := describe(r)
	if more := len(s.Records) + s.Left - 1; more > 0 {
		text = shorten(text, 60) + fmt.Sprintf(" (+%d)", more)
	}
	d.printf(`<g class="event" data-event="%d" tabindex="-1"><title>%s</title>`, s.Event, safe(shorten(told(r), maxValue)))
	d.printf(`<circle cx="%s" cy="%s" r="4" class="%s"/>`, coord(x), coord(y), class)
	d.text(x+10, y+4, words, "start", shorten(text, 66))
	d.printf(`</g>`)
}
