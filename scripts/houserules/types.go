package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// typed is one type-checked package of the workspace and the place for what is
// found in it.
type typed struct {
	*packages.Package
	row    moduleRule
	report *report
}

func (p typed) at(pos token.Pos, rule, format string, args ...any) {
	p.report.at(p.Fset, pos, rule, format, args...)
}

// checkTypes loads every package of the workspace, without tests, and runs the
// rules that need types. It reports what it can and returns an error for a
// package that does not compile, about which nothing could be said.
func checkTypes(w *workspace.Workspace, r *report) error {
	var patterns []string
	for _, m := range w.Modules {
		patterns = append(patterns, "./"+m.Name+"/...")
	}
	pkgs, err := packages.Load(&packages.Config{
		Mode: packages.LoadSyntax,
		Dir:  w.Root,
		Env:  w.Env(),
	}, patterns...)
	if err != nil {
		return err
	}
	loaded := map[string]bool{}
	var broken error
	for _, pkg := range pkgs {
		if len(pkg.Errors) > 0 {
			if broken == nil {
				broken = fmt.Errorf("%s does not compile, so its types were not checked: %w", pkg.PkgPath, pkg.Errors[0])
			}
			continue
		}
		owner, _, ok := sibling(pkg.PkgPath)
		if !ok {
			return fmt.Errorf("package %s is outside %s", pkg.PkgPath, strings.TrimSuffix(workspace.Prefix, "/"))
		}
		loaded[owner] = true
		p := typed{pkg, table[owner], r}
		checkBans(p)
		if p.row.deterministic {
			checkStatements(p)
			checkFloats(p)
			checkMapRanges(p)
		}
		if p.row.library {
			checkGlobals(p)
		}
	}
	for _, m := range w.Modules {
		if !loaded[m.Name] && broken == nil {
			broken = fmt.Errorf("module %s has no package to check", m.Name)
		}
	}
	return broken
}

// inspect walks every file of the package, with the path of nodes that leads to
// each: the last element of stack is the node itself.
func (p typed) inspect(visit func(stack []ast.Node)) {
	for _, file := range p.Syntax {
		var stack []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			visit(stack)
			return true
		})
	}
}

// callee returns the function or method that a call names, or nil for a call
// of a value, a conversion or a builtin.
func (p typed) callee(call *ast.CallExpr) *types.Func {
	fun := ast.Unparen(call.Fun)
	switch f := fun.(type) {
	case *ast.IndexExpr:
		fun = f.X
	case *ast.IndexListExpr:
		fun = f.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, _ := p.TypesInfo.Uses[id].(*types.Func)
	return fn
}
