package artifact

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// kept is an artifact's directory in the directory of its test.
const kept = "0x0000000000000001"

func saved(t *testing.T, root, signature string) (parent string) {
	t.Helper()
	if err := writeSmall(root, signature, func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(root, filepath.Dir(Key{"p", "T", 1, ""}.Dir()))
}

func namesIn(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func rename(t *testing.T, parent, from, to string) {
	t.Helper()
	if err := os.Rename(filepath.Join(parent, from), filepath.Join(parent, to)); err != nil {
		t.Fatal(err)
	}
}

// aged makes a directory that a writer has left, with a file in it.
func aged(t *testing.T, dir string, age time.Duration) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, TraceFile)
	if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	when := time.Now().Add(-age)
	if err := errors.Join(os.Chtimes(file, when, when), os.Chtimes(dir, when, when)); err != nil {
		t.Fatal(err)
	}
}

// An artifact whose writer was killed between the two renames is there for the
// next reader and the next writer.
func TestKilledBetweenTheRenames(t *testing.T) {
	root := t.TempDir()
	parent := saved(t, root, "first")
	rename(t, parent, kept, "."+kept+".tmp0.old")
	aged(t, filepath.Join(parent, "."+kept+".tmp0"), 0)
	a, err := Read(filepath.Join(parent, kept))
	if err != nil || a.Report.Signature != "first" {
		t.Fatalf("read %+v, %v", a, err)
	}

	rename(t, parent, kept, "."+kept+".tmp0.old")
	w, err := Create(root, Key{"p", "T", 1, ""})
	if err != nil {
		t.Fatal(err)
	}
	w.Report(&Report{Result: Passed, Test: "T", Package: "p", Seed: 1})
	if _, err := w.Commit(); !errors.Is(err, ErrKept) {
		t.Errorf("a pass has taken the place of the failure: %v", err)
	}
	if a, err = Read(filepath.Join(parent, kept)); err != nil || a.Report.Signature != "first" {
		t.Errorf("read %+v, %v", a, err)
	}
}

// What killed writers have left goes, and nothing else.
func TestRecoverTakesOnlyWhatIsAbandoned(t *testing.T) {
	root := t.TempDir()
	parent := saved(t, root, "first")
	for name, age := range map[string]time.Duration{
		"." + kept + ".tmp0":      2 * time.Hour,
		"." + kept + "-pass.tmp3": 2 * time.Hour,
		"." + kept + ".tmp1":      time.Minute, // it may live
		"." + kept + ".tmp2.old":  0,           // it is replaced: its place is taken
		".0x2.tmp0":               2 * time.Hour,
		".notes.tmp0":             2 * time.Hour,
	} {
		aged(t, filepath.Join(parent, name), age)
	}
	other := "0x0000000000000005"
	aged(t, filepath.Join(parent, "."+other+".tmp0.old"), 0) // half of it is gone, so it was replaced
	saved(t, root, "second")
	want := []string{"." + kept + ".tmp1", ".0x2.tmp0", ".notes.tmp0", kept}
	slices.Sort(want)
	if got := namesIn(t, parent); !slices.Equal(got, want) {
		t.Errorf("left %q, want %q", got, want)
	}
	if a, err := Read(filepath.Join(parent, kept)); err != nil || a.Report.Signature != "second" {
		t.Errorf("read %+v, %v", a, err)
	}
	if _, err := Read(filepath.Join(parent, other)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("read what is not there: %v", err)
	}
}

// A writer that another process disturbs between the renames still succeeds,
// and leaves nothing else.
func TestDisturbedBetweenTheRenames(t *testing.T) {
	for _, restored := range []bool{true, false} {
		root := t.TempDir()
		parent := saved(t, root, "first")
		disturbed := false
		err := writeSmall(root, "second", func(step string) error {
			if step != "rename" || disturbed {
				return nil
			}
			disturbed = true
			if restored {
				_, err := Read(filepath.Join(parent, kept))
				return err
			}
			if err := os.Mkdir(filepath.Join(parent, "hidden"), 0o755); err != nil { // Recover does not look there
				return err
			}
			rename(t, parent, "."+kept+".tmp0.old", "hidden/old")
			saved(t, root, "third")
			rename(t, parent, "hidden/old", "."+kept+".tmp0.old")
			return os.Remove(filepath.Join(parent, "hidden"))
		})
		if !disturbed || err != nil {
			t.Fatalf("restored %v: disturbed %v, %v", restored, disturbed, err)
		}
		a, err := Read(filepath.Join(parent, kept))
		if err != nil || a.Report.Signature != "second" {
			t.Errorf("restored %v: read %+v, %v", restored, a, err)
		}
		if got := namesIn(t, parent); len(got) != 1 {
			t.Errorf("restored %v: left %q", restored, got)
		}
	}
}

// Without room for a view the rest is there; other views go before the report.
// The disk has room for a number of files.
func TestViewThatDoesNotFit(t *testing.T) {
	for room, want := range []string{"", "", "", "no views", "", "", "all"} {
		root := t.TempDir()
		w, err := create(root, Key{"p", "T", 1, ""}, func(step string) error {
			there, err := filepath.Glob(filepath.Join(root, "*", "*", ".*.tmp0", "*"))
			if strings.HasPrefix(step, "write ") && len(there) > room {
				err = errors.New("disk full")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		w.File("extra.txt", []byte("x"))
		lacks := errors.Join(w.View("a.txt", []byte("a")), w.View("b.txt", []byte("b")), w.View("c.txt", []byte("c")))
		w.Report(&Report{Result: Failed, Test: "T", Package: "p", Seed: 1, Failure: &Failure{}})
		dir, err := w.Commit()
		if want == "" {
			if err == nil {
				t.Errorf("room for %d files: no error", room)
			}
			continue
		}
		if _, readErr := Read(dir); err != nil || readErr != nil || (lacks == nil) != (want == "all") {
			t.Fatalf("room for %d files: %v, read: %v, lacks: %v", room, err, readErr, lacks)
		}
		files := []string{"a.txt", "b.txt", "c.txt", "extra.txt", ReportFile, TextFile}
		if want == "no views" {
			files = files[3:]
		}
		if got := namesIn(t, dir); !slices.Equal(got, files) {
			t.Errorf("room for %d files: found %q, want %q", room, got, files)
		}
	}
}
