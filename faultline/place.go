package faultline

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
)

// place says where a test lives, for the replay command and the artifact path.
type place struct {
	pkg   string   // import path of the package
	dir   string   // directory that go test runs it in
	test  string   // full name
	flags []string // of go test, without which the test is not the same
}

// startDir is the directory that go test has started the program in, which
// tests can leave.
var startDir, _ = os.Getwd()

// findPlace reads what the test binary knows of itself.
func findPlace(test string) place {
	p := place{test: test, pkg: "unknown", dir: startDir}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return p
	}
	p.pkg = strings.TrimSuffix(info.Path, ".test")
	for _, s := range info.Settings {
		switch {
		case s.Key == "-tags" && s.Value != "":
			p.flags = append(p.flags, "-tags="+s.Value)
		case s.Key == "-race" && s.Value == "true":
			p.flags = append(p.flags, "-race")
		}
	}
	return p
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
	b.WriteString("go test ")
	for _, f := range p.flags {
		b.WriteString(quote(f) + " ")
	}
	b.WriteString("-count=1 -run " + quote(p.pattern()) + " .")
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
