// Command derive writes the files that follow from others: the listing of each
// module's API in api, the diagram of the modules in
// docs/explanation/architecture.md, docs/reference/options.md, and
// llms-full.txt. With -check it only
// compares.
//
// A change of api is a change for users: it is made on purpose, by running this
// command, and shows in review.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

func main() {
	check := flag.Bool("check", false, "compare only, write nothing")
	flag.Parse()
	if err := run(*check); err != nil {
		fmt.Fprintln(os.Stderr, "derive:", err)
		os.Exit(1)
	}
}

func run(check bool) error {
	w, err := workspace.Open(".")
	if err != nil {
		return err
	}
	if check {
		return compare(w)
	}
	// llms-full.txt comes last: it has the pages that are made here.
	for _, derive := range sources {
		files, err := derive(w)
		if err != nil {
			return err
		}
		for name, data := range files {
			path := filepath.Join(w.Root, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// sources give the derived files, by name below the root, in the order in which
// they are written.
var sources = []func(*workspace.Workspace) (map[string][]byte, error){listings, diagram, options, full}

func compare(w *workspace.Workspace) error {
	var stale []string
	want := map[string]bool{}
	for _, derive := range sources {
		files, err := derive(w)
		if err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(files)) {
			want[name] = true
			old, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(name)))
			if err != nil || !bytes.Equal(old, files[name]) {
				stale = append(stale, name)
			}
		}
	}
	files, err := w.Files()
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasPrefix(name, "api/") && !want[name] {
			stale = append(stale, name+" (no such module)")
		}
	}
	if len(stale) > 0 {
		return fmt.Errorf("not what follows from the sources: %s\nif the change is meant, run: GOWORK=off go run -C scripts ./derive", strings.Join(stale, ", "))
	}
	return nil
}
