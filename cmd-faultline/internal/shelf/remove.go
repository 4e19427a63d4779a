package shelf

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/hmdsefi/faultline/artifact"
)

// Foreign says why an entry is not removed: its report does not read, or the
// directory holds a file that the report does not list, that is not one of an
// artifact's own names, and that is not among the views, the names of files
// that can be made later. It is nil if all of it is ours.
func Foreign(root *os.Root, e *Entry, views []string) error {
	if e.Err != nil {
		return fmt.Errorf("its report does not read (%w)", e.Err)
	}
	list, err := entries(root, e.Path)
	if err != nil {
		return err
	}
	ours := append(known(), views...)
	for _, f := range e.Report.Files {
		ours = append(ours, f.Name)
	}
	for _, f := range list {
		switch {
		case !f.Type().IsRegular():
			return fmt.Errorf("%q in it is not a regular file", f.Name())
		case !slices.Contains(ours, f.Name()):
			return fmt.Errorf("%q in it is not of faultline", f.Name())
		}
	}
	return nil
}

// known lists the names that every artifact may have.
func known() []string {
	return []string{
		artifact.ReportFile, artifact.TextFile, artifact.TraceFile, artifact.ScheduleFile, artifact.MinimalFile,
		artifact.HistoryFile, artifact.TimelineFile, artifact.CausesFile, artifact.PageFile,
		artifact.ShrinkFile, artifact.DecidedFile,
	}
}

// Remove removes an artifact, and the directories above it, up to the root,
// that it leaves empty. The report goes last: what a failure leaves behind is
// still an artifact.
func Remove(root *os.Root, e *Entry, views []string) error {
	if err := Foreign(root, e, views); err != nil {
		return fmt.Errorf("%s stays: %w", filepath.Join(root.Name(), e.Path), err)
	}
	list, err := entries(root, e.Path)
	if err != nil {
		return err
	}
	for _, f := range list {
		if f.Name() != artifact.ReportFile {
			if err := root.Remove(filepath.Join(e.Path, f.Name())); err != nil {
				return err
			}
		}
	}
	if err := root.Remove(filepath.Join(e.Path, artifact.ReportFile)); err != nil {
		return err
	}
	for dir := e.Path; dir != "."; dir = filepath.Dir(dir) {
		if root.Remove(dir) != nil {
			break // it is in use, as it may
		}
	}
	return nil
}

func entries(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
