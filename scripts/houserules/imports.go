package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// checkImports holds a file to its module's row of the table.
func checkImports(s source, r *report) {
	row, ok := table[s.module]
	if !ok {
		return // reported once by checkModules
	}
	for _, spec := range s.file.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has seen to it
		}
		if owner, rest, ok := sibling(path); ok {
			switch {
			case owner == s.module:
			case strings.Contains("/"+rest+"/", "/internal/") || owner == "internal":
				r.at(s.fset, spec.Pos(), "internal", "%s is internal to %s: export what is needed there, or write it here", path, owner)
			case !slices.Contains(row.siblings, owner):
				r.at(s.fset, spec.Pos(), "direction", "%s may not import %s: it may import %s", s.module, owner, listing(row.siblings))
			}
			continue
		}
		if standard(path) {
			continue
		}
		inTable := func(root string) bool { return below(path, root) }
		if slices.ContainsFunc(row.external, inTable) || s.test && slices.ContainsFunc(row.tests, inTable) {
			continue
		}
		r.at(s.fset, spec.Pos(), "direction", "%s may not import %s: beside the standard library it may import %s", s.module, path, listing(append(slices.Clone(row.external), row.siblings...)))
	}
}

// sibling splits the path of a package of this repository into its module's
// folder and the rest.
func sibling(path string) (owner, rest string, ok bool) {
	path, ok = strings.CutPrefix(path, workspace.Prefix)
	if !ok {
		return "", "", false
	}
	owner, rest, _ = strings.Cut(path, "/")
	return owner, rest, true
}

// standard reports whether path is of the standard library: its first element
// has no dot.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

func listing(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}
