package shelf

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/artifact"
)

// maxDepth is how far below the root artifacts are looked for. faultline puts
// them 3 deep; a download of a CI run may wrap that.
const maxDepth = 6

// Entry is a directory with a report.json.
type Entry struct {
	Path   string           // of the directory, below the root
	Time   time.Time        // when report.json was written
	Report *artifact.Report // nil if it cannot be read
	Err    error            // why not
}

// Find returns what is below a root, newest first, those of one time by path.
// What killed writers have left is put right, see [artifact.Recover].
func Find(root *os.Root) ([]Entry, error) {
	var found []Entry
	err := fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case err != nil:
			return nil // what cannot be listed has nothing to show
		case !d.IsDir():
			return nil
		case path != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir // being written, or not ours
		case strings.Count(path, "/") >= maxDepth:
			return fs.SkipDir
		}
		if e, ok := look(root, filepath.FromSlash(path)); ok {
			found = append(found, e)
			return fs.SkipDir
		}
		_ = artifact.Recover(root, filepath.FromSlash(path), time.Now()) // what it cannot put right is not shown
		return nil
	})
	slices.SortStableFunc(found, func(a, b Entry) int {
		if c := b.Time.Compare(a.Time); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	return found, err
}

// look reads the report of a directory, if it has one.
func look(root *os.Root, dir string) (Entry, bool) {
	e := Entry{Path: dir}
	name := filepath.Join(dir, artifact.ReportFile)
	info, err := root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return e, false
	}
	e.Time = info.ModTime()
	data, err := read(root, name)
	if err == nil {
		e.Report, err = artifact.ParseReport(data, filepath.Join(root.Name(), name))
	}
	e.Err = err
	return e, true
}

func read(root *os.Root, name string) ([]byte, error) {
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, artifact.MaxReport+1))
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	if len(data) > artifact.MaxReport {
		return nil, fmt.Errorf("%s: it is larger than %d bytes, the most that is read", filepath.Join(root.Name(), name), artifact.MaxReport)
	}
	return data, nil
}
