// Package testtree writes a small workspace for the tests of the scripts.
package testtree

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// Write writes the files of each archive, in txtar form, to a temporary folder,
// later ones over earlier ones, and opens the workspace that they make.
func Write(t *testing.T, archives ...string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	for _, archive := range archives {
		for _, f := range txtar.Parse([]byte(archive)).Files {
			name := filepath.Join(root, filepath.FromSlash(f.Name))
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	w, err := workspace.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Three is a workspace of three modules, the last of which is a program; all is
// well with it.
const Three = `
-- go.work --
go 1.26.0

use (
	./kernel
	./simdisk
	./cmd-faultline
)

replace (
	github.com/hmdsefi/faultline/kernel v0.1.0 => ./kernel
	github.com/hmdsefi/faultline/simdisk v0.1.0 => ./simdisk
	github.com/hmdsefi/faultline/cmd-faultline v0.1.0 => ./cmd-faultline
)
-- LICENSE --
the license
-- kernel/go.mod --
module github.com/hmdsefi/faultline/kernel

go 1.26.0
-- kernel/doc.go --
// Package kernel is small.
package kernel

// One is 1.
const One = 1
-- simdisk/go.mod --
module github.com/hmdsefi/faultline/simdisk

go 1.26.0

require github.com/hmdsefi/faultline/kernel v0.1.0
-- simdisk/doc.go --
// Package simdisk is small.
package simdisk

import "github.com/hmdsefi/faultline/kernel"

// Two is 2.
const Two = kernel.One + 1
-- cmd-faultline/go.mod --
module github.com/hmdsefi/faultline/cmd-faultline

go 1.26.0
-- cmd-faultline/faultline/main.go --
// Command faultline is small.
package main

import (
	"fmt"
	"runtime/debug"
)

func main() {
	info, _ := debug.ReadBuildInfo()
	fmt.Println("faultline", info.Main.Version)
}
`
