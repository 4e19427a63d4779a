package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/testtree"
	"github.com/hmdsefi/faultline/scripts/internal/workspace"
)

// TestPlanted runs the command's check over small workspaces with planted
// violations. Each archive under testdata adds files to a clean workspace of
// two modules; its file "want" lists the findings, each as the start of a line.
func TestPlanted(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives under testdata (%v)", err)
	}
	fired := map[string]bool{}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".txtar"), func(t *testing.T) {
			w, want := plant(t, archive)
			findings, err := check(w)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range findings {
				fired[f.rule] = true
			}
			compare(t, findings, want)
		})
	}
	for _, r := range rules {
		if !fired[r.name] {
			t.Errorf("no archive plants a violation of %s", r.name)
		}
	}
}

// plant writes the clean workspace and then the archive over it.
func plant(t *testing.T, archive string) (*workspace.Workspace, []string) {
	t.Helper()
	planted, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	clean, err := os.ReadFile("testdata/clean.base")
	if err != nil {
		t.Fatal(err)
	}
	long := strings.NewReplacer(
		"MANYLINES\n", strings.Repeat("\t_ = 0\n", 500),
		"NINETYLINES\n", strings.Repeat("\t_ = 0\n", 90),
		"OFROOT", "/ro"+"ot", "OFANN", "/ho"+"me/ann", "OFWORK", "/wo"+"rk", "HOST", "https://pro"+"xy.golang", // not to be found in this file
	)
	w := testtree.Write(t, string(clean), long.Replace(string(planted)))
	want, err := os.ReadFile(filepath.Join(w.Root, "want"))
	if err != nil {
		t.Fatalf("%s says not what it wants: %v", archive, err)
	}
	if err := os.Remove(filepath.Join(w.Root, "want")); err != nil {
		t.Fatal(err)
	}
	return w, lines(string(want))
}

func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

func compare(t *testing.T, findings []finding, want []string) {
	t.Helper()
	for i, f := range findings {
		if i >= len(want) || !strings.HasPrefix(f.String(), want[i]) {
			t.Errorf("got  %s", f)
			if i < len(want) {
				t.Errorf("want %s", want[i])
			}
		}
	}
	for _, missing := range want[min(len(findings), len(want)):] {
		t.Errorf("not found: %s", missing)
	}
}

// TestDoesNotCompile sees that a package without types is never a pass.
func TestDoesNotCompile(t *testing.T) {
	w, _ := plant(t, "testdata/clean.txtar")
	file := filepath.Join(w.Root, "kernel", "broken.go")
	if err := os.WriteFile(file, []byte("package kernel\n\nvar x = undefinedName\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := check(w); err == nil || !strings.Contains(err.Error(), "does not compile") {
		t.Errorf("check said %v, want an error that the package does not compile", err)
	}
}
