package patch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every patch of the catalog fits the library that the module requires, breaks
// known properties, and is told in a line.
func TestCatalog(t *testing.T) {
	list, err := Catalog()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		was, err := p.apply(b.library)
		if err != nil {
			t.Error(err)
		}
		for name, data := range was {
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, property := range p.Breaks {
			if !strings.HasPrefix(property, "P") {
				t.Errorf("patch %s breaks %q, which is no property", p.Name, property)
			}
		}
	}
}

// A patch that says something else than it should is an error with its name.
func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"what: x\n":             "lacks one of",
		"breaks: P1\nwhat: x\n": "lacks one of",
		"breaks: P1\nwhat: x\nfile: a.go\n<<<<\n": "lacks a line ==== or >>>>",
		"brakes: P1\n": `line "brakes: P1" is not`,
	} {
		if _, err := Parse("p", text); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "patch p") {
			t.Errorf("%q: error %v, want one of patch p with %q", text, err, want)
		}
	}
}

// A change must fit once, and what was changed before is put back.
func TestApply(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.go")
	if err := os.WriteFile(name, []byte("x y y"), 0o644); err != nil {
		t.Fatal(err)
	}
	p := &Patch{Name: "p", Edits: []Edit{{"a.go", "x", "z"}, {"a.go", "y", "w"}}}
	was, err := p.apply(dir)
	if err == nil || !strings.Contains(err.Error(), "holds 2 times") {
		t.Errorf("error %v, want one that says how often the text is there", err)
	}
	if string(was[name]) != "x y y" {
		t.Errorf("the file was %q", was[name])
	}
}

func TestSelect(t *testing.T) {
	list := []*Patch{{Name: "vote-twice"}, {Name: "vote-early"}, {Name: "vote"}}
	if got, err := Select(list, []string{"vote-.*"}); err != nil || len(got) != 2 {
		t.Errorf("vote-.* selects %d patches, error %v; want 2", len(got), err)
	}
	if _, err := Select(list, []string{"vot"}); err == nil {
		t.Error("a name that no patch has is no error")
	}
}
