package artifact

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
)

// ErrKept is what [Writer.Commit] returns when the place holds an artifact that
// says more, which is kept: that of a failure, and the new one is of a pass; or
// the same run, by its trace hash, with a shrunk schedule, and the new one has
// none.
var ErrKept = errors.New("artifact: the artifact that is there says more, and is kept")

// Commit finishes the artifact and puts it at its place, where it replaces an
// earlier one of the same run, and returns the directory. After an error
// nothing of it is left, and what was there before still is.
func (w *Writer) Commit() (dir string, err error) {
	defer w.Abort() // removes what has not been renamed
	if w.err != nil || w.done {
		return "", w.fail(nil)
	}
	if w.report == nil {
		return "", w.fail(errors.New("there is no report; call Writer.Report before Commit"))
	}
	err = w.finish()
	for err != nil && w.short && len(w.views) > 0 {
		w.remove(TextFile)
		w.remove(ReportFile)
		w.remove(w.views[len(w.views)-1])
		w.views, w.err = w.views[:len(w.views)-1], nil
		err = w.finish()
	}
	if err != nil {
		return "", err
	}
	if err := w.place(); err != nil {
		if errors.Is(err, ErrKept) {
			w.err = err
			return "", err
		}
		return "", w.fail(err)
	}
	return w.abs(w.dir), nil
}

// finish writes the report, which lists all other files.
func (w *Writer) finish() error {
	err := w.write(TextFile, func(out io.Writer) (uint64, error) {
		_, err := out.Write(w.report.Text())
		return 0, err
	})
	if err != nil {
		return err
	}
	r := *w.report
	r.Files = w.files
	return w.write(ReportFile, func(out io.Writer) (uint64, error) {
		data, err := r.Encode()
		if err == nil {
			_, err = out.Write(data)
		}
		return 0, err
	})
}

// place renames the finished directory to where it belongs. Other processes may
// write the same artifact, or put back what this one is about to replace.
func (w *Writer) place() error {
	var err error
	for range 10 {
		err = w.tryPlace()
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		if _, there := w.root.Lstat(w.backup()); there == nil {
			_ = restore(w.root, w.backup(), w.dir)
		}
	}
	return err
}

// backup is where the artifact waits that is being replaced.
func (w *Writer) backup() string { return w.tmp + ".old" }

func (w *Writer) tryPlace() error {
	old, err := w.present()
	if err != nil {
		return err
	}
	if old != nil && old.saysMore(w.report) {
		return ErrKept
	}
	backup := ""
	if old != nil {
		if err := w.step("backup"); err != nil {
			return err
		}
		backup = w.backup()
		if err := w.root.Rename(w.dir, backup); err != nil {
			return err
		}
	}
	err = w.step("rename")
	if err == nil {
		err = w.root.Rename(w.tmp, w.dir)
	}
	if err != nil {
		if backup != "" {
			err = errors.Join(err, w.root.Rename(backup, w.dir))
		}
		return err
	}
	w.tmp = ""
	if backup != "" {
		// The artifact is in place: what is left of the old one does no harm.
		_ = w.root.RemoveAll(backup)
	}
	return nil
}

// owner is what tells an artifact and its run, in whatever version.
type owner struct {
	Format  string
	Package string
	Test    string
	Seed    Hex64
	Variant string
	Result  Result

	TraceHash string `json:"trace_hash"`
	Shrunk    *struct{}
}

// saysMore reports whether an artifact is kept although a new one is there.
func (o *owner) saysMore(r *Report) bool {
	if o.Result != Failed {
		return false
	}
	return r.Result == Passed || o.Shrunk != nil && r.Shrunk == nil && o.TraceHash == r.TraceHash
}

// present looks at what is at the artifact's place: nil for nothing, an error
// for anything but an artifact of the same run.
func (w *Writer) present() (*owner, error) {
	info, err := w.root.Lstat(w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is %s, not an artifact directory; remove it or choose another root", w.abs(w.dir), kindOf(info))
	}
	var o owner
	data, err := readFile(w.root, filepath.Join(w.dir, ReportFile), MaxReport)
	if err != nil || json.Unmarshal(data, &o) != nil || o.Format != reportFormat {
		return nil, fmt.Errorf("%s is a directory that faultline has not written (it has no report.json of faultline); move it away or choose another root", w.abs(w.dir))
	}
	if got := (Key{o.Package, o.Test, uint64(o.Seed), o.Variant}); got != w.key {
		return nil, fmt.Errorf("%s holds the artifact of %v, not of %v; move it away or choose another root", w.abs(w.dir), got, w.key)
	}
	return &o, nil
}

// Abort removes everything that was written and not committed. It may be
// called at any time, also after Commit.
func (w *Writer) Abort() {
	if w.done || w.root == nil {
		return
	}
	w.done = true
	if w.tmp != "" {
		_ = w.root.RemoveAll(w.tmp)
	}
	for _, dir := range slices.Backward(w.made) {
		_ = w.root.Remove(dir) // fails if it is in use, as it should
	}
	_ = w.root.Close()
}
