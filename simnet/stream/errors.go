package stream

import (
	"io/fs"
	"syscall"
)

// Error returns what happened in words.
func (e Error) Error() string {
	if e < Refused || e > InUse {
		return "stream: unknown error"
	}
	return "stream: " + [...]string{"connection refused", "connection reset by peer", "connection timed out", "use of closed connection", "would block", "service already in use"}[e-1]
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
	}
	return false
}

// Timeout reports whether the other end has not answered in time.
func (e Error) Timeout() bool { return e == Timeout }
