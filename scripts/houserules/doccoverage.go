package main

import (
	"go/ast"
	"path"
)

// checkDocs reports the exported names of a file that have no doc comment.
// Each name needs one of its own, before it or at the end of its line; a
// comment over a group of constants explains the group, not its members.
func checkDocs(s source, r *report) {
	if s.test || ast.IsGenerated(s.file) {
		return
	}
	d := docChecker{s, r}
	for _, decl := range s.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.function(decl)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.spec(decl, spec)
			}
		}
	}
}

type docChecker struct {
	source
	report *report
}

func (d docChecker) need(id *ast.Ident, owner string, docs ...*ast.CommentGroup) {
	if !id.IsExported() {
		return
	}
	for _, doc := range docs {
		// Text leaves directives out: a marker is no documentation.
		if doc != nil && doc.Text() != "" {
			return
		}
	}
	name := id.Name
	if owner != "" {
		name = owner + "." + name
	}
	d.report.at(d.fset, id.Pos(), "doc", "%s has no doc comment: say what it is, its unit and range, its zero value, its errors", name)
}

func (d docChecker) function(fn *ast.FuncDecl) {
	owner := ""
	if fn.Recv != nil && len(fn.Recv.List) > 0 {
		owner = receiver(fn.Recv.List[0].Type)
		if !ast.IsExported(owner) {
			return
		}
	}
	d.need(fn.Name, owner, fn.Doc)
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (d docChecker) spec(decl *ast.GenDecl, spec ast.Spec) {
	// A declaration without parentheses carries the comment of its only spec.
	var own *ast.CommentGroup
	if !decl.Lparen.IsValid() {
		own = decl.Doc
	}
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, id := range spec.Names {
			d.need(id, "", own, spec.Doc, spec.Comment)
		}
	case *ast.TypeSpec:
		d.need(spec.Name, "", own, spec.Doc, spec.Comment)
		if spec.Name.IsExported() {
			d.members(spec.Name.Name, spec.Type)
		}
	}
}

// members checks the fields of a struct and the methods of an interface.
func (d docChecker) members(owner string, typ ast.Expr) {
	var fields *ast.FieldList
	switch typ := typ.(type) {
	case *ast.StructType:
		fields = typ.Fields
	case *ast.InterfaceType:
		fields = typ.Methods
	default:
		return
	}
	for _, f := range fields.List {
		for _, id := range f.Names {
			d.need(id, owner, f.Doc, f.Comment)
			if nested, ok := f.Type.(*ast.StructType); ok && id.IsExported() {
				d.members(owner+"."+id.Name, nested)
			}
		}
	}
}

// checkPackageDocs reports the packages that no file documents.
func checkPackageDocs(tree []source, r *report) {
	first := map[string]source{}
	documented := map[string]bool{}
	var folders []string
	for _, s := range tree {
		if s.test {
			continue
		}
		folder := path.Dir(s.name)
		if _, ok := first[folder]; !ok {
			first[folder] = s
			folders = append(folders, folder)
		}
		if s.file.Doc != nil && s.file.Doc.Text() != "" {
			documented[folder] = true
		}
	}
	for _, folder := range folders {
		if !documented[folder] {
			s := first[folder]
			r.at(s.fset, s.file.Name.Pos(), "doc", "package %s has no doc comment: add doc.go", s.file.Name.Name)
		}
	}
}
