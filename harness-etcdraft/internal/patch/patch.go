// Package patch makes go.etcd.io/raft/v3 wrong in a known way: it copies the
// library, changes a few lines of the copy, and builds tests against it as a
// replace directive in a go.mod would.
package patch

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Patch is a mistake in the library, as small as possible.
type Patch struct {
	Name   string   // of its file, without .txt
	Breaks []string // the properties that it may break first, such as P2
	What   string   // the mistake, in one line
	// Beyond says why no cluster of the harness can meet the mistake; empty if
	// one can.
	Beyond string
	Edits  []Edit // all of them make the mistake together
}

// Edit replaces a text that is in a file exactly once.
type Edit struct {
	File string // path in the library, with slashes
	Old  string // the text that goes
	New  string // what comes in its place; empty if nothing does
}

//go:embed patches/*.txt
var catalog embed.FS

// Catalog returns the patches of this package, by name.
func Catalog() ([]*Patch, error) {
	sub, err := fs.Sub(catalog, "patches")
	if err != nil {
		return nil, err
	}
	return ReadAll(sub)
}

// ReadAll reads the *.txt files of a folder, by name.
func ReadAll(dir fs.FS) ([]*Patch, error) {
	names, err := fs.Glob(dir, "*.txt")
	if err != nil {
		return nil, err
	}
	var list []*Patch
	for _, name := range names {
		text, err := fs.ReadFile(dir, name)
		if err != nil {
			return nil, err
		}
		p, err := Parse(strings.TrimSuffix(name, ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// Parse reads a patch: lines "breaks:", "what:" and "file:", perhaps "beyond:",
// and after each file the old text and the new one, between marks:
//
//	breaks: P9
//	what: a minority commits
//	file: quorum/majority.go
//	<<<<
//	old lines
//	====
//	new lines
//	>>>>
func Parse(name, text string) (*Patch, error) {
	p := &Patch{Name: name}
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		key, value, _ := strings.Cut(line, ": ")
		text = rest
		switch key {
		case "breaks":
			p.Breaks = strings.Fields(value)
		case "what":
			p.What = value
		case "beyond":
			p.Beyond = value
		case "file":
			body, rest, ended := strings.Cut(strings.TrimPrefix(text, "<<<<\n"), "\n>>>>\n")
			old, new, cut := strings.Cut(body, "\n====\n")
			if !ended || !cut {
				return nil, fmt.Errorf("patch %s: the change of %s lacks a line ==== or >>>>", name, value)
			}
			p.Edits = append(p.Edits, Edit{value, old, new})
			text = rest
		default:
			return nil, fmt.Errorf("patch %s: line %q is not one of breaks, what, beyond and file", name, line)
		}
	}
	if len(p.Breaks) == 0 || p.What == "" || len(p.Edits) == 0 {
		return nil, fmt.Errorf("patch %s lacks one of breaks, what and file", name)
	}
	return p, nil
}

// apply changes the copy of the library in a folder, and returns the files as
// they were.
func (p *Patch) apply(dir string) (was map[string][]byte, err error) {
	was = map[string][]byte{}
	for _, e := range p.Edits {
		name := filepath.Join(dir, filepath.FromSlash(e.File))
		data, err := os.ReadFile(name)
		if err != nil {
			return was, err
		}
		if was[name] == nil {
			was[name] = data
		}
		text := string(data)
		if n := strings.Count(text, e.Old); n != 1 {
			return was, fmt.Errorf("patch %s: %s holds %d times the text to change, want 1: %q", p.Name, e.File, n, e.Old)
		}
		if err := os.WriteFile(name, []byte(strings.Replace(text, e.Old, e.New, 1)), 0o644); err != nil {
			return was, err
		}
	}
	return was, nil
}
