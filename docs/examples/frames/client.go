package frames

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/simnet/stream"
)

const patience = 300 * time.Millisecond // with a dial, and with a call

// Client calls the server, time and again.
type Client struct {
	Server   string                           // the node that it calls
	Wrong    func(format string, args ...any) // is told of an answer to another request
	Answered func()                           // is told of an answer
	GaveUp   func()                           // is told that a deadline has passed
}

// Run is the program of a client. It dials anew after every error: a connection on
// which a deadline has passed can still be read, but the next answer on it would be
// that of the call that was given up.
func (k *Client) Run(c *faultline.Client) {
	for id := 1; ; {
		conn, err := c.Streams().DialWaitTimeout(c.Proc, k.Server, "upper", patience)
		for ; err == nil; id++ {
			err = k.call(c, conn.In(c.Proc), Request{id, fmt.Sprintf("text %d of %s", id, c.Node().Name())})
			c.Sleep(20 * time.Millisecond)
		}
		if err == stream.DeadlineExceeded {
			k.GaveUp()
		}
		if conn != nil {
			conn.Reset()
		}
		c.Sleep(50 * time.Millisecond)
	}
}

// call makes one call.
func (k *Client) call(c *faultline.Client, conn stream.ProcConn, q Request) error {
	op := c.Invoke("upper", q.Text)
	op.Attempt(k.Server)
	a, err := ask(conn, q, c.Node().Now().Add(patience))
	if err != nil {
		op.Unknown(err.Error())
		return err
	}
	if a.ID != q.ID {
		k.Wrong("%s asked %d and got the answer to %d", c.Node().Name(), q.ID, a.ID)
	}
	op.OK(a.Text)
	k.Answered()
	return nil
}

// ask sends a request and reads the answer, by a deadline.
func ask(conn stream.ProcConn, q Request, by time.Time) (a Answer, err error) {
	if err = conn.SetDeadline(by); err != nil {
		return a, err
	}
	if err = WriteFrame(conn, q); err != nil {
		return a, err
	}
	frame, err := ReadFrame(conn)
	if err != nil {
		return a, err
	}
	return a, json.Unmarshal(frame, &a)
}
