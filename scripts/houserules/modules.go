package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

const goVersion = "1.26.0"

// outside lists the modules that go.work leaves out on purpose.
var outside = []string{"scripts"}

// checkModules holds go.work, each go.mod and each go.sum to the form that a
// consumer can use.
func checkModules(w *workspace.Workspace, files []string, r *report) {
	checkWork(w, r)
	for _, name := range files {
		if strings.Contains("/"+name, "/testdata/") {
			continue
		}
		switch path.Base(name) {
		case "go.mod":
			checkGoMod(w, name, r)
		case "go.sum", "go.work.sum":
			checkGoSum(w, name, r)
		}
	}
	for _, m := range w.Modules {
		if !slices.Contains(files, m.Name+"/go.mod") {
			r.add("go.work", 0, "go-mod", "uses %s, which has no committed go.mod", m.Name)
		}
		if _, ok := table[m.Name]; !ok {
			r.add("go.work", 0, "direction", "%s has no row in the module table of scripts/houserules/table.go: add one", m.Name)
		}
	}
}

func checkWork(w *workspace.Workspace, r *report) {
	data, err := os.ReadFile(filepath.Join(w.Root, "go.work"))
	if err != nil {
		r.add("go.work", 0, "go-mod", "%v", err)
		return
	}
	file, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		r.add("go.work", 0, "go-mod", "%v", err)
		return
	}
	if file.Go == nil || file.Go.Version != goVersion {
		r.add("go.work", 0, "go-mod", "must say go %s", goVersion)
	}
	if file.Toolchain != nil {
		r.add("go.work", file.Toolchain.Syntax.Start.Line, "go-mod", "remove the toolchain line: the go line is enough")
	}
	replaced := map[string]bool{}
	for _, rep := range file.Replace {
		line := rep.Syntax.Start.Line
		folder, ok := strings.CutPrefix(rep.Old.Path, workspace.Prefix)
		if !ok || rep.New.Path != "./"+folder || rep.New.Version != "" {
			r.add("go.work", line, "go-mod", "replace only modules of this repository by their own folder")
		}
		replaced[folder] = true
	}
	for _, m := range w.Modules {
		if !replaced[m.Name] {
			r.add("go.work", 0, "go-mod", "add the replace %s %s => ./%s, without which an unpublished version cannot be built", m.Path, w.Version, m.Name)
		}
	}
}

func checkGoMod(w *workspace.Workspace, name string, r *report) {
	folder := path.Dir(name)
	if !w.Has(folder) && !slices.Contains(outside, folder) {
		r.add(name, 0, "go-mod", "module %s is missing from go.work, so no workspace command sees it: add it to use and replace", folder)
	}
	data, err := os.ReadFile(filepath.Join(w.Root, name))
	if err != nil {
		r.add(name, 0, "go-mod", "%v", err)
		return
	}
	file, err := modfile.Parse(name, data, nil)
	if err != nil {
		r.add(name, 0, "go-mod", "%v", err)
		return
	}
	if file.Module == nil || file.Module.Mod.Path != workspace.Prefix+folder {
		r.add(name, 1, "go-mod", "the module path must be %s", workspace.Prefix+folder)
	}
	if file.Go == nil || file.Go.Version != goVersion {
		r.add(name, 0, "go-mod", "must say go %s", goVersion)
	}
	if file.Toolchain != nil {
		r.add(name, file.Toolchain.Syntax.Start.Line, "go-mod", "remove the toolchain line: the go line is enough")
	}
	for _, x := range file.Replace {
		r.add(name, x.Syntax.Start.Line, "go-mod", "remove the replace: go install refuses it; versioned replaces live in go.work")
	}
	for _, x := range file.Exclude {
		r.add(name, x.Syntax.Start.Line, "go-mod", "remove the exclude: go install refuses it")
	}
	checkRequires(w, folder, name, file, r)
}

func checkRequires(w *workspace.Workspace, folder, name string, file *modfile.File, r *report) {
	row := table[folder]
	for _, req := range file.Require {
		line := req.Syntax.Start.Line
		owner, ok := strings.CutPrefix(req.Mod.Path, workspace.Prefix)
		if want, pin := pinned[req.Mod.Path]; pin && req.Mod.Version != want {
			r.add(name, line, "go-mod", "requires %s at %s: the workspace holds it at %s", req.Mod.Path, req.Mod.Version, want)
		}
		switch {
		case ok && req.Mod.Version != w.Version:
			r.add(name, line, "go-mod", "requires %s at %s: all modules of the repository are at %s", owner, req.Mod.Version, w.Version)
		case ok && !req.Indirect && !slices.Contains(row.siblings, owner):
			r.add(name, line, "direction", "%s may not require %s: it may require %s", folder, owner, listing(row.siblings))
		case !ok && !req.Indirect && !slices.Contains(row.external, req.Mod.Path) && !slices.Contains(row.tests, req.Mod.Path):
			r.add(name, line, "direction", "%s may not require %s: it may require %s", folder, req.Mod.Path, listing(append(slices.Clone(row.external), row.tests...)))
		}
	}
}

func checkGoSum(w *workspace.Workspace, name string, r *report) {
	data, err := os.ReadFile(filepath.Join(w.Root, name))
	if err != nil {
		r.add(name, 0, "go-mod", "%v", err)
		return
	}
	for i, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, workspace.Prefix) {
			r.add(name, i+1, "go-mod", "remove the line of a sibling: its sum changes with every commit until it is released")
		}
	}
}
