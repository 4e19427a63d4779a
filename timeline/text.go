package timeline

import (
	"fmt"
	"strings"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Options say what [Text] shows. The zero value is the default.
type Options struct {
	// All shows every record. Without it, only what led to the failure, what
	// happened to nodes and links, and operations that the failure's message
	// seems to speak of are shown.
	All bool
	// Width is the width of the terminal in characters; 0 means 120. Values
	// below 40 count as 40.
	Width int
	// MaxLines is how many records are shown at most: the last ones. 0 means
	// 2,000, with All 200,000.
	MaxLines int
	// MaxSteps is how many events the causal slice has at most, see [Slice].
	MaxSteps int
}

func (o Options) defaults() Options {
	if o.Width == 0 {
		o.Width = 120
	}
	o.Width = max(o.Width, 40)
	if o.MaxLines <= 0 {
		o.MaxLines = 2000
		if o.All {
			o.MaxLines = 200_000
		}
	}
	return o
}

// Text returns the timeline of a run for a terminal. The error comes from
// reading the trace.
func Text(a *artifact.Artifact, o Options) ([]byte, error) {
	o = o.defaults()
	causes, err := Slice(a, o.MaxSteps)
	if err != nil {
		return nil, err
	}
	v := &view{o: o, causes: causes, ops: spokenOf(a), sends: map[string]int{}}
	if f := a.Report.Failure; f != nil {
		v.failing = f.Event
	}
	for r, err := range a.Records() {
		if err != nil {
			return nil, err
		}
		v.add(&r)
	}
	var b strings.Builder
	headline(&b, a.Report, o.Width)
	v.summary(&b)
	v.table(&b)
	operations(&b, a.Operations, v)
	return []byte(b.String()), nil
}

// line is one record as it is shown.
type line struct {
	time  kernel.Time
	event uint64
	node  string // empty for the world
	text  string
	fate  string // of a message that was sent
}

func (l *line) String() string {
	if l.fate == "" {
		return l.text
	}
	return l.text + " (" + l.fate + ")"
}

// view collects the lines of a timeline.
type view struct {
	o       Options
	causes  *Causes
	ops     map[int]int // operations that the failure speaks of
	failing uint64      // number of the failing event
	lines   []line
	cut     int            // lines that were dropped at the front
	records int            // records seen
	sends   map[string]int // place of a send among all lines, by the message's number
}

func (v *view) add(r *kernel.Record) {
	v.records++
	v.fate(r)
	if !v.wants(r) {
		return
	}
	if len(v.lines) >= 2*v.o.MaxLines {
		v.drop(len(v.lines) - v.o.MaxLines)
	}
	if r.Kind == "net/send" {
		v.sends[flight(r)] = v.cut + len(v.lines)
	}
	l := line{time: r.Time, event: r.Event, node: r.Node, text: describe(r)}
	if strings.HasPrefix(r.Kind, "fault/") || r.Kind == "fail" {
		l.node = ""
		if r.Kind == "fail" && r.Node != "" {
			l.text = shown(r.Node) + " " + l.text
		}
	}
	v.lines = append(v.lines, l)
}

func (v *view) drop(n int) {
	v.cut += n
	v.lines = append(v.lines[:0], v.lines[n:]...)
}

// wants reports whether a record is shown.
func (v *view) wants(r *kernel.Record) bool {
	if v.o.All {
		return true
	}
	module, _, _ := strings.Cut(r.Kind, "/")
	switch {
	case module == "fault" || module == "node" && r.Event > 0 || module == "clock" || r.Kind == "fail":
		return true
	case r.Kind == "net/cut" || r.Kind == "net/heal" || r.Kind == "net/degrade" || endsBadly(r.Kind):
		return true
	case module == "op" && v.ops[opNumber(r)] > 0:
		return true
	}
	return v.causes.has(r.Event) && !routine(r.Kind)
}

// opNumber returns the number of the operation that a record is of, or -1.
func opNumber(r *kernel.Record) int {
	a, ok := r.Get("op")
	if !ok || a.Type != kernel.AttrInt && a.Type != kernel.AttrUint {
		return -1
	}
	return int(a.Num)
}

// flight names a message: links count their messages each for itself.
func flight(r *kernel.Record) string {
	from, to := get(r, "from"), get(r, "to")
	if from == "" {
		from = r.Node
	}
	if to == "" {
		to = r.Node
	}
	return from + "\x00" + to + "\x00" + get(r, "id")
}

// fate adds to the line of a message's send what became of it.
func (v *view) fate(r *kernel.Record) {
	word := ""
	switch r.Kind {
	case "net/deliver":
		word = "arrives " + r.Time.String()
	case "net/drop":
		word = "lost" + suffix(r, "reason", ", ")
	default:
		return
	}
	i, ok := v.sends[flight(r)]
	if i -= v.cut; !ok || i < 0 {
		return
	}
	l := &v.lines[i]
	if l.fate != "" {
		l.fate += "; "
	}
	l.fate += word
}

func headline(b *strings.Builder, r *artifact.Report, width int) {
	fmt.Fprintf(b, "%s, seed %s: ", artifact.Visible(r.Test), r.Seed)
	f := r.Failure
	if f == nil {
		fmt.Fprintf(b, "passed, %v of virtual time\n\n", r.Run.Time)
		return
	}
	where := ""
	if f.Node != "" {
		where = " on " + shown(f.Node)
	}
	fmt.Fprintf(b, "%s at %v, event %d%s\n", artifact.Visible(f.What()), kernel.Time(f.Time), f.Event, where)
	for text := range strings.Lines(shorten(f.Message, 2000)) {
		for _, part := range wrap(artifact.Visible(strings.TrimRight(text, "\r\n")), width-4) {
			fmt.Fprintf(b, "    %s\n", part)
		}
	}
	b.WriteByte('\n')
}

// summary says what is shown and what is not.
func (v *view) summary(b *strings.Builder) {
	if n := len(v.lines) - v.o.MaxLines; n > 0 {
		v.drop(n)
	}
	fmt.Fprintf(b, "%d of %d records are shown", len(v.lines), v.records)
	if v.cut > 0 {
		fmt.Fprintf(b, "; %d earlier ones that belong here are left out", v.cut)
	}
	b.WriteString(".\n")
	if len(v.causes.Steps) == 0 {
		b.WriteByte('\n')
		return
	}
	target := "the end"
	if len(v.causes.About) > 0 {
		target = "what it is about"
	}
	fmt.Fprintf(b, "* marks %s that led to %s", plural(len(v.causes.Steps), "event"), target)
	if v.causes.Left > 0 {
		fmt.Fprintf(b, "; %d that are further away are not marked", v.causes.Left)
	}
	if v.causes.More {
		b.WriteString("; the trace before the last million events was not looked at")
	}
	b.WriteString(".\n\n")
}

const maxOperations = 40

// operations lists the clients' operations that the failure speaks of, and
// those that did not end well.
func operations(b *strings.Builder, ops []history.Operation, v *view) {
	var shownOps []string
	for i := range ops {
		op := &ops[i]
		if !v.o.All && v.ops[op.ID] == 0 {
			continue
		}
		shownOps = append(shownOps, fmt.Sprintf("op %-5d %s", op.ID, shown(op.String())))
	}
	if len(shownOps) == 0 {
		return
	}
	if v.o.All {
		b.WriteString("\noperations of clients, with the times of call and return:\n")
	} else {
		b.WriteString("\noperations that the failure seems to speak of, with the times of call and return:\n")
	}
	limit := maxOperations
	if v.o.All {
		limit = v.o.MaxLines
	}
	if n := len(shownOps) - limit; n > 0 {
		fmt.Fprintf(b, "  (%d earlier ones are left out)\n", n)
		shownOps = shownOps[n:]
	}
	for _, s := range shownOps {
		fmt.Fprintf(b, "  %s\n", s)
	}
}
