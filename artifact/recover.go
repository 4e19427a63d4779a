package artifact

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// unfinished matches what writers keep aside, beside the artifact of a run: the
// directory that is written, and with ".old" the artifact that it replaces.
var unfinished = regexp.MustCompile(`^\.(0x[0-9a-f]{16}(?:-.+)?)\.tmp[0-9]+(\.old)?$`)

// abandoned is the age from which on a directory that is being written is taken
// for one whose writer was killed.
const abandoned = time.Hour

// Recover puts right what a killed [Writer] has left in a directory below root
// that holds the artifacts of a test. An artifact that was to be replaced, and
// was not yet, is back at its place; what was replaced, and what has been
// half-written for an hour before now, is removed. It leaves alone what a live
// writer needs and what is not of a writer; with the zero time, all that is
// half-written. [Create] does it, and [Read] when nothing is at its place; what
// lists artifacts can.
func Recover(root *os.Root, dir string, now time.Time) error {
	list, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	if err != nil {
		return err
	}
	var failed error
	for _, e := range list {
		m := unfinished.FindStringSubmatch(e.Name())
		if m == nil || !e.IsDir() {
			continue
		}
		path, place := filepath.Join(dir, e.Name()), filepath.Join(dir, m[1])
		switch {
		case m[2] != "":
			failed = errors.Join(failed, restore(root, path, place))
		case !now.IsZero() && !touched(root, path, now.Add(-abandoned)):
			failed = errors.Join(failed, root.RemoveAll(path))
		}
	}
	return failed
}

// restore puts a replaced artifact back if nothing is at its place, and removes
// it otherwise.
func restore(root *os.Root, old, place string) error {
	switch _, err := root.Lstat(place); {
	case err == nil:
		return root.RemoveAll(old)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	case !intact(root, old): // it was replaced, and being removed
		return root.RemoveAll(old)
	}
	err := root.Rename(old, place)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // its writer or another one was quicker
	}
	return err
}

// intact reports whether a directory has a report and all that it lists.
func intact(root *os.Root, dir string) bool {
	var r struct {
		Format string
		Files  []struct{ Name string }
	}
	data, err := readFile(root, filepath.Join(dir, ReportFile), MaxReport)
	if err != nil || json.Unmarshal(data, &r) != nil || r.Format != reportFormat {
		return false
	}
	for _, f := range r.Files {
		if _, err := root.Lstat(filepath.Join(dir, f.Name)); err != nil {
			return false
		}
	}
	return true
}

// touched reports whether a directory or a file in it has changed since then.
func touched(root *os.Root, dir string, since time.Time) bool {
	list, err := fs.ReadDir(root.FS(), filepath.ToSlash(dir))
	paths := []string{dir}
	for _, e := range list {
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	return err != nil || slices.ContainsFunc(paths, func(path string) bool {
		info, err := root.Lstat(path)
		return err != nil || info.ModTime().After(since)
	})
}

// recoverAt does it for one artifact that is not at its place.
func recoverAt(dir string) {
	dir = filepath.Clean(dir)
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) || !unfinished.MatchString("."+filepath.Base(dir)+".tmp0") {
		return
	}
	root, err := os.OpenRoot(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	_ = Recover(root, ".", time.Time{}) // if it cannot, nothing is there to be read
}
