package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

const sortKeys = "map order differs in each run: sort the keys first, or say //faultline:unordered and why the order cannot matter"

// checkMapRanges reports each loop over a map, unless it looks at no key and no
// value or only collects into a slice that the next statement to name it sorts,
// and each iterator of package maps that does not go straight into slices.Sorted
// or its kin.
func checkMapRanges(p typed) {
	p.inspect(func(stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.RangeStmt:
			if isMap(p.TypesInfo.TypeOf(n.X)) && !blind(n) && !p.collectsThenSorts(n, stack) {
				p.at(n.Pos(), "map-range", "%s", sortKeys)
			}
		case *ast.CallExpr:
			if isIterator(p.callee(n)) && !p.sortedAtOnce(stack) {
				p.at(n.Pos(), "map-range", "%s", sortKeys)
			}
		}
	})
}

// blind reports whether a loop takes neither keys nor values, so that it only
// counts.
func blind(loop *ast.RangeStmt) bool {
	blank := func(e ast.Expr) bool {
		id, ok := e.(*ast.Ident)
		return e == nil || ok && id.Name == "_"
	}
	return blank(loop.Key) && blank(loop.Value)
}

func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Map:
		return true
	case *types.Interface: // the constraint of a type parameter
		for e := range u.EmbeddedTypes() {
			union, ok := e.(*types.Union)
			if !ok {
				if _, named := e.(*types.Named); !named && isMap(e) {
					return true
				}
				continue
			}
			for term := range union.Terms() {
				if isMap(term.Type()) {
					return true
				}
			}
		}
	}
	return false
}

func isIterator(fn *types.Func) bool {
	return fn != nil && slices.Contains([]string{"maps.Keys", "maps.Values", "maps.All"}, fn.FullName())
}

// sortedAtOnce reports whether the node at the end of stack is the argument of
// a call that sorts what it collects.
func (p typed) sortedAtOnce(stack []ast.Node) bool {
	if len(stack) < 2 {
		return false
	}
	call, ok := stack[len(stack)-2].(*ast.CallExpr)
	if !ok {
		return false
	}
	fn := p.callee(call)
	return fn != nil && slices.Contains([]string{"slices.Sorted", "slices.SortedFunc", "slices.SortedStableFunc"}, fn.FullName())
}

// collectsThenSorts recognizes
//
//	for k := range m { keys = append(keys, k) }
//	sort.Strings(keys)
//
// where the append may stand under an if, and where no statement of the same
// block names the slice between the loop and the sort.
func (p typed) collectsThenSorts(loop *ast.RangeStmt, stack []ast.Node) bool {
	slice := p.collected(loop.Body.List)
	if slice == nil || len(stack) < 2 {
		return false
	}
	var rest []ast.Stmt
	switch parent := stack[len(stack)-2].(type) {
	case *ast.BlockStmt:
		rest = after(parent.List, loop)
	case *ast.CaseClause:
		rest = after(parent.Body, loop)
	}
	for _, stmt := range rest {
		if p.sorts(stmt, slice) {
			return true
		}
		if p.mentions(stmt, slice) {
			return false
		}
	}
	return false
}

func after(list []ast.Stmt, stmt ast.Stmt) []ast.Stmt {
	return list[slices.Index(list, stmt)+1:]
}

// collected returns the slice variable to which every statement appends, or
// nil if a statement does anything else.
func (p typed) collected(body []ast.Stmt) types.Object {
	if len(body) != 1 {
		return nil
	}
	switch stmt := body[0].(type) {
	case *ast.IfStmt:
		if stmt.Else == nil && stmt.Init == nil {
			return p.collected(stmt.Body.List)
		}
	case *ast.AssignStmt:
		if stmt.Tok != token.ASSIGN || len(stmt.Lhs) != 1 || len(stmt.Rhs) != 1 {
			return nil
		}
		to, ok := stmt.Lhs[0].(*ast.Ident)
		call, isCall := stmt.Rhs[0].(*ast.CallExpr)
		if !ok || !isCall || len(call.Args) < 2 {
			return nil
		}
		fun, ok := call.Fun.(*ast.Ident)
		from, isIdent := call.Args[0].(*ast.Ident)
		if !ok || !isIdent || p.TypesInfo.Uses[fun] != types.Universe.Lookup("append") {
			return nil
		}
		if p.TypesInfo.Uses[to] == p.TypesInfo.Uses[from] {
			return p.TypesInfo.Uses[to]
		}
	}
	return nil
}

// sorts reports whether stmt is a call of package sort or slices that sorts
// the slice.
func (p typed) sorts(stmt ast.Stmt, slice types.Object) bool {
	expr, ok := stmt.(*ast.ExprStmt)
	if !ok {
		return false
	}
	call, ok := expr.X.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	fn := p.callee(call)
	if fn == nil || fn.Pkg() == nil || !slices.Contains(sorters, fn.FullName()) {
		return false
	}
	return p.mentions(call.Args[0], slice)
}

var sorters = []string{
	"slices.Sort", "slices.SortFunc", "slices.SortStableFunc",
	"sort.Strings", "sort.Ints", "sort.Slice", "sort.SliceStable", "sort.Sort", "sort.Stable",
}

func (p typed) mentions(n ast.Node, obj types.Object) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && p.TypesInfo.Uses[id] == obj {
			found = true
		}
		return !found
	})
	return found
}
