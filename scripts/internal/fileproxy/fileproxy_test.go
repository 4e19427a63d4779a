package fileproxy

import (
	"archive/zip"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/scripts/internal/testtree"
)

// TestPublish sees that a zip holds the module's files and the license, and
// neither nested modules nor a folder whose name only starts the same.
func TestPublish(t *testing.T) {
	w := testtree.Write(t, testtree.Three, `
-- kernel/testdata/golden/a.txt --
golden
-- kernel/tool/go.mod --
module github.com/hmdsefi/faultline/kernel/tool
-- kernel/tool/tool.go --
package tool
-- kernelother/x.go --
package x
`)
	dir := t.TempDir()
	p, err := Publish(w, dir, "off")
	if err != nil {
		t.Fatal(err)
	}
	r, err := zip.OpenReader(filepath.Join(dir, "proxy/github.com/hmdsefi/faultline/kernel/@v/v0.1.0.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for _, f := range r.File {
		got = append(got, strings.TrimPrefix(f.Name, "github.com/hmdsefi/faultline/kernel@v0.1.0/"))
	}
	slices.Sort(got)
	want := []string{"LICENSE", "doc.go", "go.mod", "testdata/golden/a.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("zip holds %q, want %q", got, want)
	}
	env := strings.Join(p.Env("-mod=mod"), "\n")
	for _, part := range []string{"GOWORK=off", "GOFLAGS=-modcacherw -mod=mod", "/proxy,off", "GONOSUMDB=*"} {
		if !strings.Contains(env, part) {
			t.Errorf("environment lacks %s", part)
		}
	}
}
