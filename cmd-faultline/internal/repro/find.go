package repro

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
)

// Place is where a test function is declared.
type Place struct {
	Package  string          // name of its package
	Build    constraint.Expr // what its file is built for; nil for everything
	Names    map[string]bool // what the package declares
	Parallel bool            // it calls t.Parallel
}

// Find looks for a test function in the test files.
func (d *Dir) Find(function string) (Place, error) {
	var p Place
	var in string
	var broken error
	for i := range d.files {
		s := &d.files[i]
		if !s.isTest() {
			continue
		}
		if s.err != nil && broken == nil {
			broken = s.err
		}
		fn := s.function(function)
		if fn == nil {
			continue
		}
		if err := s.check(fn); err != nil {
			return Place{}, err
		}
		p.Parallel = p.Parallel || parallel(fn)
		pkg, build := s.syntax.Name.Name, s.build()
		switch {
		case in == "":
			p.Package, p.Build, in = pkg, build, s.path
		case pkg != p.Package:
			return Place{}, fmt.Errorf("%s is in package %s in %s and in package %s in %s, and the artifact does not say which of them failed; rename the one that did not",
				function, p.Package, in, pkg, s.path)
		case p.Build == nil || build == nil:
			p.Build = nil
		default: // one for each system, say
			p.Build = &constraint.OrExpr{X: p.Build, Y: build}
		}
	}
	switch {
	case in != "":
		p.Names = d.declared(p.Package)
		return p, nil
	case broken != nil:
		return Place{}, fmt.Errorf("no test file of %s has a function %s, but one is not valid Go: %w", d.path, function, broken)
	}
	return Place{}, fmt.Errorf("no test file of %s has a function %s; give --dir", d.path, function)
}

// function returns a function that is no method; nil if there is none.
func (s *source) function(name string) *ast.FuncDecl {
	for _, d := range s.syntax.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == name {
			return fn
		}
	}
	return nil
}
