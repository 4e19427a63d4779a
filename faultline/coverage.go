package faultline

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// saveCoverage appends what the sweep has covered to the file that
// FAULTLINE_COVERAGE names.
func (c *campaign) saveCoverage(t *testing.T) {
	t.Helper()
	if c.env.coverage == "" || c.sum.runs == 0 {
		return
	}
	cover := c.sum.coverage
	cover.Package, cover.Test = c.place.pkg, c.place.test
	data, err := cover.Append(nil)
	if err == nil {
		err = appendTo(c.env.coverage, data)
	}
	if err != nil {
		t.Error(notAppendable("COVERAGE", err))
	}
}

// mergeCoverage judges what several processes have covered of this test, and
// runs nothing.
func (c *campaign) mergeCoverage(t *testing.T) {
	t.Helper()
	sum := artifact.Coverage{Package: c.place.pkg, Test: c.place.test}
	files := coverageFiles(c.env.coverageMerge)
	for _, name := range files {
		if err := addCoverage(&sum, name); err != nil {
			t.Fatalf("faultline: %sCOVERAGE_MERGE: %v", envPrefix, err)
		}
	}
	if sum.Runs == 0 {
		t.Skipf("faultline: %sCOVERAGE_MERGE: none of %s has a sweep of this test", envPrefix, plural(len(files), "file"))
	}
	lines := append([]string{plural(int(sum.Runs), "run") + " in " + plural(len(files), "file")}, describeCoverage(sum)...)
	t.Log("faultline: " + strings.Join(lines, "\n\t"))
	if c.opt.RequireSometimes {
		for _, s := range shortfalls(sum) {
			t.Error(s)
		}
	}
}

// coverageFiles are the files of a list, each once: what is in one does not
// count twice.
func coverageFiles(list string) []string {
	var names []string
	var infos []os.FileInfo
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if info, err := os.Stat(name); err == nil {
			if slices.ContainsFunc(infos, func(other os.FileInfo) bool { return os.SameFile(info, other) }) {
				continue
			}
			infos = append(infos, info)
		}
		names = append(names, name)
	}
	return names
}

// addCoverage adds the lines of a file that are of one test.
func addCoverage(sum *artifact.Coverage, name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file; name files that %sCOVERAGE has named", name, envPrefix)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	list, err := artifact.ReadCoverage(f, name)
	if err != nil {
		return err
	}
	for _, o := range list {
		if o.Package == sum.Package && o.Test == sum.Test {
			sum.Merge(o)
		}
	}
	return nil
}
