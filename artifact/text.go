package artifact

import (
	"fmt"
	"strings"
)

// Text returns the report for people, the content of report.txt: what failed,
// the story, of the shrunk run first, what it takes, how to see it again, and
// what happened in numbers.
func (r *Report) Text() []byte {
	p := &page{}
	p.verdict(r)
	p.stories(r)
	p.again(r.Replay)
	p.next(r)
	if r.Why != nil {
		p.b.Write(r.Why.Text())
	}
	p.field("test", r.Test)
	p.field("package", r.Package)
	p.field("seed", r.Seed.String())
	p.gap()
	p.numbers(r)
	p.groups(r.Groups)
	p.drawn(r.Intensities)
	p.settings("options", r.Options)
	p.settings("environment", r.Env)
	p.field("trace hash", r.TraceHash)
	p.field("signature", r.Signature)
	p.field("faultline", r.Faultline+", "+r.Go)
	if r.Failure != nil {
		p.block("more", r.Failure.Detail)
		p.block("stack", r.Failure.Stack)
	}
	return []byte(strings.TrimLeft(p.b.String(), "\n"))
}

type page struct{ b strings.Builder }

// line adds a line. Control characters in it become visible, so that no name
// or message can play tricks on a terminal.
func (p *page) line(format string, args ...any) {
	p.b.WriteString(Visible(fmt.Sprintf(format, args...)))
	p.b.WriteByte('\n')
}

func (p *page) gap() {
	if s := p.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		p.b.WriteByte('\n')
	}
}

func (p *page) field(name, value string) {
	if value != "" {
		p.line("%-12s %s", name+":", value)
	}
}

func (p *page) block(name, text string) {
	if text == "" {
		return
	}
	p.gap()
	p.line("%s:", name)
	p.lines(text)
}

func (p *page) lines(text string) {
	for line := range strings.Lines(text) {
		p.line("    %s", strings.ReplaceAll(strings.TrimRight(line, "\r\n"), "\t", "    "))
	}
}

func (p *page) settings(title string, list []Setting) {
	if len(list) == 0 {
		return
	}
	p.line("%s:", title)
	for _, s := range list {
		p.line("    %s = %s", s.Name, s.Value)
	}
	p.gap()
}

// drawn lists the rules of random faults that are on in this seed.
func (p *page) drawn(list []Setting) {
	if len(list) == 0 {
		return
	}
	p.line("drawn for this seed:")
	off := 0
	for _, s := range list {
		if s.Value == "0%" {
			off++
			continue
		}
		p.line("    %s = %s", s.Name, s.Value)
	}
	switch {
	case off == 1:
		p.line("    1 more rule is off")
	case off > 1:
		p.line("    %d more rules are off", off)
	}
	p.gap()
}

// verdict says what failed, where, and what was seen.
func (p *page) verdict(r *Report) {
	f := r.Failure
	if f == nil {
		p.line("passed: all checks held")
		p.gap()
		return
	}
	p.line("%s at %v, event %d%s", f.What(), f.Time, f.Event, on(f.Node))
	p.lines(f.Message)
	p.gap()
}

// stories tells the run. One that was made small is told first: it has what
// matters, and little else.
func (p *page) stories(r *Report) {
	title := "what happened"
	if s := r.Shrunk; s != nil {
		p.story(fmt.Sprintf("%s in the shrunk run, which failed the same way at %v, event %d%s", title, s.Time, s.Event, on(s.Node)), s.Story)
		p.block("what it takes", strings.Join(s.Takes, "\n"))
		p.gap()
		title += " in the run of the seed, with all its faults"
	}
	p.story(title, r.Story)
}

func (p *page) story(title string, story []string) {
	if len(story) == 0 {
		return
	}
	p.line("%s:", title)
	for i, line := range story {
		p.line("    %d. %s", i+1, line)
	}
	p.gap()
}

func (p *page) again(r Replay) {
	if r.Command == "" {
		return
	}
	p.line("replay:")
	if r.Dir != "" {
		p.line("    cd %s", shellQuote(r.Dir))
	}
	p.line("    %s", r.Command)
	p.gap()
}

// next says where to read on: in what is shorter, if there is something.
func (p *page) next(r *Report) {
	if r.Shrunk == nil {
		return
	}
	p.line("next:")
	p.line("    read report.min.txt beside this file, then timeline.min.txt: they are of the shrunk run alone; timeline.min.html is for the browser")
	p.gap()
}

func (p *page) groups(list []Group) {
	if len(list) == 0 {
		return
	}
	p.line("groups of nodes:")
	for _, g := range list {
		const most = 20
		names := strings.Join(g.Nodes[:min(len(g.Nodes), most)], ", ")
		if n := len(g.Nodes) - most; n > 0 {
			names += fmt.Sprintf(" and %d more", n)
		}
		p.line("    %s: %s", g.Name, names)
	}
	p.gap()
}

func on(node string) string {
	if node == "" {
		return ""
	}
	return ", node " + node
}

func (p *page) numbers(r *Report) {
	p.field("run", fmt.Sprintf("%v of virtual time, %s, %s, %s", r.Run.Time, plural(r.Run.Events, "event"), plural(r.Run.Records, "record"), plural(r.Run.Nodes, "node")))
	if o := r.History; o != nil {
		p.field("operations", fmt.Sprintf("%d ok, %d fail, %d unknown, %d pending", o.OK, o.Fail, o.Unknown, o.Pending))
		if o.OK == 0 && o.Fail+o.Unknown+o.Pending > 0 {
			p.line("             no operation succeeded: a run like this shows little")
		}
	}
	fired, inert := 0, 0
	for _, f := range r.Faults {
		fired, inert = fired+f.Fired, inert+f.Inert
		p.line("    fault %-16s %d planned, %d fired, %d inert, %d without target, %d skipped", f.Kind, f.Planned, f.Fired, f.Inert, f.NoTarget, f.Skipped)
	}
	if fired == 0 && inert > 0 {
		p.line("             every fault was inert: a run like this shows nothing")
	}
	for _, c := range r.Invariants {
		p.line("    check %q: %s%s", c.Name, plural(c.Runs, "time"), cost(c.Cost))
	}
	for _, c := range r.Coverage {
		p.line("    sometimes %q: %s", c.Name, plural(c.Seen, "time"))
	}
	p.gap()
}

func cost(d Duration) string {
	if d == 0 {
		return ""
	}
	return fmt.Sprintf(", %v", d)
}

// shellQuote quotes a word for a POSIX shell.
func shellQuote(s string) string {
	safe := s != ""
	for i := range len(s) {
		safe = safe && (plain(s[i]) || s[i] == '/')
	}
	if safe {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// plural is like "1 event" or "3 events".
func plural[N int | uint64](n N, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
