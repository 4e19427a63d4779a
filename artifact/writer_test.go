package artifact_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hmdsefi/faultline/artifact"
)

// tree lists what is below a directory, and the content of report.txt's.
func tree(t *testing.T, root string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && path != root {
			rel, _ := filepath.Rel(root, path)
			out = append(out, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// attempt writes a small artifact.
func attempt(root string, r *artifact.Report) (string, error) {
	w, err := artifact.Create(root, testKey())
	if err != nil {
		return "", err
	}
	w.Trace(slices.Values(records()))
	w.Report(r)
	return w.Commit()
}

func passed() *artifact.Report {
	r := fullReport()
	r.Result, r.Failure = artifact.Passed, nil
	return r
}

func TestLaterReplacesEarlierButAPassNoFailure(t *testing.T) {
	root := t.TempDir()
	second := fullReport()
	second.Signature = "second"
	plain, third := fullReport(), fullReport()
	plain.Shrunk, third.Shrunk = nil, nil
	plain.TraceHash = second.TraceHash
	third.TraceHash, third.Signature = "33", "third"
	for _, c := range []struct {
		name   string
		report *artifact.Report
		err    error
		want   string // signature afterwards
	}{
		{"pass first", passed(), nil, passed().Signature},
		{"failure replaces a pass", fullReport(), nil, fullReport().Signature},
		{"failure replaces a failure", second, nil, "second"},
		{"pass does not replace a failure", passed(), artifact.ErrKept, "second"},
		{"nor does the same run without its shrunk schedule", plain, artifact.ErrKept, "second"},
		{"another run does", third, nil, "third"},
	} {
		_, err := attempt(root, c.report)
		if !errors.Is(err, c.err) {
			t.Fatalf("%s: %v", c.name, err)
		}
		a, err := artifact.Read(filepath.Join(root, testKey().Dir()))
		if err != nil || a.Report.Signature != c.want {
			t.Fatalf("%s: read %v, %v", c.name, a, err)
		}
		if n := len(tree(t, root)); n != 6 {
			t.Fatalf("%s: left %q", c.name, tree(t, root))
		}
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	root := t.TempDir()
	w, err := artifact.Create(root, testKey())
	if err != nil {
		t.Fatal(err)
	}
	w.Trace(slices.Values(records()))
	w.Abort()
	if left := tree(t, root); len(left) > 0 {
		t.Errorf("left %q", left)
	}
	w.Abort()
	want := "artifact: the writer was committed or aborted; create another one"
	if _, err := w.Commit(); err == nil || err.Error() != want {
		t.Errorf("commit after abort: %v", err)
	}
}

func TestWriterRefuses(t *testing.T) {
	other := fullReport()
	other.Seed++
	broken := fullReport()
	broken.Failure = nil
	for _, c := range []struct {
		name string
		do   func(w *artifact.Writer) error
		want string
	}{
		{"no report", func(w *artifact.Writer) error { _, err := w.Commit(); return err },
			"artifact: there is no report; call Writer.Report before Commit"},
		{"report of another run", func(w *artifact.Writer) error { return w.Report(other) },
			"artifact: the report is of TestKV/three nodes of example.org/kv, seed 0x0000000000000abd, the artifact of TestKV/three nodes of example.org/kv, seed 0x0000000000000abc; they must agree"},
		{"broken report", func(w *artifact.Writer) error { return w.Report(broken) },
			`artifact: report: field failure: it is missing, but the result is "fail"; add it`},
		{"twice", func(w *artifact.Writer) error { w.File("a.txt", nil); return w.File("A.txt", nil) },
			"artifact: A.txt is written twice"},
		{"path", func(w *artifact.Writer) error { return w.File("../a", nil) },
			`artifact: file: "../a" is no safe file name; use up to 100 letters, digits, '.', '-', '_' and ',', starting with a letter or digit`},
		{"device", func(w *artifact.Writer) error { return w.File("NUL.txt", nil) },
			`artifact: file: "NUL.txt" is no safe file name; use up to 100 letters, digits, '.', '-', '_' and ',', starting with a letter or digit`},
		{"own file", func(w *artifact.Writer) error { return w.File("trace.JSONL", nil) },
			"artifact: file trace.JSONL is written by Writer.Trace; use another name"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			w, err := artifact.Create(root, testKey())
			if err != nil {
				t.Fatal(err)
			}
			if err := c.do(w); err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if _, err := w.Commit(); err == nil || err.Error() != c.want {
				t.Errorf("the first error does not stay: %v", err)
			}
			if left := tree(t, root); len(left) > 0 {
				t.Errorf("left %q", left)
			}
		})
	}
}

func TestCreateRefusesWhatIsNotItsOwn(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(t *testing.T, root, dir string)
		want  string // with ROOT and DIR
	}{
		{"foreign directory", func(t *testing.T, _, dir string) { write(t, filepath.Join(dir, "thesis.tex"), "x") },
			"artifact: DIR is a directory that faultline has not written (it has no report.json of faultline); move it away or choose another root"},
		{"foreign report", func(t *testing.T, _, dir string) { write(t, filepath.Join(dir, "report.json"), `{"format":"other"}`) },
			"artifact: DIR is a directory that faultline has not written (it has no report.json of faultline); move it away or choose another root"},
		{"other run", func(t *testing.T, _, dir string) {
			write(t, filepath.Join(dir, "report.json"), `{"format":"faultline/report","package":"p","test":"T","seed":"0x1"}`)
		}, "artifact: DIR holds the artifact of T of p, seed 0x0000000000000001, not of TestKV/three nodes of example.org/kv, seed 0x0000000000000abc; move it away or choose another root"},
		{"file", func(t *testing.T, _, dir string) { write(t, dir, "x") },
			"artifact: DIR is a file, not an artifact directory; remove it or choose another root"},
		{"link to a directory", func(t *testing.T, root, dir string) {
			mkdir(t, filepath.Dir(dir))
			link(t, t.TempDir(), dir)
		}, "artifact: DIR is a symbolic link, not an artifact directory; remove it or choose another root"},
		{"link above", func(t *testing.T, root, dir string) {
			mkdir(t, root)
			link(t, t.TempDir(), filepath.Dir(filepath.Dir(dir)))
		}, "artifact: ROOT/example.org+kv is a symbolic link, not a directory; remove it or choose another root"},
		{"link inside the root above", func(t *testing.T, root, dir string) {
			mkdir(t, filepath.Join(root, "other"))
			link(t, "other", filepath.Dir(filepath.Dir(dir)))
		}, "artifact: ROOT/example.org+kv is a symbolic link, not a directory; remove it or choose another root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			dir := filepath.Join(root, testKey().Dir())
			c.build(t, root, dir)
			base := filepath.Dir(root)
			before := tree(t, base)
			_, err := attempt(root, fullReport())
			want := strings.NewReplacer("ROOT/", root+string(filepath.Separator), "DIR", dir).Replace(c.want)
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			if after := tree(t, base); !slices.Equal(after, before) {
				t.Errorf("before %q\nafter  %q", before, after)
			}
		})
	}
}

func TestRootThatCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	for _, root := range []string{file, filepath.Join(file, "artifacts")} {
		_, err := attempt(root, fullReport())
		want := fmt.Sprintf("artifact: cannot make the root directory: %v; choose one that can be written", os.MkdirAll(root, 0o755))
		if err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := artifact.Create("", testKey()); err == nil || err.Error() != "artifact: the root directory has no name; say where artifacts belong" {
		t.Errorf("empty root: %v", err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	mkdir(t, filepath.Dir(name))
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link, or skips the test where that is not allowed.
func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip(err)
	}
}
