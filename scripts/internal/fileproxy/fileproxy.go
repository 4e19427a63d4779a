// Package fileproxy publishes the modules of the workspace to a folder that
// the go command reads as a module proxy, so that the modules can be tried as
// their users will get them, before any of them is released.
package fileproxy

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// Proxy is a published workspace and a private module cache beside it.
type Proxy struct {
	dir  string // holds proxy, the file tree, and cache, the module cache
	next string // the GOPROXY list behind the file tree
}

// Publish zips every module of w at the workspace's version, each with the
// license of the root, into a file tree below dir. Modules that are not of
// this repository come through next, a GOPROXY list.
func Publish(w *workspace.Workspace, dir, next string) (*Proxy, error) {
	files, err := w.Files()
	if err != nil {
		return nil, err
	}
	for _, m := range w.Modules {
		if err := publish(w, m, files, filepath.Join(dir, "proxy")); err != nil {
			return nil, fmt.Errorf("publish %s: %w", m.Name, err)
		}
	}
	return &Proxy{dir, next}, nil
}

// Upstream returns the GOPROXY list of the caller's environment.
func Upstream() (string, error) {
	out, err := exec.Command("go", "env", "GOPROXY").Output()
	return strings.TrimSpace(string(out)), err
}

// Env returns the environment of a go command outside the workspace that gets
// its modules here: a private module cache, no sum database, flags as given.
func (p *Proxy) Env(flags string) []string {
	tree := url.URL{Scheme: "file", Path: slashed(filepath.Join(p.dir, "proxy"))}
	return append(os.Environ(),
		"GOWORK=off",
		"GOPROXY="+tree.String()+","+p.next,
		"GONOSUMDB=*",
		"GOMODCACHE="+filepath.Join(p.dir, "cache"),
		"GOFLAGS=-modcacherw "+flags,
		"GOBIN="+filepath.Join(p.dir, "bin"),
	)
}

// slashed turns a path into that of a file URL, on Windows too.
func slashed(name string) string {
	name = filepath.ToSlash(name)
	if !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return name
}

func publish(w *workspace.Workspace, m workspace.Module, files []string, tree string) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(tree, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	base := filepath.Join(dir, w.Version)
	for name, data := range map[string]string{
		filepath.Join(dir, "list"): w.Version + "\n",
		base + ".info":             fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, w.Version),
		base + ".mod":              string(mod),
	} {
		if err := os.WriteFile(name, []byte(data), 0o666); err != nil {
			return err
		}
	}
	out, err := os.Create(base + ".zip")
	if err != nil {
		return err
	}
	defer out.Close()
	if err := zip.Create(out, module.Version{Path: m.Path, Version: w.Version}, Contents(w, m, files)); err != nil {
		return err
	}
	return out.Close()
}

// Contents lists what the zip of a module holds: those of files that are in
// its folder and not in a module nested there, and the license of the root.
func Contents(w *workspace.Workspace, m workspace.Module, files []string) []zip.File {
	inside := m.Name + "/"
	var nested []string
	for _, f := range files {
		if strings.HasPrefix(f, inside) && path.Base(f) == "go.mod" && path.Dir(f) != m.Name {
			nested = append(nested, path.Dir(f)+"/")
		}
	}
	var contents []zip.File
	for _, f := range files {
		isNested := func(dir string) bool { return strings.HasPrefix(f, dir) }
		if rel, ok := strings.CutPrefix(f, inside); ok && !slices.ContainsFunc(nested, isNested) {
			contents = append(contents, file{rel, filepath.Join(w.Root, filepath.FromSlash(f))})
		}
	}
	if slices.Contains(files, "LICENSE") && !slices.Contains(files, inside+"LICENSE") {
		contents = append(contents, file{"LICENSE", filepath.Join(w.Root, "LICENSE")})
	}
	return contents
}

// file is a file on disk under its name in a zip.
type file struct{ name, disk string }

func (f file) Path() string                 { return f.name }
func (f file) Lstat() (os.FileInfo, error)  { return os.Lstat(f.disk) }
func (f file) Open() (io.ReadCloser, error) { return os.Open(f.disk) }
