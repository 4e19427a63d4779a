package stream_test

import (
	"bytes"
	"io"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// tape is what one end wrote and what the other end read.
type tape struct{ wrote, read []byte }

// chaos is a run in which two machines dial each other all the time, under
// random faults. Every connection has a tape for each direction.
type chaos struct {
	*world
	q        kernel.Seq
	tapes    map[string]*tape // by the name of the dialer, the number and the direction
	accepted map[string]bool
	finished int
	moved    int
	late     int // reads that a deadline ended
	next     int
}

// talk writes random pieces and reads what comes, and notes both.
func (c *chaos) talk(p *kernel.Proc, conn *stream.Conn, out, in *tape) {
	more := c.q.Below(30)
	p.Node().Go("writer", func(p *kernel.Proc) {
		for range more {
			piece := make([]byte, 1+c.q.Below(2000))
			for i := range piece {
				piece[i] = byte(c.q.Next())
			}
			if !c.write(p, conn, out, piece) {
				return
			}
			p.Sleep(time.Duration(c.q.Below(uint64(50 * ms))))
		}
		conn.CloseWrite()
	})
	buf := make([]byte, 1+c.q.Below(3000))
	for {
		if c.q.Below(4) == 0 {
			conn.SetReadDeadline(p.Node().Now().Add(time.Duration(c.q.Below(uint64(20 * ms)))))
		}
		n, err := conn.ReadWait(p, buf)
		if err == stream.DeadlineExceeded {
			c.late++
			conn.SetReadDeadline(time.Time{})
			continue
		}
		in.read = append(in.read, buf[:n]...)
		c.moved += n
		if !bytes.HasPrefix(in.wrote, in.read) {
			c.t.Fatalf("seed %d, at %v: what %s read is no prefix of what %s wrote", c.sim.Seed(), c.sim.Now(), conn.Local(), conn.Remote())
		}
		if err == io.EOF {
			c.finished++
			if len(in.read) != len(in.wrote) {
				c.t.Fatalf("seed %d: %s read the end after %d of %d bytes", c.sim.Seed(), conn.Local(), len(in.read), len(in.wrote))
			}
		}
		if err != nil {
			return
		}
	}
}

// write writes all of a piece, and notes what was taken as it is.
func (c *chaos) write(p *kernel.Proc, conn *stream.Conn, out *tape, piece []byte) bool {
	for {
		n, err := conn.Write(piece)
		out.wrote = append(out.wrote, piece[:n]...)
		switch piece = piece[n:]; {
		case len(piece) == 0:
			return true
		case err == stream.WouldBlock:
			p.Sleep(time.Duration(c.q.Below(uint64(10 * ms))))
		case err != nil:
			return false
		}
	}
}

func (c *chaos) tape(key string) *tape {
	if c.tapes[key] == nil {
		c.tapes[key] = &tape{}
	}
	return c.tapes[key]
}

// program listens and dials for ever. The first bytes of a connection would do
// to name it, but a name of the service does not depend on the stream itself.
func (c *chaos) program(other string) func(p *kernel.Proc, h *stream.Host) {
	return func(p *kernel.Proc, h *stream.Host) {
		services := []string{"s0", "s1", "s2"}
		for _, s := range services {
			l, err := h.Listen(s, nil)
			if err != nil {
				c.t.Fatal(err)
			}
			p.Node().Go("accept", func(p *kernel.Proc) {
				for {
					conn, err := l.AcceptWait(p)
					if err != nil {
						return
					}
					p.Node().Go("serve", func(p *kernel.Proc) { c.serve(p, conn) })
				}
			})
		}
		for {
			p.Sleep(time.Duration(c.q.Below(uint64(300 * ms))))
			conn, err := h.DialWaitTimeout(p, other, services[c.q.Below(3)], time.Duration(c.q.Below(uint64(5*time.Second))))
			if err != nil {
				continue
			}
			c.next++
			key := string([]byte{byte(c.next >> 16), byte(c.next >> 8), byte(c.next)})
			p.Node().Go("client", func(p *kernel.Proc) {
				if !c.write(p, conn, c.tape(key+">"), []byte(key)) {
					return
				}
				c.talk(p, conn, c.tape(key+">"), c.tape(key+"<"))
				if c.q.Below(3) == 0 {
					conn.Reset()
				}
				conn.Close()
			})
		}
	}
}

// serve reads the key of a connection and talks; no key is served twice.
func (c *chaos) serve(p *kernel.Proc, conn *stream.Conn) {
	var key []byte
	for len(key) < 3 {
		buf := make([]byte, 3-len(key))
		n, err := conn.ReadWait(p, buf)
		key = append(key, buf[:n]...)
		if err != nil {
			return
		}
	}
	if c.accepted[string(key)] {
		c.t.Fatalf("seed %d: connection %v was accepted twice", c.sim.Seed(), key)
	}
	c.accepted[string(key)] = true
	in, out := c.tape(string(key)+">"), c.tape(string(key)+"<")
	in.read = append(in.read, key...)
	if !c.write(p, conn, out, key) {
		return
	}
	c.talk(p, conn, out, in)
	conn.Close()
}

// trouble begins a random fault, and ends it.
func (c *chaos) trouble() {
	names := []string{"a", "b"}
	n := c.nodes[names[c.q.Below(2)]]
	h := c.streams.Host(n.Name())
	lasts := time.Duration(c.q.Below(uint64(2 * time.Second)))
	end := func(f func()) { c.sim.After(lasts, f) }
	links := []simnet.Pair{simnet.Outbound(n.Name())}
	switch c.q.Below(13) {
	case 0:
		n.Kill()
		end(n.Start)
	case 1:
		n.PowerLoss()
		end(n.Start)
	case 2:
		n.Pause()
		end(n.Resume)
	case 3:
		end(c.net.Cut(links...).Undo)
	case 4:
		e, _ := c.net.Isolate(n.Name())
		end(e.Undo)
	case 5:
		end(c.net.Clog(links...).Undo)
	case 6:
		end(c.net.Degrade(links, simnet.Change{Loss: 300_000, Burst: 5}).Undo)
	case 7:
		end(c.net.Degrade(links, simnet.Change{Duplicate: 500_000, Late: 300_000, LateBy: 5 * time.Second}).Undo)
	case 8:
		end(c.net.Degrade(links, simnet.Change{Delay: 300_000, LongDelay: time.Second, Corrupt: 100_000, CorruptBits: 32}).Undo)
	case 9:
		end(c.net.Degrade(links, simnet.Change{Bandwidth: 20_000, Queue: 4000}).Undo)
	case 10:
		h.ResetAll()
	case 11:
		h.Forget()
	default:
		end(h.Begin(stream.Trouble(c.q.Below(3))).Undo)
	}
}

// Whatever happens, what is read is a prefix of what was written, an end is read
// only behind the last byte, and no connection reaches a second incarnation.
func TestNothingIsLostDoubledOrOutOfOrder(t *testing.T) {
	seeds := uint64(25)
	if testing.Short() {
		seeds = 10
	}
	finished, moved, late := 0, 0, 0
	for seed := range seeds {
		w := newWorld(t, kernel.Config{Seed: seed}, simnet.Link{}, stream.Config{Buffer: 3000, Segment: 500, Timeout: 10 * time.Second, Retransmit: 50 * ms})
		c := &chaos{world: w, q: kernel.Seq{Stream: kernel.NewStream(seed, "chaos")}, tapes: map[string]*tape{}, accepted: map[string]bool{}}
		w.on("a", c.program("b"))
		w.on("b", c.program("a"))
		for range 25 {
			w.at(time.Duration(c.q.Between(int64(10*ms), int64(15*time.Second))), c.trouble)
		}
		w.run(20 * time.Second)
		finished, moved, late = finished+c.finished, moved+c.moved, late+c.late
	}
	if finished < int(seeds)*10 || moved < int(seeds)*100_000 || late < int(seeds)*100 {
		t.Errorf("only %d directions were read to their end, %d bytes, and %d deadlines passed: the test shows little", finished, moved, late)
	}
}

// The same seed gives the same run.
func TestStreamsAreDeterministic(t *testing.T) {
	hash := func() [32]byte {
		w := newWorld(t, kernel.Config{Seed: 9}, simnet.Lossy(), stream.Config{})
		c := &chaos{world: w, q: kernel.Seq{Stream: kernel.NewStream(9, "chaos")}, tapes: map[string]*tape{}, accepted: map[string]bool{}}
		w.on("a", c.program("b"))
		w.on("b", c.program("a"))
		for i := range 10 {
			w.at(time.Duration(i+1)*300*ms, c.trouble)
		}
		w.run(5 * time.Second)
		return w.sim.Hash()
	}
	if hash() != hash() {
		t.Error("two runs of one seed differ")
	}
}
