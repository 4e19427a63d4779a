package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// mistake is a change to a library that a user puts in the place of the real one
// by a replace directive. The tests of the module's user must see it.
type mistake struct {
	library        string // path of the replaced module
	file, old, new string // what is changed
	says           string // part of the output of the test that fails
	command        []string
}

// mistakes are tried for the modules that promise to find them.
var mistakes = map[string]mistake{
	"harness-etcdraft": {
		library: "go.etcd.io/raft/v3",
		file:    "quorum/majority.go",
		old:     "q := len(c)/2 + 1",
		new:     "q := len(c) / 2",
		says:    "P19 elections are not disturbed",
		command: []string{"run", "github.com/hmdsefi/faultline/harness-etcdraft/raftpatch", "-package", ".", "-run", "^TestCluster$", "-seeds", "10", "ack-early"},
	},
}

// replaced proves the way to test a changed library that the README shows: a
// copy of it beside the user's module and a replace directive.
func (p *prover) replaced(dir string, m mistake) error {
	if _, err := p.goCommand(dir, m.command...); err != nil {
		return err
	}
	from, err := p.goCommand(dir, "list", "-m", "-f", "{{.Dir}}", m.library)
	if err != nil {
		return err
	}
	copied := filepath.Join(filepath.Dir(dir), "changed")
	if err := copyTree(strings.TrimSpace(from), copied); err != nil {
		return err
	}
	name := filepath.Join(copied, filepath.FromSlash(m.file))
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return fmt.Errorf("%s of %s holds %d times %q, want 1: mend scripts/consumers/replace.go", m.file, m.library, n, m.old)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o666); err != nil {
		return err
	}
	if _, err := p.goCommand(dir, "mod", "edit", "-replace", m.library+"=../changed"); err != nil {
		return err
	}
	if _, err = p.goCommand(dir, "test", "./..."); err == nil {
		return fmt.Errorf("the test of the user passes with a mistake in %s", m.library)
	}
	if !strings.Contains(err.Error(), m.says) {
		return fmt.Errorf("with a mistake in %s the test of the user does not say %q: %w", m.library, m.says, err)
	}
	return nil
}

// copyTree copies a folder; what it copies can be written.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o777)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), data, 0o666)
	})
}
