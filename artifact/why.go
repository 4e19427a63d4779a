package artifact

import (
	"fmt"
	"strings"
)

// Why says what the parts of the shrunk schedule are for. It is about the run
// of schedule.min.json.
type Why struct {
	Reasons []Reason `json:"reasons,omitempty"` // what becomes of the run without each part
	Untried int      `json:"untried,omitempty"` // parts that it was not run without, for want of time
	Moments []Moment `json:"moments,omitempty"` // how often it fails when all from a moment on is drawn anew
	Decided Duration `json:"decided,omitzero"`  // the first moment from which on nine of ten continuations fail; 0 if not known
	Nearest *Nearest `json:"nearest,omitzero"`  // the run that passes and stays the same for longest
}

// Reason is what becomes of the run without one part of its schedule.
type Reason struct {
	Part    string `json:"part"`    // the fault, choice or operation, in words
	Outcome string `json:"outcome"` // how the run ends without it, in words
}

// Moment is a time from which on the run was continued, each time with other
// faults, fates and operations.
type Moment struct {
	Time   Duration `json:"time"`   // virtual time up to which it was the same
	Runs   int      `json:"runs"`   // number of continuations
	Failed int      `json:"failed"` // those that failed in the same way
}

// Nearest is where the failing run and the nearest one that passes part.
type Nearest struct {
	Without string   `json:"without"` // the part that the passing run lacks
	Time    Duration `json:"time"`    // virtual time
	Event   uint64   `json:"event"`   // number of the event
	Record  uint64   `json:"record"`  // number of the record, from 0
	Fails   string   `json:"fails"`   // the record of the failing run
	Passes  string   `json:"passes"`  // the record of the other
}

// Open reports that only the failure itself decided: no moment before it is
// known from which on nearly every continuation fails. The last of the moments
// is that of the failure.
func (w *Why) Open() bool {
	n := len(w.Moments)
	return n > 0 && w.Decided > 0 && w.Decided == w.Moments[n-1].Time
}

// Text returns it for people.
func (w *Why) Text() []byte {
	p := &page{}
	if len(w.Reasons) > 0 {
		p.line("why: without")
		for _, r := range w.Reasons {
			p.line("    %s", r.Part)
			p.line("        %s", r.Outcome)
		}
		if w.Untried > 0 {
			p.line("    there was no time for %d more", w.Untried)
		}
		p.gap()
	}
	if len(w.Moments) > 0 {
		p.line("when it was decided: of the continuations from each moment on, with all else drawn anew, fail in the same way")
		for _, m := range w.Moments {
			p.line("    %-16v %2d of %2d  %s", m.Time, m.Failed, m.Runs, strings.Repeat("#", m.Failed))
		}
		switch {
		case w.Open():
			p.line("    open to the end: it could have gone well up to the failure itself")
		case w.Decided > 0:
			p.line("    decided by %v", w.Decided)
		}
		p.gap()
	}
	if n := w.Nearest; n != nil {
		p.line("the nearest run that passes is the one without")
		p.line("    %s", n.Without)
		p.line("it parts at %v, event %d, record %d:", n.Time, n.Event, n.Record)
		p.line("    this run: %s", n.Fails)
		p.line("    that one: %s", n.Passes)
		p.gap()
	}
	return []byte(p.b.String())
}

// Plot draws the share of failing continuations over time, as an SVG picture;
// nil if there are too few moments.
func (w *Why) Plot() []byte {
	const width, height, left, top = 640, 180, 50, 20
	if len(w.Moments) < 2 {
		return nil
	}
	end := max(int64(w.Moments[len(w.Moments)-1].Time), 1)
	x := func(d Duration) int64 { return left + int64(d)*(width-left-20)/end }
	y := func(m Moment) int { return top + (height-2*top)*(m.Runs-m.Failed)/max(m.Runs, 1) }
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n", width, height)
	b.WriteString("<title>share of continuations that fail in the same way</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n")
	fmt.Fprintf(&b, "<text x=\"4\" y=\"%d\">100%%</text><text x=\"4\" y=\"%d\">0%%</text>\n", top+4, height-top+4)
	fmt.Fprintf(&b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#888\"/>\n<path d=\"", left, top, height-top, width-20)
	for i, m := range w.Moments {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%d %d", command, x(m.Time), y(m))
	}
	b.WriteString("\" fill=\"none\" stroke=\"#b00\" stroke-width=\"2\"/>\n")
	for _, m := range w.Moments {
		fmt.Fprintf(&b, "<circle cx=\"%d\" cy=\"%d\" r=\"3\" fill=\"#b00\"><title>%v: %d of %d</title></circle>\n", x(m.Time), y(m), m.Time, m.Failed, m.Runs)
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">0s</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%v</text>\n", left, height-4, width-20, height-4, Duration(end))
	if w.Decided > 0 && !w.Open() {
		fmt.Fprintf(&b, "<path d=\"M%d %dV%d\" stroke=\"#06c\" stroke-dasharray=\"4 3\"/><text x=\"%d\" y=\"%d\" fill=\"#06c\">decided by %v</text>\n",
			x(w.Decided), top, height-top, min(x(w.Decided)+4, width-180), top-6, w.Decided)
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
