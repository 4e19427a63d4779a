package main

import (
	"go/ast"
	"go/types"
)

// checkFloats reports floating point in deterministic modules, once a line.
// Compilers may fuse a multiplication and an addition on some machines, so the
// last bit of a float, and any decision taken from it, differs between them.
func checkFloats(p typed) {
	seen := map[place]bool{}
	p.inspect(func(stack []ast.Node) {
		expr, ok := stack[len(stack)-1].(ast.Expr)
		if !ok {
			return
		}
		tv, ok := p.TypesInfo.Types[expr]
		var typ types.Type
		switch id, isIdent := expr.(*ast.Ident); {
		case ok:
			typ = tv.Type
		case isIdent && p.TypesInfo.Defs[id] != nil:
			typ = p.TypesInfo.Defs[id].Type()
		}
		if typ == nil || !isFloat(typ) {
			return
		}
		pos := p.Fset.Position(expr.Pos())
		where := place{pos.Filename, pos.Line}
		if !seen[where] {
			seen[where] = true
			p.at(expr.Pos(), "float", "%s: count in integers, such as nanoseconds or parts per million", typ)
		}
	})
}

// isFloat leaves untyped constants out: what they become decides, and that is
// the type of another expression.
func isFloat(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&(types.IsFloat|types.IsComplex) != 0 && b.Info()&types.IsUntyped == 0
}
