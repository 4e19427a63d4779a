// Package workspace knows the repository: its root, the modules that go.work
// lists, the version they share, and the files that git knows.
package workspace

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Prefix starts the path of each module; the rest of the path is its folder.
const Prefix = "github.com/hmdsefi/faultline/"

// Module is one entry of the use list of go.work.
type Module struct {
	Name string // folder below the root, such as "kernel"
	Path string // module path, Prefix + Name
	Dir  string // absolute folder
}

// Workspace is a parsed go.work and the folder that holds it.
type Workspace struct {
	Root    string   // absolute folder of go.work
	Version string   // the version that all modules share, read from the replaces
	Modules []Module // in the order of go.work
}

// Open finds go.work in dir or the nearest folder above it and parses it.
// It is an error if go.work replaces modules at more than one version.
func Open(dir string) (*Workspace, error) {
	root, err := findRoot(dir)
	if err != nil {
		return nil, err
	}
	name := filepath.Join(root, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	file, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, err
	}
	w := &Workspace{Root: root}
	for _, use := range file.Use {
		folder := path.Clean(filepath.ToSlash(use.Path))
		w.Modules = append(w.Modules, Module{
			Name: folder,
			Path: Prefix + folder,
			Dir:  filepath.Join(root, filepath.FromSlash(folder)),
		})
	}
	for _, r := range file.Replace {
		if w.Version != "" && r.Old.Version != w.Version {
			return nil, fmt.Errorf("go.work replaces %s at %q and others at %q: give all modules one version", r.Old.Path, r.Old.Version, w.Version)
		}
		w.Version = r.Old.Version
	}
	if w.Version == "" {
		return nil, fmt.Errorf("%s has no versioned replace, so the version of the modules is unknown", name)
	}
	return w, nil
}

func findRoot(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.work")); err == nil {
			return d, nil
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("no go.work in %s or above: run inside the repository", dir)
		}
	}
}

// Has reports whether go.work uses the folder name.
func (w *Workspace) Has(name string) bool {
	return slices.ContainsFunc(w.Modules, func(m Module) bool { return m.Name == name })
}

// ModuleOf returns the folder name of the module that owns file, a path
// relative to the root with slashes, or "" for a file of no module.
func (w *Workspace) ModuleOf(file string) string {
	for _, m := range w.Modules {
		if strings.HasPrefix(file, m.Name+"/") {
			return m.Name
		}
	}
	return ""
}

// Files lists the files that are committed or about to be, relative to the
// root, with slashes, sorted: what git tracks and what it does not ignore.
// Outside a git repository it lists every file.
func (w *Workspace) Files() ([]string, error) {
	if _, err := os.Stat(filepath.Join(w.Root, ".git")); err != nil {
		return walk(w.Root)
	}
	cmd := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = w.Root
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for _, name := range bytes.Split(out, []byte{0}) {
		if len(name) == 0 {
			continue
		}
		// A file that was removed but is still in the index is gone.
		if info, err := os.Lstat(filepath.Join(w.Root, string(name))); err == nil && info.Mode().IsRegular() {
			files = append(files, string(name))
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

func walk(root string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		rel, err := filepath.Rel(root, name)
		files = append(files, filepath.ToSlash(rel))
		return err
	})
	return files, err
}

// Env returns the environment for a go command that works in this workspace,
// whatever GOWORK the caller runs under.
func (w *Workspace) Env() []string {
	return append(os.Environ(), "GOWORK="+filepath.Join(w.Root, "go.work"))
}
