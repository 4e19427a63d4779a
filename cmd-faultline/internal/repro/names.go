package repro

import (
	"fmt"
	"go/ast"
	"maps"
)

// Declares returns the first file that declares a name for its package; empty
// if there is none.
func (d *Dir) Declares(name string) string {
	for i := range d.files {
		if d.files[i].names()[name] {
			return d.files[i].path
		}
	}
	return ""
}

// Free returns a name for a test that no file declares: the given one, or else
// with the seed, or else also with a number.
func (d *Dir) Free(name string, seed uint64) string {
	free := name
	for n := 1; d.Declares(free) != ""; n++ {
		free = fmt.Sprintf("%sSeed%016x", name, seed)
		if n > 1 {
			free += fmt.Sprintf("_%d", n)
		}
	}
	return free
}

// declared returns all that the files of a package declare for it.
func (d *Dir) declared(pkg string) map[string]bool {
	all := map[string]bool{}
	for i := range d.files {
		if d.files[i].syntax.Name.Name == pkg {
			maps.Copy(all, d.files[i].names())
		}
	}
	return all
}

// names returns what a file declares for its package.
func (s *source) names() map[string]bool {
	names := map[string]bool{}
	for _, d := range s.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names[spec.Name.Name] = true
				case *ast.ValueSpec:
					for _, n := range spec.Names {
						names[n.Name] = true
					}
				}
			}
		}
	}
	return names
}
