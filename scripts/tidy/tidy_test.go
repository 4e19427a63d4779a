package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/testtree"
)

// TestTidy plants a missing requirement, which the workspace hides.
func TestTidy(t *testing.T) {
	w := testtree.Write(t, testtree.Three, `
-- simdisk/go.mod --
module github.com/hmdsefi/faultline/simdisk

go 1.26.0
-- kernel/go.sum --
github.com/hmdsefi/faultline/simdisk v0.1.0 h1:AAAA
`)
	mod := filepath.Join(w.Root, "simdisk", "go.mod")
	before, err := os.ReadFile(mod)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"kernel/go.sum", "simdisk/go.mod"}
	for _, check := range []bool{true, false} {
		changed, err := tidyAll(w, t.TempDir(), "off", check)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(changed, want) {
			t.Errorf("check %v: changed %q, want %q", check, changed, want)
		}
		after, err := os.ReadFile(mod)
		if err != nil {
			t.Fatal(err)
		}
		if same := string(after) == string(before); same != check {
			t.Errorf("check %v: the file is the same: %v", check, same)
		}
		if !check && !strings.Contains(string(after), "require github.com/hmdsefi/faultline/kernel v0.1.0") {
			t.Errorf("the requirement is still missing:\n%s", after)
		}
	}
	if _, err := os.Stat(filepath.Join(w.Root, "simdisk", "go.sum")); !os.IsNotExist(err) {
		t.Errorf("simdisk has a go.sum of siblings alone (%v)", err)
	}
	changed, err := tidyAll(w, t.TempDir(), "off", true)
	if err != nil || len(changed) > 0 {
		t.Errorf("a second time changes %q, %v", changed, err)
	}
}
