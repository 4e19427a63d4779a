package stream

import (
	"io"

	"github.com/hmdsefi/faultline/kernel"
)

// ProcConn is a connection as a proc uses it: an [io.ReadWriteCloser] whose calls
// wait, so that bufio, encoding/binary, encoding/json and the like work on it. It has
// the rest of [Conn] too, deadlines among it. Make it with [Conn.In].
//
// A stream has no messages. A read returns what is there, which can end at any byte
// of what was written: within a number, within a line. Take [io.ReadFull], a
// [bufio.Reader] or a decoder to read a whole one. Their buffers hold bytes that
// they have read ahead, so use one of them for the whole connection.
type ProcConn struct {
	*Conn
	proc *kernel.Proc
}

var _ io.ReadWriteCloser = ProcConn{}

// In returns the connection for a proc, whose reads and writes wait. Several procs
// of the incarnation can each have their own, one that reads and one that writes.
func (c *Conn) In(p *kernel.Proc) ProcConn { return ProcConn{c, p} }

// Read is [Conn.ReadWait]; with no room in b it returns 0 at once.
func (c ProcConn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	return c.ReadWait(c.proc, b)
}

// Write is [Conn.WriteWait]: it writes all of b, or returns an error.
func (c ProcConn) Write(b []byte) (int, error) { return c.WriteWait(c.proc, b) }

// Close is [Conn.Close]. The error is nil always: what was written still arrives
// unless the connection fails later, which only an answer can tell.
func (c ProcConn) Close() error {
	c.Conn.Close()
	return nil
}
