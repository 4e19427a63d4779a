package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// guide has the get-started guide followed by its own test, but with the
// commands for released modules: what it gets and installs comes from the proxy.
func (p *prover) guide() error {
	test := filepath.Join(filepath.Dir(p.dir), "guide.test")
	build := exec.Command("go", "test", "-c", "-o", test, "./docs")
	build.Dir, build.Env = p.workspace.Root, p.workspace.Env()
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c ./docs: %w\n%s", err, out)
	}
	run := exec.Command(test, "-test.run", "^TestGetStarted$", "-released")
	run.Dir, run.Env = filepath.Join(p.workspace.Root, "docs"), p.proxy.Env("")
	if out, err := run.CombinedOutput(); err != nil {
		return fmt.Errorf("docs/guides/get-started.md: %w\n%s", err, out)
	}
	return nil
}
