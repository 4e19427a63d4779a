package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// scope says to which modules a ban applies.
type scope int

const (
	timeless      scope = iota // modules whose output is a function of the input
	deterministic              // modules in which the seed decides everything
)

// ban refuses functions or whole packages of the standard library.
type ban struct {
	rule     string
	scope    scope
	funcs    []string // full names, such as time.Now; empty: any function of the packages
	packages []string // import paths; a trailing /... means those below too
	except   []string // full names that stay allowed
	instead  string
}

var bans = []ban{
	{
		rule: "wall-clock", scope: timeless,
		funcs: []string{
			"time.Now", "time.Since", "time.Until", "time.Sleep", "time.After", "time.AfterFunc",
			"time.NewTimer", "time.NewTicker", "time.Tick",
			"context.WithTimeout", "context.WithTimeoutCause", "context.WithDeadline", "context.WithDeadlineCause",
		},
		instead: "take the time from the node's clock or the kernel, or have it passed in",
	},
	{
		rule: "global-rand", scope: timeless,
		packages: []string{"math/rand", "crypto/rand", "hash/maphash"},
		instead:  "draw from a named kernel stream; hash with crypto/sha256 or the kernel's mix",
	},
	{
		rule: "global-rand", scope: timeless,
		packages: []string{"math/rand/v2"},
		except:   []string{"math/rand/v2.New", "math/rand/v2.NewPCG", "math/rand/v2.NewChaCha8", "math/rand/v2.NewZipf"},
		instead:  "draw from a named kernel stream, or from a source seeded by one",
	},
	{
		rule: "environment", scope: deterministic,
		packages: []string{"os", "os/...", "net", "net/...", "syscall", "plugin"},
		instead:  "have what is needed passed in; files and sockets belong to the caller",
	},
	{
		rule: "environment", scope: deterministic,
		funcs:   []string{"runtime.NumCPU", "runtime.GOMAXPROCS", "runtime.NumGoroutine", "runtime.ReadMemStats"},
		instead: "decide from the seed and the options alone",
	},
	{
		rule: "map-range", scope: deterministic,
		funcs:   []string{"(*sync.Map).Range", "(reflect.Value).MapKeys", "(reflect.Value).MapRange"},
		instead: "keep a sorted slice of the keys",
	},
	{
		rule: "address", scope: deterministic,
		packages: []string{"unsafe"},
		instead:  "use safe Go; an address differs in each run",
	},
}

// checkBans reports each use of a banned function, and each import of a
// package that has no allowed function at all.
func checkBans(p typed) {
	for _, b := range bans {
		if !p.row.timeless || b.scope == deterministic && !p.row.deterministic {
			continue
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				id, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				if name, bad := b.refuses(p.TypesInfo.Uses[id]); bad {
					p.at(id.Pos(), b.rule, "%s: %s", name, b.instead)
				}
				return true
			})
			checkUnusedForm(p, b, file)
		}
	}
}

// refuses reports whether a ban covers what an identifier stands for.
// Constants, types and variables of a banned package are data: they stay
// allowed, apart from package unsafe and from readers such as crypto/rand.Reader.
func (b ban) refuses(obj types.Object) (name string, bad bool) {
	var pkg *types.Package
	switch obj := obj.(type) {
	case *types.Func:
		name, pkg = obj.FullName(), obj.Pkg()
		if obj.Signature().Recv() != nil && len(b.funcs) == 0 {
			return "", false // the value came from a function that was reported
		}
	case *types.Var:
		if obj.Pkg() == nil || obj.Pkg().Path() != "crypto/rand" {
			return "", false
		}
		name, pkg = obj.Pkg().Path()+"."+obj.Name(), obj.Pkg()
	case *types.Builtin, *types.TypeName:
		if obj.Pkg() != types.Unsafe {
			return "", false
		}
		name, pkg = "unsafe."+obj.Name(), obj.Pkg()
	default:
		return "", false
	}
	if pkg == nil || slices.Contains(b.except, name) {
		return "", false
	}
	return name, slices.Contains(b.funcs, name) || b.covers(pkg.Path())
}

func (b ban) covers(path string) bool {
	for _, want := range b.packages {
		root, deep := strings.CutSuffix(want, "/...")
		if path == root && !deep || deep && path != root && below(path, root) {
			return true
		}
	}
	return false
}

// checkUnusedForm reports an import for its side effects, or with a dot, of a
// banned package: no identifier would show it.
func checkUnusedForm(p typed, b ban, file *ast.File) {
	for _, spec := range file.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		if spec.Name != nil && (spec.Name.Name == "_" || spec.Name.Name == ".") && b.covers(path) {
			p.at(spec.Pos(), b.rule, "import of %s: %s", path, b.instead)
		}
	}
}

// checkStatements reports what Go schedules or picks by itself, and text that
// would hold an address.
func checkStatements(p typed) {
	p.inspect(func(stack []ast.Node) {
		switch n := stack[len(stack)-1].(type) {
		case *ast.GoStmt:
			p.at(n.Pos(), "goroutine", "go statement: schedule an event or start a proc; the Go scheduler is not seeded")
		case *ast.SelectStmt:
			p.at(n.Pos(), "select", "select picks at random: let events arrive through the kernel, one at a time")
		case *ast.BasicLit:
			if n.Kind == token.STRING && strings.Contains(n.Value, "%p") {
				p.at(n.Pos(), "address", "%%p prints an address, which differs in each run: print a name or a number")
			}
		}
	})
}
