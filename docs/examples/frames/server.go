package frames

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/hmdsefi/faultline/faultline"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// Request asks for a text in capitals.
type Request struct {
	ID   int    // from 1, for each client
	Text string // any
}

// Answer is the text in capitals, with the number of the request.
type Answer Request

// Server answers requests.
type Server struct {
	Read    func(r io.Reader) ([]byte, error) // reads a frame
	Garbled func(format string, args ...any)  // is told of bytes that are no request
}

// Start makes the program of a node.
func (s *Server) Start(n *faultline.Node) kernel.Handler {
	return kernel.Main(func(p *kernel.Proc) {
		l, err := n.Streams().Listen("upper", nil)
		for err == nil {
			var c *stream.Conn
			if c, err = l.AcceptWait(p); err == nil {
				n.Go("serve", func(p *kernel.Proc) { s.serve(c.In(p)) })
			}
		}
	})(n.Node)
}

// serve answers the requests of one connection until it ends.
func (s *Server) serve(c stream.ProcConn) {
	defer c.Close()
	for {
		frame, err := s.Read(c)
		if err != nil {
			return
		}
		var q Request
		if err := json.Unmarshal(frame, &q); err != nil {
			s.Garbled("%s reads %q from %s, which is no request: %v", c.Local(), frame, c.Remote(), err)
			return
		}
		if WriteFrame(c, Answer{q.ID, strings.ToUpper(q.Text)}) != nil {
			return
		}
	}
}
