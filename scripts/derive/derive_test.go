package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is a repository of three modules.
func tree(t *testing.T) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.work", "go 1.26.0\n\nuse (\n\t./low\n\t./mid\n\t./top\n)\n\nreplace github.com/hmdsefi/faultline/low v0.1.0 => ./low\n")
	write(t, dir, "low/go.mod", "module github.com/hmdsefi/faultline/low\n\ngo 1.26.0\n")
	write(t, dir, "mid/go.mod", "module github.com/hmdsefi/faultline/mid\n\ngo 1.26.0\n\nrequire github.com/hmdsefi/faultline/low v0.1.0\n")
	write(t, dir, "top/go.mod", "module github.com/hmdsefi/faultline/top\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/hmdsefi/faultline/low v0.1.0\n\tgithub.com/hmdsefi/faultline/mid v0.1.0\n)\n")
	write(t, dir, "low/low.go", `package low

type Kind uint8

const (
	A Kind = iota
	B
	hidden
)

type Pair[K comparable] struct {
	Key  K
	rest int
}

func (p *Pair[K]) Get(at int) (K, error) { return p.Key, nil }
func (p *Pair[K]) get()                  {}

type Doer interface {
	Do(what string) error
}

func Make() *Pair[string] { return nil }
func secret()             {}

var Default, other = 1, 2
`)
	write(t, dir, "low/internal/x/x.go", "package x\n\nfunc Exported() {}\n")
	write(t, dir, "low/low_test.go", "package low\n\nfunc OnlyInTests() {}\n")
	write(t, dir, "mid/main.go", "package main\n\nfunc Main() {}\n")
	write(t, dir, "faultline/options.go", "package faultline\n\n// Options are options.\ntype Options struct {\n\t// Seeds is how many [World] worlds,\n\t// or a|b. 0 means 20.\n\tSeeds int\n}\n")
	write(t, dir, diagramPage, "before\n"+diagramBegin+"old\n"+diagramEnd+"after\n")
	for _, name := range []string{"README.md", "llms.txt", "low/README.md", "mid/README.md", "top/README.md", "docs/guides/a.md"} {
		write(t, dir, name, "this is "+name+"\n")
	}
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A listing has what is exported and nothing else, one thing a line.
func TestListing(t *testing.T) {
	files, err := listings(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 {
		t.Fatalf("listings for %d modules, want one: the others export nothing", len(files))
	}
	const p = "pkg github.com/hmdsefi/faultline/low, "
	want := []string{
		p + "const A Kind", p + "const B Kind",
		p + "func (p *Pair[K]) Get(at int) (K, error)",
		p + "func Make() *Pair[string]",
		p + "type Doer interface", p + "type Doer interface, Do func(what string) error",
		p + "type Kind uint8",
		p + "type Pair[K comparable] struct", p + "type Pair[K comparable] struct, Key K",
		p + "var Default",
	}
	got := strings.Split(strings.TrimSpace(string(files["api/low.txt"])), "\n")
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// The diagram leaves out the arrow that follows from two others, and the page
// around it alone.
func TestDiagram(t *testing.T) {
	files, err := diagram(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	page := string(files[diagramPage])
	if !strings.HasPrefix(page, "before\n") || !strings.HasSuffix(page, "after\n") || strings.Contains(page, "old") {
		t.Errorf("the page is\n%s", page)
	}
	for arrow, want := range map[string]bool{"mid --> low": true, "top --> mid": true, "top --> low": false} {
		if strings.Contains(page, arrow) != want {
			t.Errorf("%q in the diagram: %v, want %v", arrow, !want, want)
		}
	}
}

// The page of options has a row for each field.
func TestOptions(t *testing.T) {
	files, err := options(tree(t))
	if err != nil {
		t.Fatal(err)
	}
	if row := "| `Seeds` | `int` | Seeds is how many `World` worlds, or a\\|b. 0 means 20. |\n"; !strings.HasSuffix(string(files[optionsPage]), row) {
		t.Errorf("the page ends otherwise than %q:\n%s", row, files[optionsPage])
	}
}

// What is stale is named: a changed page, a listing that changed with the API,
// a listing of a module that is gone.
func TestCompare(t *testing.T) {
	w := tree(t)
	for _, derive := range sources {
		files, err := derive(w)
		if err != nil {
			t.Fatal(err)
		}
		for name, data := range files {
			write(t, w.Root, name, string(data))
		}
	}
	if err := compare(w); err != nil {
		t.Fatalf("right after it was written: %v", err)
	}
	write(t, w.Root, "low/more.go", "package low\n\nfunc More() {}\n")
	write(t, w.Root, "api/gone.txt", "pkg gone\n")
	write(t, w.Root, "docs/guides/a.md", "changed\n")
	err := compare(w)
	for _, name := range []string{"api/low.txt", "api/gone.txt", "llms-full.txt"} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s is stale, and the error is: %v", name, err)
		}
	}
}
