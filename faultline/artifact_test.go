package faultline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A directory that cannot be written to is an error before anything runs; one
// that cannot be written to later does not hide the failure.
func TestUnwritableArtifactsHideNothing(t *testing.T) {
	root := t.TempDir()
	first := runScenario(t, "invariant", "FAULTLINE_ARTIFACTS="+root)
	used, err := os.ReadDir(root)
	if err != nil || len(used) != 1 {
		t.Fatal(used, err, first.text)
	}
	full := t.TempDir() // there is a file where a folder must be
	if err := os.WriteFile(filepath.Join(full, used[0].Name()), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := runScenario(t, "invariant", "FAULTLINE_ARTIFACTS="+full)
	o.wants(t, `invariant "few messages" failed`, "artifact: none: ", "replay:   cd ")
	o = runScenario(t, "invariant", "FAULTLINE_ARTIFACTS="+filepath.Join(full, used[0].Name(), "below"))
	o.wants(t, "faultline: artifacts cannot be written below "+full, "(FAULTLINE_ARTIFACTS or Options.Artifacts)")
	if strings.Contains(o.text, "few messages") {
		t.Error("a seed was run before the settings were tried")
	}
	o = runScenario(t, "invariant", "FAULTLINE_ARTIFACTS=off")
	o.wants(t, `invariant "few messages" failed`, "artifact: none (they are off)")
}
