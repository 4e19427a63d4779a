package repro

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// Dir is what the Go files of a directory declare, whatever their build
// constraints.
type Dir struct {
	path  string
	files []source
}

// source is one file. What does not parse is read as far as it does: an empty
// file may be the one that a shell has made for the test.
type source struct {
	path   string
	syntax *ast.File
	err    error
}

// ReadDir reads the files that go looks at.
func ReadDir(path string) (*Dir, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	d := &Dir{path: path}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
			continue
		}
		s := source{path: filepath.Join(path, name)}
		data, err := os.ReadFile(s.path)
		if err != nil {
			return nil, err
		}
		s.syntax, s.err = parser.ParseFile(token.NewFileSet(), s.path, data, parser.ParseComments|parser.SkipObjectResolution)
		d.files = append(d.files, s)
	}
	return d, nil
}

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }
