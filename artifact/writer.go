package artifact

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
)

// Writer writes one artifact directory. Its files are written aside, and
// appear at their place all at once with [Writer.Commit], or not at all. The
// first error stays: later calls return it too, so that it is enough to look
// at that of Commit.
type Writer struct {
	root   *os.Root
	path   string // of root, for messages
	key    Key
	dir    string   // of the artifact, below root
	tmp    string   // written aside, below root
	made   []string // directories that were not there before
	report *Report
	files  []File
	views  []string // those of files that can be done without, in their order
	short  bool     // a view had to be left out
	err    error
	done   bool
	before func(step string) error // called before each step; tests make it fail
}

// Create starts an artifact of a run below the directory root, which is made
// if it does not exist. Symbolic links below root are refused, and so is a
// place that holds something else than an artifact of the same run.
func Create(root string, key Key) (*Writer, error) {
	return create(root, key, func(string) error { return nil })
}

func create(path string, key Key, before func(string) error) (*Writer, error) {
	w := &Writer{path: path, key: key, dir: key.Dir(), before: before}
	if err := w.open(); err != nil {
		w.Abort()
		return nil, fmt.Errorf("artifact: %w", err)
	}
	return w, nil
}

func (w *Writer) open() error {
	if w.path == "" {
		return errors.New("the root directory has no name; say where artifacts belong")
	}
	if err := w.step("root"); err != nil {
		return err
	}
	if err := os.MkdirAll(w.path, 0o755); err != nil {
		return fmt.Errorf("cannot make the root directory: %w; choose one that can be written", err)
	}
	root, err := os.OpenRoot(w.path)
	if err != nil {
		return err
	}
	w.root = root
	parent := filepath.Dir(w.dir)
	for _, dir := range []string{filepath.Dir(parent), parent} {
		if err := w.mkdir(dir); err != nil {
			return err
		}
	}
	_ = Recover(w.root, parent, time.Time{}) // what cannot be put right does not hinder this one
	if _, err := w.present(); err != nil {
		return err
	}
	if err := w.aside(parent); err != nil {
		return err
	}
	if info, err := w.root.Lstat(w.tmp); err == nil { // by the clock of the disk
		_ = Recover(w.root, parent, info.ModTime())
	}
	return nil
}

func (w *Writer) step(name string) error { return w.before(name) }

// mkdir makes a directory unless it is there, and refuses a link in its place.
func (w *Writer) mkdir(dir string) error {
	if err := w.step("mkdir"); err != nil {
		return err
	}
	switch err := w.root.Mkdir(dir, 0o755); {
	case err == nil:
		w.made = append(w.made, dir)
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	info, err := w.root.Lstat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is %s, not a directory; remove it or choose another root", w.abs(dir), kindOf(info))
	}
	return err
}

