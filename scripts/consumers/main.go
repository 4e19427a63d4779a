// Command consumers proves that each module works for the people who get it.
// The workspace hides missing requirements and newer siblings; a consumer has
// no workspace. So the command publishes every module to a proxy in a temporary
// folder, gets each alone into a fresh module with a fresh module cache, builds
// and tests a short user of it (testdata/<module>.txtar), and compares the
// modules that came along with what the module table promises. Where a module
// promises to find mistakes in a library, it puts one there with a replace
// directive. It follows the get-started guide with the published modules, and it
// installs the faultline command and asks for its version.
//
//	consumers                    every module
//	consumers harness-etcdraft   these
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hmdsefi/faultline/scripts/internal/fileproxy"
	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "consumers:", err)
		os.Exit(1)
	}
}

// run proves the modules of these names, or all.
func run(names []string) error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	next, err := fileproxy.Upstream()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "faultline-consumers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	proxy, err := fileproxy.Publish(w, dir, next)
	if err != nil {
		return err
	}
	p := &prover{
		workspace: w,
		proxy:     proxy,
		users:     filepath.Join(w.Root, "scripts", "consumers", "testdata"),
		dir:       filepath.Join(dir, "users"),
	}
	failed := 0
	for _, m := range w.Modules {
		if testsOnly[m.Name] || len(names) > 0 && !slices.Contains(names, m.Name) {
			continue
		}
		start := time.Now()
		verdict := "ok"
		if err := p.prove(m); err != nil {
			failed++
			verdict = "FAIL\n" + err.Error()
		}
		fmt.Printf("%-14s %5.1fs  %s\n", m.Name, time.Since(start).Seconds(), verdict)
	}
	if failed > 0 {
		return fmt.Errorf("%d of %d modules fail their users", failed, len(w.Modules))
	}
	return nil
}
