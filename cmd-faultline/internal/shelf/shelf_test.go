package shelf

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// put writes an artifact of a seed that is a number of hours old.
func put(t *testing.T, root string, seed uint64, hours int) string {
	t.Helper()
	key := artifact.Key{Package: "example.org/kv", Test: "TestKV", Seed: seed}
	w, err := artifact.Create(root, key)
	if err != nil {
		t.Fatal(err)
	}
	w.File("notes-of-a-check.txt", []byte("x"))
	w.Report(&artifact.Report{Result: artifact.Passed, Faultline: "v0.1.0", Go: "go1.26.0", Test: key.Test, Package: key.Package, Seed: artifact.Hex64(seed)})
	if _, err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	when := time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC).Add(-time.Duration(hours) * time.Hour)
	if err := os.Chtimes(filepath.Join(root, key.Dir(), artifact.ReportFile), when, when); err != nil {
		t.Fatal(err)
	}
	return key.Dir()
}

func open(t *testing.T, dir string) *os.Root {
	t.Helper()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestFindIsNewestFirstAndSkipsWhatIsNotDone(t *testing.T) {
	dir := t.TempDir()
	old, young := put(t, dir, 1, 5), put(t, dir, 2, 1)
	write(t, filepath.Join(dir, "ci", "report.json"), "{}")
	write(t, filepath.Join(dir, "example.org+kv", ".0x3.tmp0", "report.json"), "{}")
	write(t, filepath.Join(dir, "a/b/c/d/e/f/g", "report.json"), "{}")
	found, err := Find(open(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range found {
		paths = append(paths, e.Path)
		if (e.Report == nil) != (e.Path == "ci") || (e.Err == nil) == (e.Path == "ci") {
			t.Errorf("%s: report %v, error %v", e.Path, e.Report, e.Err)
		}
	}
	if want := []string{"ci", young, old}; !slices.Equal(paths, want) {
		t.Errorf("got %q, want %q", paths, want)
	}
}

// An artifact whose writer was killed while it was replaced is found, and what
// its writer left is no longer in the way of cleaning.
func TestFindPutsRightWhatKilledWritersLeft(t *testing.T) {
	dir := t.TempDir()
	path := put(t, dir, 1, 0)
	parent, name := filepath.Split(filepath.Join(dir, path))
	if err := os.Rename(filepath.Join(parent, name), filepath.Join(parent, "."+name+".tmp0.old")); err != nil {
		t.Fatal(err)
	}
	half := filepath.Join(parent, "."+name+".tmp1")
	write(t, filepath.Join(half, "trace.jsonl"), "x")
	long := time.Now().Add(-24 * time.Hour)
	for _, p := range []string{filepath.Join(half, "trace.jsonl"), half} {
		if err := os.Chtimes(p, long, long); err != nil {
			t.Fatal(err)
		}
	}
	root := open(t, dir)
	found, err := Find(root)
	if err != nil || len(found) != 1 || found[0].Path != path {
		t.Fatalf("found %v, %v", found, err)
	}
	if err := Remove(root, &found[0], nil); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestRemoveTakesOnlyWhatIsOurs(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(t *testing.T, dir string)
		want   string // why it stays; empty if it goes
	}{
		{"as it was", func(*testing.T, string) {}, ""},
		{"rendered again", func(t *testing.T, dir string) { write(t, filepath.Join(dir, artifact.PageFile), "x") }, ""},
		{"a view of later", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "plots.svg"), "x") }, ""},
		{"somebody's notes", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "notes.md"), "x") }, `"notes.md" in it is not of faultline`},
		{"a directory", func(t *testing.T, dir string) { write(t, filepath.Join(dir, "sub", "x"), "x") }, `"sub" in it is not a regular file`},
		{"a link", func(t *testing.T, dir string) {
			if runtime.GOOS == "windows" {
				t.Skip("links need rights there")
			}
			if err := os.Symlink(dir, filepath.Join(dir, artifact.TraceFile)); err != nil {
				t.Fatal(err)
			}
		}, `"trace.jsonl" in it is not a regular file`},
		{"a damaged report", func(t *testing.T, dir string) { write(t, filepath.Join(dir, artifact.ReportFile), "{}") }, "its report does not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := put(t, dir, 1, 0)
			c.change(t, filepath.Join(dir, path))
			before, _ := os.ReadDir(filepath.Join(dir, path))
			root := open(t, dir)
			found, err := Find(root)
			if err != nil || len(found) != 1 {
				t.Fatalf("found %v, %v", found, err)
			}
			err = Remove(root, &found[0], []string{"plots.svg"})
			if c.want == "" {
				if left, _ := os.ReadDir(dir); err != nil || len(left) > 0 {
					t.Errorf("left %v, %v", left, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if after, _ := os.ReadDir(filepath.Join(dir, path)); len(after) != len(before) {
				t.Errorf("of %d files %d are left", len(before), len(after))
			}
		})
	}
}

func TestRemoveLeavesNeighbours(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, 1, 0)
	other := put(t, dir, 2, 3)
	root := open(t, dir)
	found, err := Find(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := Remove(root, &found[0], []string{"plots.svg"}); err != nil {
		t.Fatal(err)
	}
	if left, _ := Find(root); len(left) != 1 || left[0].Path != other {
		t.Errorf("left: %v", left)
	}
}
