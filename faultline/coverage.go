package faultline

import (
	"fmt"
	"os"
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
		var f *os.File
		if f, err = os.OpenFile(c.env.coverage, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			_, err = f.Write(data) // in one piece: other processes may append too
			if closing := f.Close(); err == nil {
				err = closing
			}
		}
	}
	if err != nil {
		t.Errorf("faultline: %sCOVERAGE: %v; name a file that can be appended to", envPrefix, err)
	}
}

// mergeCoverage judges what several processes have covered of this test, and
// runs nothing.
func (c *campaign) mergeCoverage(t *testing.T) {
	t.Helper()
	sum := artifact.Coverage{Package: c.place.pkg, Test: c.place.test}
	files := strings.FieldsFunc(c.env.coverageMerge, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range files {
		if err := addCoverage(&sum, name); err != nil {
			t.Fatalf("faultline: %sCOVERAGE_MERGE: %v", envPrefix, err)
		}
	}
	if sum.Runs == 0 {
		t.Skipf("faultline: %sCOVERAGE_MERGE: none of the %d files has a sweep of this test", envPrefix, len(files))
	}
	lines := append([]string{fmt.Sprintf("%d runs in %d files", sum.Runs, len(files))}, describeCoverage(sum)...)
	t.Log("faultline: " + strings.Join(lines, "\n\t"))
	if c.opt.RequireSometimes {
		for _, s := range shortfalls(sum) {
			t.Error(s)
		}
	}
}

// addCoverage adds the lines of a file that are of one test.
func addCoverage(sum *artifact.Coverage, name string) error {
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
