package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// listings returns api/<module>.txt for each module that has packages to
// import: a line for each exported constant, variable, function, type, field
// and method.
func listings(w *workspace.Workspace) (map[string][]byte, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	packages := map[string][]string{} // by folder
	for _, f := range files {
		if strings.HasSuffix(f, ".go") && !strings.HasSuffix(f, "_test.go") && importable(f) && w.ModuleOf(f) != "" {
			packages[path.Dir(f)] = append(packages[path.Dir(f)], f)
		}
	}
	lines := map[string][]string{} // by module
	for folder, files := range packages {
		found, err := exported(w.Root, folder, files)
		if err != nil {
			return nil, err
		}
		if m := w.ModuleOf(files[0]); len(found) > 0 {
			lines[m] = append(lines[m], found...)
		}
	}
	out := map[string][]byte{}
	for m, list := range lines {
		slices.Sort(list)
		out["api/"+strings.ReplaceAll(m, "/", "-")+".txt"] = []byte(strings.Join(slices.Compact(list), "\n") + "\n")
	}
	return out, nil
}

// importable reports whether users can import the package of a file, and are
// meant to: examples are to be read.
func importable(file string) bool {
	for _, part := range strings.Split(path.Dir(file), "/") {
		if part == "internal" || part == "testdata" || part == "examples" || strings.HasPrefix(part, "_") {
			return false
		}
	}
	return true
}

// exported lists what a package exports.
func exported(root, folder string, files []string) ([]string, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for _, f := range files {
		file, err := parser.ParseFile(fset, filepath.Join(root, filepath.FromSlash(f)), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		if file.Name.Name == "main" {
			return nil, nil
		}
		parsed = append(parsed, file)
	}
	p, err := doc.NewFromFiles(fset, parsed, workspace.Prefix+folder)
	if err != nil {
		return nil, err
	}
	l := &lister{fset: fset, prefix: "pkg " + p.ImportPath + ", "}
	l.values(p.Consts)
	l.values(p.Vars)
	l.funcs(p.Funcs)
	for _, t := range p.Types {
		l.values(t.Consts)
		l.values(t.Vars)
		l.funcs(t.Funcs)
		l.funcs(t.Methods)
		for _, s := range t.Decl.Specs {
			l.typ(s.(*ast.TypeSpec))
		}
	}
	return l.lines, nil
}

// lister collects lines.
type lister struct {
	fset   *token.FileSet
	prefix string
	lines  []string
}

func (l *lister) add(format string, args ...any) {
	l.lines = append(l.lines, l.prefix+fmt.Sprintf(format, args...))
}

// text prints a node in one line, without comments.
func (l *lister) text(n any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, l.fset, n); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *lister) values(list []*doc.Value) {
	for _, v := range list {
		var typ ast.Expr // of constants, repeated from the line before
		for _, s := range v.Decl.Specs {
			spec := s.(*ast.ValueSpec)
			if spec.Type != nil || len(spec.Values) > 0 {
				typ = spec.Type
			}
			for _, name := range spec.Names {
				if !name.IsExported() {
					continue
				}
				if typ == nil {
					l.add("%s %s", v.Decl.Tok, name.Name)
				} else {
					l.add("%s %s %s", v.Decl.Tok, name.Name, l.text(typ))
				}
			}
		}
	}
}

func (l *lister) funcs(list []*doc.Func) {
	for _, f := range list {
		d := *f.Decl
		d.Doc, d.Body = nil, nil
		l.add("%s", l.text(&d))
	}
}

// typ adds a type, and each of its exported fields or methods. doc has removed
// those that are not exported.
func (l *lister) typ(s *ast.TypeSpec) {
	if !s.Name.IsExported() {
		return
	}
	head := "type " + s.Name.Name
	if s.TypeParams != nil {
		var names []string
		for _, f := range s.TypeParams.List {
			for _, n := range f.Names {
				names = append(names, n.Name+" "+l.text(f.Type))
			}
		}
		head += "[" + strings.Join(names, ", ") + "]"
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		l.add("%s struct", head)
		l.fields(head+" struct, ", t.Fields)
	case *ast.InterfaceType:
		l.add("%s interface", head)
		l.fields(head+" interface, ", t.Methods)
	default:
		l.add("%s %s", head, l.text(t))
	}
}

func (l *lister) fields(head string, list *ast.FieldList) {
	for _, f := range list.List {
		if len(f.Names) == 0 {
			l.add("%sembedded %s", head, l.text(f.Type))
		}
		for _, n := range f.Names {
			if n.IsExported() {
				l.add("%s%s %s", head, n.Name, l.text(f.Type))
			}
		}
	}
}
