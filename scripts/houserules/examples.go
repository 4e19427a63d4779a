package main

import (
	"cmp"
	"go/ast"
	"go/doc"
	"go/token"
	"maps"
	"path"
	"slices"
	"strings"
)

// fewMethods is how many exported methods make a struct one of the main types
// of its package.
const fewMethods = 3

// mainType is an exported struct of a package and what is known of it.
type mainType struct {
	fset    *token.FileSet
	pos     token.Pos
	methods int
}

// checkExamples reports the main types of library packages that no example with
// an output shows.
func checkExamples(tree []source, r *report) {
	types := map[string]map[string]*mainType{} // by folder and name
	shown := map[string]map[string]bool{}      // names of examples, by folder
	for _, s := range tree {
		folder := path.Dir(s.name)
		if !table[s.module].library || s.file.Name.Name == "main" || strings.Contains("/"+folder+"/", "/internal/") {
			continue
		}
		if s.test {
			for _, e := range doc.Examples(s.file) {
				if e.Output != "" || e.EmptyOutput {
					put(shown, folder, e.Name, true)
				}
			}
			continue
		}
		collectTypes(s, folder, types)
	}
	for _, folder := range slices.Sorted(maps.Keys(types)) {
		for _, name := range slices.SortedFunc(maps.Keys(types[folder]), cmp.Compare) {
			t := types[folder][name]
			if t.pos.IsValid() && t.methods >= fewMethods && !isShown(shown[folder], name) {
				r.at(t.fset, t.pos, "example", "%s has %d methods and no example: write Example%s with an output, in a test file of the package", name, t.methods, name)
			}
		}
	}
}

func put[V any](m map[string]map[string]V, folder, name string, v V) {
	if m[folder] == nil {
		m[folder] = map[string]V{}
	}
	m[folder][name] = v
}

// collectTypes finds the exported structs of a file and counts methods.
func collectTypes(s source, folder string, types map[string]map[string]*mainType) {
	of := func(name string) *mainType {
		if types[folder][name] == nil {
			put(types, folder, name, &mainType{})
		}
		return types[folder][name]
	}
	for _, decl := range s.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv != nil && decl.Name.IsExported() && decl.Name.Name != "String" && decl.Name.Name != "Error" {
				of(receiver(decl.Recv.List[0].Type)).methods++
			}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok && t.Name.IsExported() {
					if _, ok := t.Type.(*ast.StructType); ok {
						of(t.Name.Name).fset, of(t.Name.Name).pos = s.fset, t.Name.Pos()
					}
				}
			}
		}
	}
}

// isShown reports whether an example is of a type, or of one of its methods.
func isShown(examples map[string]bool, name string) bool {
	for e := range examples {
		if e == name || strings.HasPrefix(e, name+"_") {
			return true
		}
	}
	return false
}
