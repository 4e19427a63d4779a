package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// finding is one place that breaks one rule.
type finding struct {
	file string // relative to the root, with slashes
	line int    // from 1; 0 if the finding is about the file as a whole
	rule string
	text string
}

func (f finding) String() string {
	if f.line == 0 {
		return fmt.Sprintf("%s: %s: %s", f.file, f.rule, f.text)
	}
	return fmt.Sprintf("%s:%d: %s: %s", f.file, f.line, f.rule, f.text)
}

// marker is a comment that allows one rule on its own line and the next one.
type marker struct {
	rule   string
	reason string
	used   bool
}

// place is a line of a file.
type place struct {
	file string
	line int
}

// report collects findings and drops those that a marker allows.
type report struct {
	root     string
	findings []finding
	markers  map[place]*marker
}

func newReport(root string) *report {
	return &report{root: root, markers: map[place]*marker{}}
}

// at reports rule at a position of a parsed file.
func (r *report) at(fset *token.FileSet, pos token.Pos, rule, format string, args ...any) {
	p := fset.Position(pos)
	name := p.Filename
	if filepath.IsAbs(name) {
		if rel, err := filepath.Rel(r.root, name); err == nil {
			name = filepath.ToSlash(rel)
		}
	}
	r.add(name, p.Line, rule, format, args...)
}

// add reports rule at a line of a file, unless a marker allows it there.
func (r *report) add(file string, line int, rule, format string, args ...any) {
	for _, l := range []int{line, line - 1} {
		if m := r.markers[place{file, l}]; m != nil && m.rule == rule {
			m.used = true
			return
		}
	}
	r.findings = append(r.findings, finding{file, line, rule, fmt.Sprintf(format, args...)})
}

// readMarkers remembers the allow markers of a parsed file.
func (r *report) readMarkers(fset *token.FileSet, name string, file *ast.File) {
	for _, group := range file.Comments {
		for _, c := range group.List {
			m := parseMarker(c.Text)
			if m != nil {
				r.markers[place{name, fset.Position(c.Pos()).Line}] = m
			}
		}
	}
}

func parseMarker(comment string) *marker {
	if reason, ok := strings.CutPrefix(comment, "//faultline:unordered"); ok {
		return &marker{rule: "map-range", reason: strings.TrimSpace(reason)}
	}
	text, ok := strings.CutPrefix(comment, "//faultline:allow")
	if !ok {
		return nil
	}
	name, reason, _ := strings.Cut(strings.TrimSpace(text), " ")
	return &marker{rule: name, reason: strings.TrimSpace(reason)}
}

// checkMarkers reports the markers that are wrong or not needed. It runs last.
func (r *report) checkMarkers() {
	for p, m := range r.markers {
		switch {
		case !knownRule(m.rule):
			r.add(p.file, p.line, "marker", "%q is no rule; 'houserules -rules' lists them", m.rule)
		case m.reason == "":
			r.add(p.file, p.line, "marker", "give the reason why %s is right here", m.rule)
		case !m.used:
			r.add(p.file, p.line, "marker", "nothing breaks %s here; remove the marker", m.rule)
		}
	}
}

// sorted returns the findings in order of place, each once.
func (r *report) sorted() []finding {
	slices.SortFunc(r.findings, func(a, b finding) int {
		if c := strings.Compare(a.file, b.file); c != 0 {
			return c
		}
		if a.line != b.line {
			return a.line - b.line
		}
		return strings.Compare(a.rule+a.text, b.rule+b.text)
	})
	return slices.Compact(r.findings)
}
