package repro

import (
	"go/build"
	"go/build/constraint"
	"io"
	"path/filepath"
	"strings"
)

// build returns what a file is built for, by its name and by its //go:build
// line; nil for everything.
func (s *source) build() constraint.Expr {
	x := byName(filepath.Base(s.path))
	for _, group := range s.syntax.Comments {
		for _, c := range group.List {
			if c.Pos() > s.syntax.Package || !constraint.IsGoBuild(c.Text) {
				continue
			}
			if line, err := constraint.Parse(c.Text); err == nil {
				return both(x, line)
			}
		}
	}
	return x
}

// byName returns the constraint that is in the name of a file, such as
// linux && amd64 for kv_linux_amd64_test.go. Which words are systems is up to
// the Go that this is built with.
func byName(name string) constraint.Expr {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".go"), "_test")
	words := strings.Split(name, "_")[1:]
	n := len(words)
	if n == 0 || matches("", words[n-1]) {
		return nil
	}
	last := &constraint.TagExpr{Tag: words[n-1]}
	if n > 1 && !matches(words[n-1], words[n-2], words[n-1]) {
		return both(&constraint.TagExpr{Tag: words[n-2]}, last)
	}
	return last
}

// matches reports whether a file with these words at the end of its name is
// built for a machine that is no system that there is, with that architecture.
func matches(arch string, words ...string) bool {
	machine := build.Context{
		GOOS: "none", GOARCH: arch, Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package x\n")), nil },
	}
	ok, err := machine.MatchFile("", "x_"+strings.Join(words, "_")+".go")
	return ok || err != nil
}

func both(x, y constraint.Expr) constraint.Expr {
	if x == nil {
		return y
	}
	return &constraint.AndExpr{X: x, Y: y}
}
