// Package repro writes a schedule as a Go test that replays it.
package repro

import (
	"fmt"
	"go/format"
	"strconv"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
)

// Test is a test to be written.
type Test struct {
	Place                    // of the test that failed
	Name     string          // of the function
	Original string          // function of the test that failed
	Seed     uint64          // with which it failed; a shrunk schedule may have another one
	About    []string        // lines of its comment, after the first
	Schedule *fault.Schedule // what the test replays
}

// Source returns the file.
func (x *Test) Source() ([]byte, error) {
	p, body := &printer{names: x.Names}, &printer{names: x.Names}
	s := x.Schedule
	test, call := s.Test, x.Original
	testing := body.use("testing")
	if x.Parallel { // which the test that calls Reproduce cannot be, but those below it
		test = x.Original + "/" + test
		call = fmt.Sprintf("func(t *%s.T) { t.Run(%q, %s) }", testing, x.Original, x.Original)
	}
	body.line("%s.Reproduce(t, &%s.Schedule{", body.use("faultline"), body.use("fault"))
	body.line("Test: %q,", test)
	body.line("Seed: 0x%016x,", s.Seed)
	body.line("Duration: %s,", body.duration(s.Duration))
	if s.Quiet > 0 {
		body.line("Quiet: %s,", body.duration(s.Quiet))
	}
	if len(s.Faults) > 0 {
		body.line("Faults: []%s.Fault{", body.use("fault"))
		for i := range s.Faults {
			body.fault(&s.Faults[i])
		}
		body.line("},")
	}
	if len(s.Choices) > 0 {
		body.line("Choices: []%s.Choice{", body.use("kernel"))
		for _, c := range s.Choices {
			body.choice(c)
		}
		body.line("},")
	}
	body.line("}, %s)", call)

	if x.Build != nil {
		p.line("//go:build %s\n", x.Build)
	}
	p.line("package %s\n\nimport (", x.Package)
	body.imports(p, "testing", "time")
	p.line("")
	body.imports(p, "fault", "faultline", "kernel")
	p.line(")\n")
	p.line("// %s fails as seed 0x%016x of %s did. Written by faultline repro.", x.Name, x.Seed, comment(s.Test))
	for i, l := range x.About {
		if i == 0 {
			p.line("//")
		}
		p.line("//	%s", comment(l))
	}
	p.line("func %s(t *%s.T) {", x.Name, testing)
	p.b.WriteString(body.b.String())
	p.line("}")
	return format.Source([]byte(p.b.String()))
}

// comment returns text as it can be in a line of a comment.
func comment(text string) string {
	return artifact.Visible(strings.Join(strings.Fields(text), " "))
}

// printer writes lines of Go.
type printer struct {
	b     strings.Builder
	names map[string]bool   // of the package, in which no import may be called like that
	used  map[string]string // imports, and what they are called
}

// use returns what an import is called in the file.
func (p *printer) use(pkg string) string {
	name := pkg
	for p.names[name] {
		name += "pkg"
	}
	if p.used == nil {
		p.used = map[string]string{}
	}
	p.used[pkg] = name
	return name
}

// imports writes to a file those of the packages that are used.
func (p *printer) imports(to *printer, pkgs ...string) {
	for _, pkg := range pkgs {
		name, ok := p.used[pkg]
		if !ok {
			continue
		}
		if name == pkg {
			name = ""
		}
		path := pkg
		if pkg != "testing" && pkg != "time" {
			path = "github.com/hmdsefi/faultline/" + pkg
		}
		to.line("%s %q", name, path)
	}
}

func (p *printer) line(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// duration writes a duration in the largest unit that leaves a whole number.
func (p *printer) duration(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d != 0 && d%u.unit == 0 {
			return fmt.Sprintf("%d * %s.%s", d/u.unit, p.use("time"), u.name)
		}
	}
	return strconv.FormatInt(int64(d), 10)
}

func (p *printer) fault(f *fault.Fault) {
	var parts []string
	add := func(set bool, name, value string) {
		if set {
			parts = append(parts, name+": "+value)
		}
	}
	add(f.ID != "", "ID", strconv.Quote(f.ID))
	add(true, "Kind", strconv.Quote(string(f.Kind)))
	add(f.At != 0, "At", p.duration(f.At))
	if w := f.When; w != (fault.Trigger{}) {
		add(true, "When", fmt.Sprintf("%s.Trigger{Point: %q, Op: %q, After: %v, File: %q, Message: %q, State: %q, Node: %q, Nth: %d, Chance: %d}",
			p.use("fault"), w.Point, w.Op, w.After, w.File, w.Message, w.State, w.Node, w.Nth, w.Chance))
	}
	add(f.For != 0, "For", p.duration(f.For))
	if t := f.Target; len(t.Nodes)+len(t.Group)+len(t.Role)+len(t.Pick) > 0 {
		var inner []string
		for _, v := range []struct{ name, value string }{{"Group", t.Group}, {"Role", t.Role}, {"Pick", string(t.Pick)}} {
			if v.value != "" {
				inner = append(inner, v.name+": "+strconv.Quote(v.value))
			}
		}
		if len(t.Nodes) > 0 {
			inner = append(inner, "Nodes: "+list(t.Nodes))
		}
		add(true, "Target", p.use("fault")+".Target{"+strings.Join(inner, ", ")+"}")
	}
	add(len(f.Peers) > 0, "Peers", list(f.Peers))
	add(f.File != "", "File", strconv.Quote(f.File))
	add(f.Rate != 0, "Rate", strconv.FormatInt(f.Rate, 10))
	add(f.Amount != 0, "Amount", p.duration(f.Amount))
	add(f.Count != 0, "Count", strconv.FormatInt(f.Count, 10))
	add(f.Message != "", "Message", strconv.Quote(f.Message))
	add(f.Profile != "", "Profile", strconv.Quote(f.Profile))
	add(len(f.Nodes) > 0, "Nodes", list(f.Nodes))
	add(f.Outcome != "" && f.Outcome != fault.Fired, "Outcome", strconv.Quote(string(f.Outcome)))
	p.line("{%s},", strings.Join(parts, ", "))
}

func (p *printer) choice(c kernel.Choice) {
	n := ""
	if c.N != 0 {
		n = fmt.Sprintf("N: %d, ", c.N)
	}
	of := ""
	if c.Of != 0 {
		of = fmt.Sprintf(", Of: 0x%016x", c.Of)
	}
	p.line("{Point: %q, %sValue: %d%s},", c.Point, n, c.Value, of)
}

func list(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	return "[]string{" + strings.Join(quoted, ", ") + "}"
}
