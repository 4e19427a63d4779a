package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// checkGlobals reports package-level variables that can change. Allowed are
// blank ones, error values, and unexported values that the package only reads,
// such as tables and embedded files.
func checkGlobals(p typed) {
	written := p.writtenGlobals()
	for _, file := range p.Syntax {
		for _, decl := range file.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.VAR {
				continue
			}
			for _, spec := range gen.Specs {
				for _, id := range spec.(*ast.ValueSpec).Names {
					p.checkGlobal(id, written)
				}
			}
		}
	}
}

func (p typed) checkGlobal(id *ast.Ident, written map[types.Object]bool) {
	obj := p.TypesInfo.Defs[id]
	if id.Name == "_" || obj == nil {
		return
	}
	switch {
	case written[obj]:
		p.at(id.Pos(), "global-state", "%s is written: two runs in one process would share it; keep it in a value that the run owns", id.Name)
	case id.IsExported() && !isError(obj.Type()):
		p.at(id.Pos(), "global-state", "%s can be written by anyone: make it a function or a constant", id.Name)
	case isShared(obj.Type()):
		p.at(id.Pos(), "global-state", "%s leads to state that can change behind it: make it a value, or let the run own it", id.Name)
	}
}

// isShared reports a type whose values lead to memory that methods or other
// goroutines may change. Compiled patterns and templates only look so.
func isShared(t types.Type) bool {
	switch t.String() {
	case "*regexp.Regexp", "*text/template.Template", "*html/template.Template":
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Chan:
		return true
	}
	return false
}

func isError(t types.Type) bool {
	return types.Identical(t, types.Universe.Lookup("error").Type())
}

// writtenGlobals finds the package-level variables that the package assigns,
// in whole or in part, of which it takes the address, or on which it calls a
// method with a pointer receiver.
func (p typed) writtenGlobals() map[types.Object]bool {
	written := map[types.Object]bool{}
	mark := func(e ast.Expr) {
		if obj := p.TypesInfo.Uses[root(e)]; obj != nil && obj.Parent() == p.Types.Scope() {
			if _, ok := obj.(*types.Var); ok {
				written[obj] = true
			}
		}
	}
	p.inspect(func(stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				mark(e)
			}
		case *ast.IncDecStmt:
			mark(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				mark(n.X)
			}
		case *ast.RangeStmt:
			mark(n.Key)
			mark(n.Value)
		case *ast.SelectorExpr:
			sel := p.TypesInfo.Selections[n]
			if sel == nil || sel.Kind() != types.MethodVal {
				return
			}
			// A method with a pointer receiver, called on a value that is
			// addressed for it, may write the value.
			_, onPointer := sel.Recv().Underlying().(*types.Pointer)
			_, byPointer := sel.Obj().(*types.Func).Signature().Recv().Type().(*types.Pointer)
			if byPointer && !onPointer {
				mark(n.X)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && len(n.Args) > 0 && isWritingBuiltin(p.TypesInfo.Uses[id]) {
				mark(n.Args[0])
			}
		}
	})
	return written
}

func isWritingBuiltin(obj types.Object) bool {
	for _, name := range []string{"delete", "clear", "copy"} {
		if obj == types.Universe.Lookup(name) {
			return true
		}
	}
	return false
}

// root returns the variable at the start of a.b[c].d, or nil.
func root(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.SliceExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return nil
}
