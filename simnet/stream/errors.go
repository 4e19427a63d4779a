package stream

import (
	"io/fs"
	"os"
	"syscall"
)

// Error returns what happened in words.
func (e Error) Error() string {
	if e < Refused || e > DeadlineExceeded {
		return "stream: unknown error"
	}
	return "stream: " + [...]string{"connection refused", "connection reset by peer", "connection timed out", "use of closed connection", "would block", "service already in use", "deadline exceeded"}[e-1]
}

// Is reports whether target is the system's error for the same thing.
func (e Error) Is(target error) bool {
	switch e {
	case Refused:
		return target == syscall.ECONNREFUSED
	case Reset:
		return target == syscall.ECONNRESET
	case Timeout:
		return target == syscall.ETIMEDOUT
	case Closed:
		return target == syscall.EPIPE || target == fs.ErrClosed
	case WouldBlock:
		return target == syscall.EAGAIN
	case InUse:
		return target == syscall.EADDRINUSE
	case DeadlineExceeded:
		return target == os.ErrDeadlineExceeded
	}
	return false
}

// Timeout reports whether it took too long: for the connection, which has failed,
// or for the program, whose deadline has passed. With it and Temporary an Error is a
// net.Error.
func (e Error) Timeout() bool { return e == Timeout || e == DeadlineExceeded }

// Temporary reports whether the connection can be used after it: what is late may
// still come.
func (e Error) Temporary() bool { return e == WouldBlock || e == DeadlineExceeded }
