package faultline

import (
	"net/url"
	"os"
	"regexp"
	"runtime"
	"strings"
)

// place says where a test lives, for the replay command and the artifact path.
type place struct {
	pkg  string // import path of the package
	dir  string // directory that go test runs it in
	test string // full name
}

// findPlace looks for the test function on the stack: the function that the
// testing package called.
func findPlace(test string) place {
	p := place{test: test, pkg: "unknown"}
	p.dir, _ = os.Getwd()
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if f.Function == "testing.tRunner" {
			return p
		}
		p.pkg = packageOf(f.Function)
		if !more {
			return p
		}
	}
}

// packageOf returns the import path in a function's full name. A package of
// external tests counts as the package that it tests.
func packageOf(function string) string {
	slash := strings.LastIndexByte(function, '/') + 1
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function
	}
	path := function[:slash+dot]
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain // the linker writes a dot in the last element as %2e
	}
	return strings.TrimSuffix(path, "_test")
}

// command returns a shell command that runs this test alone in a fresh shell,
// with the given settings.
func (p place) command(settings ...string) string {
	var b strings.Builder
	b.WriteString("cd " + quote(p.dir) + " && ")
	for _, s := range settings {
		name, value, _ := strings.Cut(s, "=")
		b.WriteString(name + "=" + quote(value) + " ")
	}
	b.WriteString("go test -count=1 -run " + quote(p.pattern()) + " .")
	return b.String()
}

// pattern returns the regular expression of go test -run that matches this
// test only, level by level.
func (p place) pattern() string {
	levels := strings.Split(p.test, "/")
	for i, l := range levels {
		levels[i] = "^" + regexp.QuoteMeta(l) + "$"
	}
	return strings.Join(levels, "/")
}

// quote makes text one word of a POSIX shell.
func quote(text string) string {
	plain := text != "" && strings.IndexFunc(text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=,@+", r))
	}) < 0
	if plain {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
