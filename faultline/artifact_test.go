package faultline

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
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

// A run that passes now leaves its artifact beside that of the failure, to
// compare them, again and again.
func TestPassBesideTheFailure(t *testing.T) {
	root := t.TempDir()
	env := []string{"FAULTLINE_TRACE=full", "FAULTLINE_ARTIFACTS=" + root, "FAULTLINE_SEED=5", "FAULTLINE_SHRINK=off"}
	first := runScenario(t, "invariant-late", env...)
	if m := regexp.MustCompile(`(?m)^ *artifact: (.*)$`).FindStringSubmatch(first.text); m == nil || !first.failed {
		t.Fatal(first.text)
	}
	for range 2 {
		o := runScenario(t, "pass", env...)
		dirs, err := filepath.Glob(filepath.Join(root, "*", "*", "0x*"))
		if err != nil || len(dirs) != 2 || dirs[1] != dirs[0]+"-pass" {
			t.Fatalf("found %q, %v", dirs, err)
		}
		o.wants(t, "faultline: artifact: "+dirs[1], "faultline: the artifact of its failure is kept, "+dirs[0]+"; what has changed:", "faultline diff ")
		for i, want := range []artifact.Result{artifact.Failed, artifact.Passed} {
			a, err := artifact.Read(dirs[i])
			if err != nil || a.Report.Result != want {
				t.Errorf("%s: %v, want %s", dirs[i], err, want)
			}
		}
	}
}

// A second artifact for which there is no room does not hide the first.
func TestNoRoomForTheShrunkRun(t *testing.T) {
	full := errors.New("no space left on device")
	first := &leftArtifact{dir: "/a/0x1"}
	small := &shrunk{}
	second := (&leftArtifact{err: full}).orElse(first)
	if second.dir != first.dir || second.missing(small) != "          without the shrunk run: no space left on device\n" {
		t.Errorf("left %+v: %s", second, second.missing(small))
	}
	views := (&leftArtifact{dir: "/a/0x1", small: true, err: full}).orElse(first)
	if got := views.missing(small); got != "          without some of its views: no space left on device\n" {
		t.Error(got)
	}
	if none := (&leftArtifact{}).orElse(first); none.dir != "" || none.missing(small) != "" {
		t.Errorf("they are off, and %+v is left", none)
	}
}
