package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

const optionsPage = "docs/reference/options.md"

// options returns the page about the options of faultline.Run, made of their
// doc comments.
func options(w *workspace.Workspace) (map[string][]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, filepath.Join(w.Root, "faultline", "options.go"), nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	b.WriteString("# Options\n\nThe fields of `faultline.Options`. The zero value of each is useful. This page is made of\nthe doc comments: `go doc github.com/hmdsefi/faultline/faultline.Options`.\n\n| field | type | means |\n|---|---|---|\n")
	rows := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "Options" {
			return true
		}
		l := &lister{fset: fset}
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range f.Names {
				rows++
				fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", name.Name, l.text(f.Type), prose(f.Doc.Text()))
			}
		}
		return false
	})
	if rows == 0 {
		return nil, fmt.Errorf("faultline/options.go has no struct Options")
	}
	return map[string][]byte{optionsPage: []byte(b.String())}, nil
}

var docLink = regexp.MustCompile(`\[([A-Za-z.]+)\]`)

// prose is a doc comment in a cell of a table.
func prose(text string) string {
	text = docLink.ReplaceAllString(text, "`$1`")
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", "\\|")
}
