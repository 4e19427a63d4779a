package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

const (
	diagramPage  = "docs/explanation/architecture.md"
	diagramBegin = "<!-- derived from the go.mod files -->\n"
	diagramEnd   = "<!-- end -->\n"
)

// diagram returns the page about the architecture with the diagram of today's
// modules in it. An arrow that follows from others is left out.
func diagram(w *workspace.Workspace) (map[string][]byte, error) {
	needs, err := requirements(w)
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(diagramPage)))
	if err != nil {
		return nil, err
	}
	head, rest, found := bytes.Cut(page, []byte(diagramBegin))
	_, tail, ended := bytes.Cut(rest, []byte(diagramEnd))
	if !found || !ended {
		return nil, fmt.Errorf("%s lacks the lines %q and %q", diagramPage, strings.TrimSpace(diagramBegin), strings.TrimSpace(diagramEnd))
	}
	out := slices.Concat(head, []byte(diagramBegin+mermaid(w, needs)+diagramEnd), tail)
	return map[string][]byte{diagramPage: out}, nil
}

// requirements returns which modules of the workspace each one requires, by
// folder.
func requirements(w *workspace.Workspace) (map[string][]string, error) {
	needs := map[string][]string{}
	for _, m := range w.Modules {
		name := filepath.Join(m.Dir, "go.mod")
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := modfile.Parse(name, data, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range file.Require {
			if folder, ok := strings.CutPrefix(r.Mod.Path, workspace.Prefix); ok {
				needs[m.Name] = append(needs[m.Name], folder)
			}
		}
	}
	return needs, nil
}

func mermaid(w *workspace.Workspace, needs map[string][]string) string {
	var b strings.Builder
	b.WriteString("\n```mermaid\nflowchart TD\n")
	for _, m := range w.Modules {
		fmt.Fprintf(&b, "  %s\n", m.Name)
	}
	for _, m := range w.Modules {
		for _, n := range needs[m.Name] {
			if !indirect(needs, m.Name, n) {
				fmt.Fprintf(&b, "  %s --> %s\n", m.Name, n)
			}
		}
	}
	b.WriteString("```\n\n")
	return b.String()
}

// indirect reports whether from reaches to through another module that it
// requires.
func indirect(needs map[string][]string, from, to string) bool {
	for _, via := range needs[from] {
		if via != to && reaches(needs, via, to) {
			return true
		}
	}
	return false
}

func reaches(needs map[string][]string, from, to string) bool {
	return slices.ContainsFunc(needs[from], func(n string) bool { return n == to || reaches(needs, n, to) })
}
