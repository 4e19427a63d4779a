package artifact

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Artifact is what is known of a run: read from a directory by [Read], or put
// together by [InMemory].
type Artifact struct {
	Dir        string              // where it was read from; empty in memory
	Report     *Report             // never nil
	Schedule   *fault.Schedule     // nil if there is none
	Operations []history.Operation // empty if there is no history

	names   names
	files   []File // of the directory
	records iter.Seq2[kernel.Record, error]
}

// MaxFile is the largest file that [Artifact.File] reads, in bytes.
const MaxFile = 256 << 20

// InMemory makes an artifact that is in no directory. s and records may be
// nil.
func InMemory(r *Report, s *fault.Schedule, ops []history.Operation, records iter.Seq[kernel.Record]) *Artifact {
	a := &Artifact{Report: r, Schedule: s, Operations: ops, files: r.Files}
	a.records = func(yield func(kernel.Record, error) bool) {
		if records == nil {
			return
		}
		for rec := range records {
			if !yield(rec, nil) {
				return
			}
		}
	}
	return a
}

// Read reads an artifact directory, all but the trace, which
// [Artifact.Records] reads when asked. Nothing in the directory is trusted:
// sizes are bounded, links are refused, and an error names the file, the line,
// the field and what to do.
func Read(dir string) (*Artifact, error) {
	recoverAt(dir)
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("artifact: %w; give the directory that holds %s", err, ReportFile)
	}
	defer root.Close()
	a := &Artifact{Dir: dir, names: whole}
	if err := a.read(root); err != nil {
		return nil, err
	}
	a.records = a.scan
	return a, nil
}

// Minimal reads the run of the smaller schedule that a directory may have.
func (a *Artifact) Minimal() (*Artifact, error) {
	if !a.lists(MinimalReportFile) {
		return nil, fmt.Errorf("%s: it has no shrunk run: %s is not in its list of files", a.path(ReportFile), MinimalReportFile)
	}
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("artifact: %w", err)
	}
	defer root.Close()
	b := &Artifact{Dir: a.Dir, names: minimal, files: a.files}
	if err := b.read(root); err != nil {
		return nil, err
	}
	b.records = b.scan
	return b, nil
}

func (a *Artifact) read(root *os.Root) error {
	data, err := readFile(root, a.names.report, MaxReport)
	if err != nil {
		return a.located(a.names.report, err)
	}
	if a.Report, err = ParseReport(data, a.path(a.names.report)); err != nil {
		return err
	}
	if a.names == whole {
		a.files = a.Report.Files
	}
	for _, f := range a.Report.Files {
		if err := checkFile(root, f.Name, math.MaxInt64); err != nil {
			return a.located(f.Name, err)
		}
	}
	if name := a.names.schedule; a.lists(name) {
		data, err := readFile(root, name, fault.MaxSchedule)
		if err != nil {
			return a.located(name, err)
		}
		if a.Schedule, err = fault.ParseSchedule(data, a.path(name)); err != nil {
			return err
		}
	}
	if a.lists(a.names.history) {
		return a.readHistory(root)
	}
	return nil
}

func (a *Artifact) readHistory(root *os.Root) error {
	name := a.names.history
	f, err := root.Open(name)
	if err != nil {
		return a.located(name, err)
	}
	defer f.Close()
	if a.Operations, err = history.Read(f, a.path(name)); err != nil {
		return err
	}
	return a.counted(name, uint64(len(a.Operations)))
}

// Records returns the trace in order; it is empty if there is none. A record
// is valid until the next one. An error is the last thing that comes.
func (a *Artifact) Records() iter.Seq2[kernel.Record, error] { return a.records }

func (a *Artifact) scan(yield func(kernel.Record, error) bool) {
	name := a.names.trace
	if !a.lists(name) {
		return
	}
	fail := func(err error) { yield(kernel.Record{}, err) }
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		fail(fmt.Errorf("artifact: %w", err))
		return
	}
	defer root.Close()
	if err := checkFile(root, name, MaxTrace); err != nil {
		fail(a.located(name, err))
		return
	}
	f, err := root.Open(name)
	if err != nil {
		fail(a.located(name, err))
		return
	}
	defer f.Close()
	n := uint64(0)
	for rec, err := range ScanTrace(f, a.path(name)) {
		if !yield(rec, err) || err != nil {
			return
		}
		n++
	}
	if err := a.counted(name, n); err != nil {
		fail(err)
	}
}

// File returns the content of a file that the report lists.
func (a *Artifact) File(name string) ([]byte, error) {
	if !a.lists(name) {
		return nil, fmt.Errorf("artifact: %s is not in the list of files of %s", name, a.path(ReportFile))
	}
	root, err := os.OpenRoot(a.Dir)
	if err != nil {
		return nil, fmt.Errorf("artifact: %w", err)
	}
	defer root.Close()
	data, err := readFile(root, name, MaxFile)
	if err != nil {
		return nil, a.located(name, err)
	}
	return data, nil
}

func (a *Artifact) path(name string) string { return filepath.Join(a.Dir, name) }

func (a *Artifact) entry(name string) (File, bool) {
	for _, f := range a.files {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

func (a *Artifact) lists(name string) bool {
	_, ok := a.entry(name)
	return ok
}

// counted checks the number of lines of a file that was read to its end.
func (a *Artifact) counted(name string, n uint64) error {
	f, _ := a.entry(name)
	if f.Lines == n {
		return nil
	}
	return fmt.Errorf("%s: it has %d lines after the header, but %s says %d; the file was truncated or changed, get it again in whole",
		a.path(name), n, ReportFile, f.Lines)
}

// located makes an error of reading a file name it and say what to do.
func (a *Artifact) located(name string, err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) && name == ReportFile:
		return fmt.Errorf("%s: the file is missing; give an artifact directory of faultline", a.path(name))
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: the file is missing, but %s lists it; get the directory again in whole", a.path(name), ReportFile)
	}
	return fmt.Errorf("%s: %w", a.path(name), err)
}

func kindOf(info fs.FileInfo) string {
	switch m := info.Mode(); {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a directory"
	case m.IsRegular():
		return "a file"
	}
	return "a special file"
}

// checkFile refuses everything but regular files of at most limit bytes, without
// following links.
func checkFile(root *os.Root, name string, limit int64) error {
	info, err := root.Lstat(name)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("it is %s; only regular files are read", kindOf(info))
	case info.Size() > limit:
		return tooLarge(limit)
	}
	return nil
}

func tooLarge(limit int64) error {
	return fmt.Errorf("it is larger than %d bytes, the most that is read; make it smaller", limit)
}

// readFile reads a regular file of at most limit bytes.
func readFile(root *os.Root, name string, limit int64) ([]byte, error) {
	if err := checkFile(root, name, limit); err != nil {
		return nil, err
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(f, limit+1))
	if err == nil && n > limit {
		err = tooLarge(limit) // it has grown
	}
	return b.Bytes(), err
}
