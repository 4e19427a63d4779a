package simdisk

import (
	"io"
	"io/fs"

	"github.com/hmdsefi/faultline/kernel"
)

// File is an open file or directory. It belongs to the incarnation of the node
// that opened it, and to the front that it was opened on: its operations are
// instant or block a proc as those of its [Volume] do. After a crash all its
// methods return [ErrStale].
type File struct {
	v      *Volume
	ino    *inode
	name   string
	key    uint64 // of the name
	sym    kernel.Sym
	epoch  uint64
	read   bool
	write  bool
	append bool
	closed bool
	shared bool // its lock can be shared
	pos    int64
	seen   uint64        // write-back errors of the file that were reported here
	list   []fs.DirEntry // what ReadDir has not returned yet
	listed bool
}

// Name returns the name that the file was opened by.
func (f *File) Name() string { return f.name }

// Read reads from the handle's position on; at the end of the file it returns
// 0 and io.EOF.
func (f *File) Read(p []byte) (int, error) {
	r := f.v.do(Op{Kind: Read, File: f, Off: f.pos, Data: p})
	f.pos += int64(r.N)
	if r.Err == io.EOF && (r.N > 0 || len(p) == 0) {
		return r.N, nil
	}
	return r.N, r.Err
}

// ReadAt reads from an offset; when that gives less than len(p) bytes, the
// error says why, and is io.EOF at the end of the file.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	r := f.v.do(Op{Kind: Read, File: f, Off: off, Data: p})
	return r.N, r.Err
}

// Write writes at the handle's position, or at the end of a file opened with
// O_APPEND. When the volume is full it writes what fits and returns
// syscall.ENOSPC.
func (f *File) Write(p []byte) (int, error) {
	if f.append {
		return f.Append(p)
	}
	n, err := f.WriteAt(p, f.pos)
	f.pos += int64(n)
	return n, err
}

// WriteAt writes at an offset; a gap between the end of the file and the
// offset reads as zeros. As with package os, a file opened with O_APPEND has no
// offsets to write at: the error is [fs.ErrInvalid] then.
func (f *File) WriteAt(p []byte, off int64) (int, error) {
	r := f.v.do(Op{Kind: Write, File: f, Off: off, Data: p})
	return r.N, r.Err
}

// Append writes at the end of the file, wherever the handle's position is.
func (f *File) Append(p []byte) (int, error) {
	r := f.v.do(Op{Kind: Append, File: f, Data: p})
	return r.N, r.Err
}

// Seek sets the position of the next Read or Write.
func (f *File) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		offset += int64(len(f.ino.data))
	default:
		offset = -1
	}
	if offset < 0 {
		return 0, &fs.PathError{Op: "seek", Path: f.name, Err: fs.ErrInvalid}
	}
	f.pos = offset
	return offset, nil
}

// Truncate sets the file's size. What is new reads as zeros.
func (f *File) Truncate(size int64) error {
	return f.v.do(Op{Kind: Truncate, File: f, Size: size}).Err
}

// Allocate makes the file at least size bytes long, with zeros, or returns
// syscall.ENOSPC and changes nothing.
func (f *File) Allocate(size int64) error {
	return f.v.do(Op{Kind: Allocate, File: f, Size: size}).Err
}

// Sync makes the file's data and size durable, not its name: that is
// [Volume.SyncDir]'s. What is written while it runs is not part of it. Of an open
// directory it makes the entries durable, as SyncDir does.
func (f *File) Sync() error { return f.v.do(Op{Kind: Sync, File: f}).Err }

// SyncThen starts a [File.Sync] and calls done when it is over, see
// [Volume.Submit].
func (f *File) SyncThen(done func(error)) {
	f.v.Submit(Op{Kind: Sync, File: f}, func(r Result) { done(r.Err) })
}

// AppendThen starts a [File.Append] and calls done when it is over, see
// [Volume.Submit]. Appends land in the order in which they were started.
func (f *File) AppendThen(p []byte, done func(n int, err error)) {
	f.v.Submit(Op{Kind: Append, File: f, Data: p}, func(r Result) { done(r.N, r.Err) })
}

// Close ends the handle. It makes nothing durable.
func (f *File) Close() error { return f.v.do(Op{Kind: Close, File: f}).Err }

// Stat describes the file. It takes no time.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := f.check(); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: f.name, Err: err}
	}
	return f.ino.info(f.name), nil
}

// ReadDir lists a directory as [fs.ReadDirFile] says. It takes no time.
func (f *File) ReadDir(n int) ([]fs.DirEntry, error) {
	err := f.check()
	if err == nil && !f.ino.isDir() {
		err = errNotDir
	}
	if err != nil {
		return nil, &fs.PathError{Op: "read-dir", Path: f.name, Err: err}
	}
	if !f.listed {
		f.list, f.listed = entries(f.ino.cur), true
	}
	return take(&f.list, n)
}

// take returns the next n entries of a list, or all when n is not positive.
func take(list *[]fs.DirEntry, n int) ([]fs.DirEntry, error) {
	out := *list
	if n > 0 {
		if len(out) == 0 {
			return nil, io.EOF
		}
		out = out[:min(n, len(out))]
	}
	*list = (*list)[len(out):]
	return out, nil
}

// check reports whether the handle can be used.
func (f *File) check() error {
	switch {
	case f.epoch != f.v.d.epoch || !f.v.alive():
		return ErrStale
	case f.closed:
		return fs.ErrClosed
	}
	return nil
}