// aside makes the directory that is written to.
func (w *Writer) aside(parent string) error {
	if err := w.step("aside"); err != nil {
		return err
	}
	for n := range 1000 {
		tmp := filepath.Join(parent, "."+filepath.Base(w.dir)+".tmp"+strconv.Itoa(n))
		if _, err := w.root.Lstat(tmp + ".old"); err == nil {
			continue // another writer is about to replace an artifact
		}
		err := w.root.Mkdir(tmp, 0o755)
		if err == nil {
			w.tmp = tmp
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s is full of unfinished artifacts (.*.tmp*); remove them", w.abs(parent))
}

func (w *Writer) abs(dir string) string { return filepath.Join(w.path, dir) }

// write makes a file of the artifact from what fill writes, which returns how
// many lines that were, if it counts.
func (w *Writer) write(name string, fill func(io.Writer) (lines uint64, err error)) error {
	if err := w.ready(name); err != nil {
		return err
	}
	if err := w.put(name, fill); err != nil {
		return w.fail(err)
	}
	return nil
}

// ready refuses a file that is there, and any after an error or the end.
func (w *Writer) ready(name string) error {
	if w.err != nil || w.done {
		return w.fail(nil)
	}
	for _, f := range w.files {
		if strings.EqualFold(f.Name, name) {
			return w.fail(fmt.Errorf("%s is written twice", name))
		}
	}
	return nil
}

// put makes the file. Its error does not stay.
func (w *Writer) put(name string, fill func(io.Writer) (lines uint64, err error)) error {
	if err := w.step("create " + name); err != nil {
		return err
	}
	f, err := w.root.OpenFile(filepath.Join(w.tmp, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 64<<10)
	n, err := fill(b)
	err = errors.Join(err, b.Flush(), w.step("write "+name), f.Close())
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	w.files = append(w.files, File{Name: name, Lines: n})
	return nil
}

// fail keeps the first error, and makes one of a call that comes too late.
func (w *Writer) fail(err error) error {
	if w.err == nil && err == nil {
		err = errors.New("the writer was committed or aborted; create another one")
	}
	if w.err == nil {
		w.err = fmt.Errorf("artifact: %w", err)
	}
	return w.err
}

// Report sets report.json and report.txt, which Commit writes. r must not be
// changed until then. Test, Package and Seed must be those of the key.
func (w *Writer) Report(r *Report) error {
	if w.err != nil || w.done {
		return w.fail(nil)
	}
	if field, msg := r.wrong(); msg != "" {
		return w.fail(fmt.Errorf("report: field %s: %s", field, msg))
	}
	if got := (Key{r.Package, r.Test, uint64(r.Seed), r.Variant}); got != w.key {
		return w.fail(fmt.Errorf("the report is of %v, the artifact of %v; they must agree", got, w.key))
	}
	w.report = r
	return nil
}

// Trace writes trace.jsonl.
func (w *Writer) Trace(records iter.Seq[kernel.Record]) error { return w.trace(TraceFile, records) }

func (w *Writer) trace(name string, records iter.Seq[kernel.Record]) error {
	return w.write(name, func(out io.Writer) (n uint64, err error) {
		if _, err := fmt.Fprintf(out, "{\"format\":%q,\"version\":%d}\n", traceFormat, Version); err != nil {
			return 0, err
		}
		var line []byte
		for r := range records {
			line = append(AppendRecord(line[:0], &r), '\n')
			if _, err := out.Write(line); err != nil {
				return 0, err
			}
			n++
		}
		return n, nil
	})
}

// Schedule writes schedule.json.
func (w *Writer) Schedule(s *fault.Schedule) error { return w.schedule(ScheduleFile, s) }

// Minimal writes schedule.min.json, a smaller schedule with the same failure.
func (w *Writer) Minimal(s *fault.Schedule) error { return w.schedule(MinimalFile, s) }

// MinimalRun writes the run of that schedule: report.min.json, trace.min.jsonl and
// history.min.jsonl, which [Artifact.Minimal] reads.
func (w *Writer) MinimalRun(r *Report, records iter.Seq[kernel.Record], ops iter.Seq[*history.Operation]) error {
	data, err := r.Encode()
	if err != nil {
		return w.fail(fmt.Errorf("%s: %w", MinimalReportFile, err))
	}
	err = w.write(MinimalReportFile, func(out io.Writer) (uint64, error) {
		_, err := out.Write(data)
		return 0, err
	})
	return errors.Join(err, w.trace(MinimalTraceFile, records), w.history(MinimalHistoryFile, ops))
}

func (w *Writer) schedule(name string, s *fault.Schedule) error {
	return w.write(name, func(out io.Writer) (uint64, error) {
		_, err := out.Write(s.Encode())
		return 0, err
	})
}

// History writes history.jsonl.
func (w *Writer) History(ops iter.Seq[*history.Operation]) error { return w.history(HistoryFile, ops) }

func (w *Writer) history(name string, ops iter.Seq[*history.Operation]) error {
	return w.write(name, func(out io.Writer) (n uint64, err error) {
		err = history.Write(out, func(yield func(*history.Operation) bool) {
			for op := range ops {
				n++
				if !yield(op) {
					return
				}
			}
		})
		return n, err
	})
}

// View writes a file as [Writer.File] does, but one that the artifact can do
// without, because it is made of the others: if it cannot be written it is left
// out, and the error does not stay. After that Commit takes away other views too
// if the report needs their room.
func (w *Writer) View(name string, data []byte) error {
	err := w.free(name)
	if err == nil {
		err = w.ready(name)
	}
	if err != nil {
		return err
	}
	err = w.put(name, bytesOf(data))
	if err != nil {
		w.short = true
		w.remove(name) // what is there of it takes room
		return fmt.Errorf("artifact: %w", err)
	}
	w.views = append(w.views, name)
	return nil
}

// File writes a file of another name: a rendered timeline, or whatever a check
// adds. Names are plain: up to 100 letters, digits, '.', '-', '_' and ','.
func (w *Writer) File(name string, data []byte) error {
	if err := w.free(name); err != nil {
		return err
	}
	return w.write(name, bytesOf(data))
}

// remove takes a file back.
func (w *Writer) remove(name string) {
	_ = w.root.Remove(filepath.Join(w.tmp, name))
	w.files = slices.DeleteFunc(w.files, func(f File) bool { return f.Name == name })
}

// free refuses names that are not for File and View.
func (w *Writer) free(name string) error {
	if m := writerOf(name); m != "" {
		return w.fail(fmt.Errorf("file %s is written by Writer.%s; use another name", name, m))
	}
	if err := checkName(name); err != nil {
		return w.fail(fmt.Errorf("file: %w", err))
	}
	return nil
}

// bytesOf fills a file with data.
func bytesOf(data []byte) func(io.Writer) (uint64, error) {
	return func(out io.Writer) (uint64, error) {
		_, err := out.Write(data)
		return 0, err
	}
}
