package repro

import (
	"fmt"
	"go/ast"
	"strconv"
)

// reproducer is the package of the function that written tests call.
const reproducer = "github.com/hmdsefi/faultline/faultline"

// check refuses functions that the written test cannot call as its original.
func (s *source) check(fn *ast.FuncDecl) error {
	name := fn.Name.Name
	if !takesT(fn.Type) {
		return fmt.Errorf("%s: %s is no func(t *testing.T), and a written test calls nothing else; keep the schedule with faultline pin", s.path, name)
	}
	if s.reproduces(fn) {
		return fmt.Errorf("%s: %s calls faultline.Reproduce, so it is such a test itself and has its schedule; give the artifact of the test that it calls", s.path, name)
	}
	return nil
}

// takesT reports whether functions of the type are tests, as go test sees it.
func takesT(f *ast.FuncType) bool {
	if f.TypeParams != nil || f.Results != nil || f.Params.NumFields() != 1 {
		return false
	}
	pointer, ok := f.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch to := pointer.X.(type) {
	case *ast.Ident:
		return to.Name == "T"
	case *ast.SelectorExpr:
		return to.Sel.Name == "T"
	}
	return false
}

// reproduces reports whether a function calls faultline.Reproduce, by whatever
// name the package is imported.
func (s *source) reproduces(fn *ast.FuncDecl) (found bool) {
	as := ""
	for _, i := range s.syntax.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && path == reproducer {
			if as = "faultline"; i.Name != nil {
				as = i.Name.Name
			}
		}
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			found = found || as == "." && f.Name == "Reproduce"
		case *ast.SelectorExpr:
			found = found || isName(f.X, as) && f.Sel.Name == "Reproduce"
		}
		return true
	})
	return found
}

// parallel reports whether a test calls Parallel of its own t. That of subtests
// does not matter.
func parallel(fn *ast.FuncDecl) (found bool) {
	names := fn.Type.Params.List[0].Names
	ast.Inspect(fn, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(names) == 1 {
			f, ok := call.Fun.(*ast.SelectorExpr)
			found = found || ok && f.Sel.Name == "Parallel" && isName(f.X, names[0].Name)
		}
		_, inner := n.(*ast.FuncLit)
		return !inner
	})
	return found
}

func isName(x ast.Expr, name string) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == name
}
