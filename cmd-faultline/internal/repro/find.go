package repro

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
)

// Find looks for a test function in the test files of a directory, and returns
// the name of its package.
func Find(dir, function string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		return "", err
	}
	slices.Sort(files)
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return "", fmt.Errorf("%s is not valid Go: %w", path, err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == function {
				return file.Name.Name, nil
			}
		}
	}
	return "", fmt.Errorf("no test file of %s has a function %s; give --dir", dir, function)
}
