package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// source is one Go file, parsed but not type-checked.
type source struct {
	name   string // relative to the root, with slashes
	module string // folder name of its module
	lines  int
	test   bool
	fset   *token.FileSet
	file   *ast.File
}

// parseTree parses every Go file of the modules and of scripts, for any
// platform. Files under testdata are data, not code.
func parseTree(w *workspace.Workspace, files []string, r *report) ([]source, error) {
	var tree []source
	fset := token.NewFileSet()
	for _, name := range files {
		if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
			continue
		}
		module := w.ModuleOf(name)
		if strings.HasPrefix(name, "scripts/") {
			module = "scripts"
		}
		if module == "" {
			r.add(name, 0, "go-mod", "this Go file is in no module of go.work, so nothing builds it; move it")
			continue
		}
		data, err := os.ReadFile(filepath.Join(w.Root, name))
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(fset, filepath.Join(w.Root, name), data, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		r.readMarkers(fset, name, file)
		tree = append(tree, source{
			name:   name,
			module: module,
			lines:  strings.Count(string(data), "\n"),
			test:   strings.HasSuffix(name, "_test.go"),
			fset:   fset,
			file:   file,
		})
	}
	return tree, nil
}
