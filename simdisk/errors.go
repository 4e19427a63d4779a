package simdisk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// ErrStale is the error of an operation that belongs to an incarnation that
// has crashed: its handle is dead, or its node went down under it. It wraps
// [fs.ErrClosed]. Such operations change nothing and leave a record.
var ErrStale = fmt.Errorf("the incarnation that asked has crashed: %w", fs.ErrClosed)

// errKind is the error of a Submit that makes no sense.
var errKind = errors.New("no such kind of operation, or its handle is missing")

// outcomes are the words of the trace for errors. The texts of system errors
// differ between platforms, so they stay out of it.
var outcomes = [...]struct {
	err  error
	word string
	rare bool // the word is defined when it is used
}{
	{ErrStale, "stale", false},
	{fs.ErrNotExist, "not-exist", false},
	{fs.ErrExist, "exist", false},
	{fs.ErrInvalid, "invalid", false},
	{fs.ErrClosed, "closed", false},
	{syscall.ENOSPC, "no-space", false},
	{syscall.EIO, "io", false},
	{syscall.EISDIR, "is-dir", false},
	{syscall.ENOTDIR, "not-dir", false},
	{syscall.ENOTEMPTY, "not-empty", false},
	{syscall.EBADF, "bad-handle", false},
	{syscall.EFBIG, "too-big", false},
	{io.EOF, "eof", false},
	{syscall.EROFS, "read-only", true},
	{syscall.EWOULDBLOCK, "locked", true},
	{syscall.EPERM, "not-permitted", true},
	{errKind, "invalid", false},
}

// outcome returns the number of the word for an error of the core.
func outcome(err error) int {
	for i := range outcomes {
		if outcomes[i].err == err {
			return i
		}
	}
	return len(outcomes) - 1
}

// wrap makes an error of the core one that the os package could have given.
func wrap(op *Op, err error) error {
	switch {
	case err == nil || err == io.EOF:
		return err
	case op.Kind == Rename || op.Kind == Link:
		return &os.LinkError{Op: op.Kind.String(), Old: op.Path, New: op.To, Err: err}
	}
	return &fs.PathError{Op: op.Kind.String(), Path: op.Path, Err: err}
}
