package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/hmdsefi/faultline/scripts/internal/fileproxy"
	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// prover tries modules as their users get them.
type prover struct {
	workspace *workspace.Workspace
	proxy     *fileproxy.Proxy
	users     string // folder of the archives, one for each module
	dir       string // folder for the users' modules
}

// prove gets one module alone and uses it.
func (p *prover) prove(m workspace.Module) error {
	if program, ok := commands[m.Name]; ok {
		return p.install(m, program)
	}
	want, ok := brings[m.Name]
	if !ok {
		return fmt.Errorf("%s has no row in scripts/consumers/expect.go: add one", m.Name)
	}
	dir, err := p.user(m)
	if err != nil {
		return err
	}
	at := m.Path + "@" + p.workspace.Version
	for _, args := range [][]string{
		{"mod", "init", "example.com/user"},
		{"get", at},
		{"build", "./..."},
		{"test", "./..."},
		{"vet", m.Path + "/..."}, // the module's own packages, compiled from the zip
	} {
		if _, err := p.goCommand(dir, args...); err != nil {
			return err
		}
	}
	all, err := p.goCommand(dir, "list", "-m", "all")
	if err != nil {
		return err
	}
	if err := compareModules(all, want, p.workspace.Version); err != nil {
		return err
	}
	deps, err := p.goCommand(dir, "list", "-deps", "-test", "-f", "{{if not .Standard}}{{with .Module}}{{.Path}}{{end}}{{end}}", "./...")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(deps), m.Path) {
		return fmt.Errorf("the user in %s.txtar imports no package of the module", m.Name)
	}
	if m.Name == "docs" {
		return p.guide()
	}
	if wrong, ok := mistakes[m.Name]; ok {
		return p.replaced(dir, wrong)
	}
	return nil
}

// user writes the archive of a module's user to a folder of its own.
func (p *prover) user(m workspace.Module) (string, error) {
	archive, err := txtar.ParseFile(filepath.Join(p.users, m.Name+".txtar"))
	if err != nil {
		return "", err
	}
	dir := filepath.Join(p.dir, m.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	tests := false
	for _, f := range archive.Files {
		tests = tests || strings.HasSuffix(f.Name, "_test.go")
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
			return "", err
		}
	}
	if !tests {
		return "", fmt.Errorf("%s.txtar has no test file", m.Name)
	}
	return dir, nil
}

// install gets the program of a module as its README says and asks for its
// version.
func (p *prover) install(m workspace.Module, program string) error {
	if err := os.MkdirAll(p.dir, 0o777); err != nil {
		return err
	}
	if _, err := p.goCommand(p.dir, "install", m.Path+"/"+program+"@"+p.workspace.Version); err != nil {
		return err
	}
	name := filepath.Join(p.binaries(), program)
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out, err := exec.Command(name, "version").CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s version: %w\n%s", program, err, out)
	}
	if !slices.Contains(strings.Fields(string(out)), p.workspace.Version) {
		return fmt.Errorf("%s version prints %q, which does not name %s", program, out, p.workspace.Version)
	}
	return nil
}

func (p *prover) binaries() string {
	for _, v := range slices.Backward(p.proxy.Env("")) {
		if bin, ok := strings.CutPrefix(v, "GOBIN="); ok {
			return bin
		}
	}
	return ""
}

func (p *prover) goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = p.proxy.Env("-mod=mod")
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s%s", strings.Join(args, " "), err, out, errs.String())
	}
	return string(out), nil
}

// compareModules compares the output of go list -m all, without its first
// line, the user's own module, with the modules that are promised.
func compareModules(all string, promised []string, version string) error {
	lines := strings.Split(strings.TrimSpace(all), "\n")
	var got []string
	for _, line := range lines[1:] {
		path, at, _ := strings.Cut(line, " ")
		name, ours := strings.CutPrefix(path, workspace.Prefix)
		if ours && at != version {
			return fmt.Errorf("brings %s at %s, want %s", name, at, version)
		}
		got = append(got, name)
	}
	var problems []string
	for _, name := range got {
		if !slices.Contains(promised, name) {
			problems = append(problems, fmt.Sprintf("brings %s, which is not promised", name))
		}
	}
	for _, name := range promised {
		if !slices.Contains(got, name) {
			problems = append(problems, fmt.Sprintf("does not bring %s, which is promised", name))
		}
	}
	if len(problems) > 0 {
		return fmt.Errorf("%s; what users get is listed in scripts/consumers/expect.go", strings.Join(problems, "; "))
	}
	return nil
}
