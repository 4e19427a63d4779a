package patch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// raft is the module that is made wrong.
const raft = "go.etcd.io/raft/v3"

// Bench is a copy of the library and what the go command needs to use it in
// place of the library, in the module or workspace of the current directory.
// One patch is on it at a time.
type Bench struct {
	library string   // the copy
	env     []string // of the go command
	flags   []string
}

// Open copies the library that the current module uses into a folder, which
// must be empty, and gets the go command to use the copy.
func Open(dir string) (*Bench, error) {
	from, err := goCommand(nil, "list", "-m", "-f", "{{.Dir}}", raft)
	if err != nil {
		return nil, err
	}
	b := &Bench{library: filepath.Join(dir, "raft")}
	if err := copyLibrary(from, b.library); err != nil {
		return nil, err
	}
	work, err := goCommand(nil, "env", "GOWORK")
	if err != nil {
		return nil, err
	}
	if work != "" && work != "off" {
		return b, b.useWorkspace(dir, work)
	}
	mod, err := goCommand(nil, "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	return b, b.useModule(dir, mod)
}

// copyLibrary copies the Go files of a module, without its tests.
func copyLibrary(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		base := d.Name()
		switch {
		case d.IsDir() && (base == "testdata" || base == "rafttest"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		case base != "go.mod" && (!strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go")):
			return nil
		}
		return copyFile(path, filepath.Join(to, rel))
	})
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}

// places are the parts of a go.mod or go.work that may name a folder relative
// to the file.
type places struct {
	Use     []struct{ DiskPath string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// edits returns the flags of "go mod edit" and "go work edit" that turn
// relative folders into absolute ones and replace the library.
func (b *Bench) edits(kind, file string) ([]string, error) {
	text, err := goCommand(nil, kind, "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	var p places
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	dir := filepath.Dir(file)
	var flags []string
	for _, u := range p.Use {
		if !filepath.IsAbs(u.DiskPath) {
			flags = append(flags, "-dropuse="+u.DiskPath, "-use="+filepath.Join(dir, u.DiskPath))
		}
	}
	for _, r := range p.Replace {
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		switch {
		case r.Old.Path == raft:
			flags = append(flags, "-dropreplace="+old)
		case r.New.Version == "" && !filepath.IsAbs(r.New.Path):
			flags = append(flags, "-replace="+old+"="+filepath.Join(dir, r.New.Path))
		}
	}
	return append(flags, "-replace="+raft+"="+b.library), nil
}

// useWorkspace makes a copy of the workspace in which the library is replaced.
func (b *Bench) useWorkspace(dir, work string) error {
	to := filepath.Join(dir, "go.work")
	flags, err := b.edits("work", work)
	if err == nil {
		err = copyFile(work, to)
	}
	if err == nil {
		_, err = goCommand(nil, append(append([]string{"work", "edit"}, flags...), to)...)
	}
	if err == nil {
		err = copySums(work+".sum", to+".sum")
	}
	b.env = append(os.Environ(), "GOWORK="+to)
	return err
}

// useModule makes a copy of the go.mod in which the library is replaced.
func (b *Bench) useModule(dir, mod string) error {
	if filepath.Base(mod) != "go.mod" {
		return errors.New("there is no go.mod here: run this in a module that requires the harness")
	}
	to := filepath.Join(dir, "go.mod")
	flags, err := b.edits("mod", mod)
	if err == nil {
		err = copyFile(mod, to)
	}
	if err == nil {
		_, err = goCommand(nil, append(append([]string{"mod", "edit"}, flags...), to)...)
	}
	if err == nil {
		err = copySums(strings.TrimSuffix(mod, "mod")+"sum", strings.TrimSuffix(to, "mod")+"sum")
	}
	b.env, b.flags = os.Environ(), []string{"-modfile=" + to, "-mod=mod"}
	return err
}

// copySums copies a file of checksums, if there is one.
func copySums(from, to string) error {
	err := copyFile(from, to)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Build builds the test binary of a package with a patch in the library, or
// without one if p is nil. Paths are left out of what is compiled, so that the
// build cache serves all benches.
func (b *Bench) Build(p *Patch, pkg, binary string) error {
	if p != nil {
		was, err := p.apply(b.library)
		defer func() {
			for name, data := range was {
				_ = os.WriteFile(name, data, 0o644)
			}
		}()
		if err != nil {
			return err
		}
	}
	args := append([]string{"test", "-c", "-trimpath", "-ldflags=-s -w", "-o", binary}, b.flags...)
	_, err := goCommand(b.env, append(args, pkg)...)
	return err
}

// Dir returns the folder of a package, in which its tests run.
func (b *Bench) Dir(pkg string) (string, error) {
	args := append([]string{"list", "-f", "{{.Dir}}"}, b.flags...)
	return goCommand(b.env, append(args, pkg)...)
}

func goCommand(env []string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return strings.TrimSpace(string(out)), nil
}
