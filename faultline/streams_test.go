package faultline

import (
	"io"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// A world with streams: a client asks a server over a connection, under the
// faults of connections, and another version of the server and a spare one come
// in at run time.
func TestWorldWithStreams(t *testing.T) {
	total, spare, second := 0, false, false
	serve := func(n *Node, word string) kernel.Handler {
		_, err := n.Streams().Listen("ask", func(c *stream.Conn) {
			c.Write([]byte(word))
			c.Close()
		})
		if err != nil {
			t.Error(err)
		}
		return kernel.Idle{}
	}
	Run(t, Options{Seeds: 3, Duration: 8 * time.Second}, func(w *World) {
		answers := 0
		server := w.Server("s1", func(n *Node) kernel.Handler { return serve(n, "one") })
		w.Streams(stream.Config{Timeout: time.Second})
		w.Version("v2", func(n *Node) kernel.Handler { return serve(n, "two") }, server)
		w.Spare("s2", func(n *Node) kernel.Handler { spare = true; return serve(n, "spare") })
		w.State("asked often", func() bool { return answers > 5 })
		w.Faults(fault.Streams())
		w.Script(
			fault.Fault{Kind: fault.Join, At: time.Second, Target: fault.Target{Group: "spares"}},
			fault.Fault{Kind: fault.Upgrade, When: fault.Trigger{State: "asked often"}, Target: fault.Target{Group: "servers"}, Profile: "v2"},
		)
		w.Client("c1", func(c *Client) {
			for {
				c.Sleep(100 * time.Millisecond)
				conn, err := c.Streams().DialWait(c.Proc, "s1", "ask")
				if err != nil {
					continue
				}
				word, err := io.ReadAll(reader{c, conn})
				if err == nil {
					answers++
					total++
					second = second || string(word) == "two"
				}
				conn.Close()
			}
		})
	})
	if total < 50 || !spare || !second {
		t.Errorf("%d answers, the spare server came: %v, the second version answered: %v", total, spare, second)
	}
}

// reader reads a connection for a client.
type reader struct {
	c    *Client
	conn *stream.Conn
}

func (r reader) Read(b []byte) (int, error) { return r.conn.ReadWait(r.c.Proc, b) }
