package simdisk

import (
	"bytes"
	"io/fs"
	"path"
	"strings"
)

// Range is a part of a file.
type Range struct {
	Path string // where the file is now
	Off  int64  // offset in bytes
	Len  int64  // length in bytes
}

// Stats counts what happened on a volume since the start of the run.
type Stats struct {
	Ops          uint64 // operations asked for
	Reads        uint64 // reads that did not fail
	Writes       uint64 // writes and appends that did not fail, short ones among them
	Syncs        uint64 // syncs of files and directories that were completed, failed ones among them
	BytesRead    uint64 // by reads
	BytesWritten uint64 // by writes
	Failures     uint64 // operations that returned an error
	Inert        uint64 // operations of incarnations that had crashed
	Crashes      uint64 // power losses
	Kept         uint64 // pending operations that a power loss left
	Lost         uint64 // pending operations that a power loss took
	Torn         uint64 // pending writes of which a power loss left a part
}

// Stats returns the counters of the volume.
func (v *Volume) Stats() Stats { return v.d.stats }

// Used returns how many bytes the files take, see [Config] for what counts.
func (v *Volume) Used() int64 { return v.d.used }

// Pending returns how many operations a power loss would decide about.
func (v *Volume) Pending() int { return len(v.d.pendingOrder()) }

// PendingNames returns how many of these are changes of directories, such as a
// new or another name of a file, for which [Volume.SyncDir] has to be called.
func (v *Volume) PendingNames() int { return len(v.d.names) }

// Indeterminate returns the ranges of files whose sync failed, or lied, and that no
// sync has written since: whether they are on the device is not for the program
// to know. The list is sorted by path.
func (v *Volume) Indeterminate() []Range {
	var out []Range
	v.d.eachFile(func(x *inode) {
		for _, s := range x.doubt {
			out = append(out, Range{x.path(), s.off, s.n})
		}
	})
	return out
}

// Injected returns the bytes that [Volume.Damage] or a write that went astray has
// damaged and that were not written since, sorted by path, so that a check can
// tell an injected loss from a bug. Files that were removed, and that a power
// loss would bring back, come after the others, with the names that they have on
// the device.
func (v *Volume) Injected() []Range {
	var out []Range
	v.d.eachFile(func(x *inode) {
		for _, r := range x.rot {
			if r.off < int64(len(x.disk)) {
				out = append(out, Range{x.path(), r.off, 1})
			}
		}
		for _, s := range x.cuts {
			out = append(out, Range{x.path(), s.off, s.n})
		}
	})
	v.d.root.eachGone("", func(name string, x *inode) {
		for _, r := range x.rot {
			if r.off < int64(len(x.disk)) {
				out = append(out, Range{name, r.off, 1})
			}
		}
		for _, s := range x.cuts {
			out = append(out, Range{name, s.off, s.n})
		}
	})
	return out
}

// eachGone calls f for every file that only the device has a name for, sorted
// by path.
func (x *inode) eachGone(dir string, f func(name string, x *inode)) {
	for _, name := range sortedNames(x.dur) {
		switch c := x.dur[name]; {
		case c.isDir():
			c.eachGone(dir+name+"/", f)
		case c.links == 0:
			f(dir+name, c)
		}
	}
}

// eachFile calls f for every file that has a name, sorted by path.
func (d *disk) eachFile(f func(*inode)) { d.root.each(f) }

func (x *inode) each(f func(*inode)) {
	for _, name := range sortedNames(x.cur) {
		switch c := x.cur[name]; {
		case c.isDir():
			c.each(f)
		case c.parent == x && c.name == name: // not by another of its names
			f(c)
		}
	}
}

// FS returns the volume as an [fs.FS] for library code that reads. It reads on
// the same front as v, and faults of reads apply.
func (v *Volume) FS() fs.FS { return reader{v} }

// reader implements fs.ReadDirFS, fs.ReadFileFS and fs.StatFS.
type reader struct{ v *Volume }

func (r reader) Open(name string) (fs.File, error) {
	f, err := r.v.Open(name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r reader) ReadDir(name string) ([]fs.DirEntry, error) { return r.v.ReadDir(name) }
func (r reader) ReadFile(name string) ([]byte, error)       { return r.v.ReadFile(name) }
func (r reader) Stat(name string) (fs.FileInfo, error)      { return r.v.Stat(name) }

// Durable returns what is on the device as an [fs.FS]: exactly what a power
// loss that loses all leaves. It is for checks: it costs no time, no fault
// applies, and nothing is recorded. An open file shows the content that was
// durable when it was opened.
func (v *Volume) Durable() fs.FS { return image{v.d} }

type image struct{ d *disk }

func (m image) Open(name string) (fs.File, error) {
	x, err := m.find(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	s := &still{name: name}
	if !x.isDir() {
		b := x.onDisk()
		s.info = info{path.Base(name), int64(len(b)), false}
		s.Reader.Reset(b)
		return s, nil
	}
	s.info = info{path.Base(name), 0, true}
	for _, elem := range sortedNames(x.dur) {
		c := x.dur[elem]
		s.list = append(s.list, fs.FileInfoToDirEntry(info{elem, int64(len(c.disk)), c.isDir()}))
	}
	return stillDir{s}, nil
}

func (m image) find(name string) (*inode, error) {
	if !fs.ValidPath(name) {
		return nil, fs.ErrInvalid
	}
	x := m.d.root
	for rest := name; rest != "." && rest != ""; {
		var elem string
		elem, rest, _ = strings.Cut(rest, "/")
		if !x.isDir() {
			return nil, errNotDir
		}
		if x = x.dur[elem]; x == nil {
			return nil, fs.ErrNotExist
		}
	}
	return x, nil
}

// still is a file whose content does not change.
type still struct {
	bytes.Reader
	name string
	info info
	list []fs.DirEntry
}

func (s *still) Stat() (fs.FileInfo, error) { return s.info, nil }
func (s *still) Close() error               { return nil }

// stillDir is the same for a directory.
type stillDir struct{ s *still }

func (d stillDir) Stat() (fs.FileInfo, error)           { return d.s.info, nil }
func (d stillDir) Close() error                         { return nil }
func (d stillDir) ReadDir(n int) ([]fs.DirEntry, error) { return take(&d.s.list, n) }

func (d stillDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.s.name, Err: errIsDir}
}
