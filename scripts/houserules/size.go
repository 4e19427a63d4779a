package main

import "go/ast"

const (
	maxFileLines = 500
	maxFuncLines = 90
)

// checkSize refuses files and functions that no reader holds in mind.
func checkSize(s source, r *report) {
	if ast.IsGenerated(s.file) {
		return
	}
	if s.lines > maxFileLines {
		r.add(s.name, 1, "file-size", "%d lines, more than %d: move one of its concepts to a file named after it", s.lines, maxFileLines)
	}
	for _, d := range s.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		lines := s.fset.Position(fn.Body.Rbrace).Line - s.fset.Position(fn.Pos()).Line + 1
		if lines > maxFuncLines {
			r.at(s.fset, fn.Pos(), "func-size", "%s has %d lines, more than %d: give its steps names of their own", fn.Name.Name, lines, maxFuncLines)
		}
	}
}
