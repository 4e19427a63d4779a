package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

const ms = time.Millisecond

// world is two machines with streams. Their programs are set by tests.
type world struct {
	t       *testing.T
	sim     *kernel.Sim
	net     *simnet.Network
	streams *stream.Streams
	nodes   map[string]*kernel.Node
	starts  map[string]func(n *kernel.Node, h *stream.Host)
}

func newWorld(t *testing.T, kc kernel.Config, link simnet.Link, cfg stream.Config) *world {
	t.Helper()
	w := &world{t: t, sim: kernel.New(kc), nodes: map[string]*kernel.Node{}, starts: map[string]func(*kernel.Node, *stream.Host){}}
	var err error
	if w.net, err = simnet.New(w.sim, simnet.Config{Link: link}); err != nil {
		t.Fatal(err)
	}
	if w.streams, err = stream.New(w.net, cfg); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b"} {
		w.nodes[name] = w.sim.AddNode(name, func(n *kernel.Node) kernel.Handler {
			if f := w.starts[name]; f != nil {
				n.Go("start", func(*kernel.Proc) { f(n, w.streams.Host(name)) })
			}
			return kernel.Idle{}
		})
		port, err := w.net.Attach(w.nodes[name])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.streams.Attach(port); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// on makes a program of a machine: each start runs f as a proc.
func (w *world) on(name string, f func(p *kernel.Proc, h *stream.Host)) {
	w.starts[name] = func(n *kernel.Node, h *stream.Host) { n.Go("main", func(p *kernel.Proc) { f(p, h) }) }
}

func (w *world) at(d time.Duration, f func()) { w.sim.At(kernel.Time(d), f) }

func (w *world) run(d time.Duration) {
	w.t.Helper()
	w.sim.RunFor(d)
	w.sim.Close()
	if w.sim.Err() != nil || w.sim.Failure() != nil {
		w.t.Fatal(w.sim.Err(), w.sim.Failure())
	}
}

// pattern returns n bytes that show what is missing, doubled or out of order.
func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8*7 ^ i>>16*13)
	}
	return b
}

// readAll reads until the end or an error.
func readAll(p *kernel.Proc, c *stream.Conn) ([]byte, error) {
	var got []byte
	buf := make([]byte, 3000)
	for {
		n, err := c.ReadWait(p, buf)
		got = append(got, buf[:n]...)
		if err == io.EOF {
			return got, nil
		}
		if err != nil {
			return got, err
		}
	}
}

// echo listens and sends back what it gets.
func echo(p *kernel.Proc, h *stream.Host) {
	l, err := h.Listen("echo", nil)
	if err != nil {
		return
	}
	for {
		c, err := l.AcceptWait(p)
		if err != nil {
			return
		}
		h2 := p.Node()
		h2.Go("echo", func(p *kernel.Proc) {
			buf := make([]byte, 700)
			for {
				n, err := c.ReadWait(p, buf)
				if _, werr := c.WriteWait(p, buf[:n]); werr != nil || err != nil {
					c.CloseWrite()
					return
				}
			}
		})
	}
}

// A connection over a good and over a dreadful link carries the same bytes.
func TestBytesArriveWholeAndInOrder(t *testing.T) {
	bad := simnet.Lossy()
	bad.Loss, bad.Duplicate, bad.Late, bad.LateBy, bad.Corrupt = 100_000, 100_000, 50_000, 3*time.Second, 50_000
	for name, link := range map[string]simnet.Link{"default": {}, "lan": simnet.LAN(), "bad": bad, "narrow": {Bandwidth: 500_000, Queue: 5000}} {
		w := newWorld(t, kernel.Config{Seed: 3}, link, stream.Config{Buffer: 8000, Segment: 900})
		w.on("b", echo)
		sent := pattern(60_000)
		var got []byte
		var err error
		w.on("a", func(p *kernel.Proc, h *stream.Host) {
			p.Sleep(ms)
			var c *stream.Conn
			if c, err = h.DialWait(p, "b", "echo"); err != nil {
				return
			}
			p.Node().Go("write", func(p *kernel.Proc) {
				if _, err := c.WriteWait(p, sent); err != nil {
					t.Error(name, "write:", err)
				}
				c.CloseWrite()
			})
			got, err = readAll(p, c)
			if c.Local() != "a" || c.Remote() != "b" || c.Service() != "echo" {
				t.Errorf("%s dials %s of %s", c.Local(), c.Service(), c.Remote())
			}
			c.Close()
		})
		w.run(10 * time.Minute)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("%s: %d of %d bytes came back, equal %v, error %v", name, len(got), len(sent), bytes.Equal(got, sent), err)
		}
		for _, h := range []string{"a", "b"} {
			if n := len(w.streams.Host(h).Conns()); n != 0 {
				t.Errorf("%s: %d connections are left on %s", name, n, h)
			}
		}
	}
}

func TestRefusedHungAndTimedOut(t *testing.T) {
	for _, row := range []struct {
		name  string
		setup func(w *world)
		want  error
		slow  bool // not before the timeout
	}{
		{"nobody listens", func(w *world) {}, stream.Refused, false},
		{"the process is dead", func(w *world) { w.at(5*ms, w.nodes["b"].Kill) }, stream.Refused, false},
		{"no power", func(w *world) { w.at(5*ms, w.nodes["b"].PowerLoss) }, stream.Timeout, true},
		{"cut", func(w *world) { w.at(5*ms, func() { w.net.Isolate("b") }) }, stream.Timeout, true},
		{"refuse", func(w *world) {
			w.on("b", echo)
			w.at(5*ms, func() { w.streams.Host("b").Begin(stream.Refusing) })
		}, stream.Refused, false},
		{"hang", func(w *world) {
			w.on("b", echo)
			w.at(5*ms, func() { w.streams.Host("b").Begin(stream.Hanging) })
		}, stream.Timeout, true},
		{"paused", func(w *world) { w.on("b", echo); w.at(5*ms, w.nodes["b"].Pause) }, stream.Timeout, true},
		{"cut for a while", func(w *world) {
			w.on("b", echo)
			w.at(5*ms, func() { e, _ := w.net.Isolate("b"); w.at(3*time.Second, e.Undo) })
		}, nil, false},
	} {
		w := newWorld(t, kernel.Config{}, simnet.Link{}, stream.Config{Timeout: 10 * time.Second})
		row.setup(w)
		var err error
		var took time.Duration
		w.on("a", func(p *kernel.Proc, h *stream.Host) {
			p.Sleep(20 * ms)
			_, err = h.DialWait(p, "b", "echo")
			took = w.sim.Now().Sub(0) - 20*ms
		})
		w.run(time.Minute)
		if err != row.want || row.slow != (took >= 10*time.Second) {
			t.Errorf("%s: %v after %v, want %v", row.name, err, took, row.want)
		}
	}
}

func TestErrorsAreTheSystems(t *testing.T) {
	for e, want := range map[error]error{stream.Refused: syscall.ECONNREFUSED, stream.Reset: syscall.ECONNRESET, stream.Timeout: syscall.ETIMEDOUT,
		stream.Closed: syscall.EPIPE, stream.WouldBlock: syscall.EAGAIN, stream.InUse: syscall.EADDRINUSE} {
		if !errors.Is(fmt.Errorf("wrapped: %w", e), want) || errors.Is(e, syscall.EIO) {
			t.Errorf("%v is not %v", e, want)
		}
	}
}

// pair connects a to b and runs f with both ends, as procs of their machines.
func pair(t *testing.T, cfg stream.Config, left, right func(w *world, p *kernel.Proc, c *stream.Conn)) *world {
	t.Helper()
	w := newWorld(t, kernel.Config{Seed: 1, Level: kernel.LevelFull}, simnet.Link{}, cfg)
	w.on("b", func(p *kernel.Proc, h *stream.Host) {
		if h.Conns() != nil || p.Node().Boot() > 1 {
			return
		}
		l, _ := h.Listen("x", nil)
		if c, err := l.AcceptWait(p); err == nil {
			right(w, p, c)
		}
	})
	w.on("a", func(p *kernel.Proc, h *stream.Host) {
		if p.Node().Boot() > 1 {
			return
		}
		p.Sleep(10 * ms)
		c, err := h.DialWait(p, "b", "x")
		if err != nil {
			t.Error(err)
			return
		}
		left(w, p, c)
	})
	return w
}

func TestHalfClose(t *testing.T) {
	var answer, question []byte
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		c.WriteWait(p, []byte("question"))
		c.CloseWrite()
		if _, err := c.Write([]byte("more")); err != stream.Closed {
			t.Errorf("a write behind the end: %v", err)
		}
		answer, _ = readAll(p, c)
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		question, _ = readAll(p, c)
		p.Sleep(time.Second)
		c.WriteWait(p, []byte("answer"))
		c.Close()
	})
	w.run(time.Minute)
	if string(question) != "question" || string(answer) != "answer" {
		t.Errorf("%q, %q", question, answer)
	}
}

// A reader that does not read stops the writer, and nothing is lost when it
// goes on, long after.
func TestBackPressure(t *testing.T) {
	sent := pattern(50_000)
	full := 0
	var got []byte
	w := pair(t, stream.Config{Buffer: 5000, Timeout: time.Minute}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		for {
			n, err := c.Write(sent[full:])
			full += n
			if err == stream.WouldBlock {
				if p.Sleep(10 * ms); w0(p) > 20*time.Second {
					break
				}
			}
		}
		if _, err := c.WriteWait(p, sent[full:]); err != nil {
			t.Error(err)
		}
		c.Close()
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		p.Sleep(40 * time.Second)
		got, _ = readAll(p, c)
	})
	w.run(10 * time.Minute)
	if full != 10_000 || !bytes.Equal(got, sent) {
		t.Errorf("the writer was stopped after %d bytes; %d arrived", full, len(got))
	}
}

func w0(p *kernel.Proc) time.Duration { return p.Sim().Now().Sub(0) }

// What each end sees when the other ends in all the ways there are.
func TestEnds(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(w *world, c *stream.Conn) // b's, at 1 s
		want error                          // that a reads
		got  string                         // what a reads before
	}{
		{"close", func(_ *world, c *stream.Conn) { c.Write([]byte("bye")); c.Close() }, nil, "bye"},
		{"reset", func(_ *world, c *stream.Conn) { c.Reset() }, stream.Reset, ""},
		{"killed", func(w *world, c *stream.Conn) { c.Write([]byte("last words")); w.nodes["b"].Kill() }, nil, "last words"},
		{"reset by a fault", func(w *world, _ *stream.Conn) { w.streams.Host("b").ResetAll() }, stream.Reset, ""},
		{"power loss", func(w *world, _ *stream.Conn) { w.nodes["b"].PowerLoss() }, stream.Timeout, ""},
		{"power loss and restart", func(w *world, _ *stream.Conn) { w.nodes["b"].PowerLoss(); w.nodes["b"].Start() }, stream.Reset, ""},
		{"forgotten", func(w *world, _ *stream.Conn) { w.streams.Host("b").Forget() }, stream.Reset, ""},
	} {
		var got []byte
		var err error
		w := pair(t, stream.Config{Timeout: 20 * time.Second}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
			p.Node().Go("writer", func(p *kernel.Proc) { // half-open ends are met by writing
				p.Sleep(3 * time.Second)
				c.WriteWait(p, []byte("x"))
			})
			got, err = readAll(p, c)
		}, func(w *world, p *kernel.Proc, c *stream.Conn) {
			p.Sleep(time.Second)
			row.end(w, c)
			p.Sleep(time.Minute)
		})
		w.run(2 * time.Minute)
		if err != row.want || string(got) != row.got {
			t.Errorf("%s: a read %q and then %v, want %q and %v", row.name, got, err, row.got, row.want)
		}
	}
}

// A process that is killed with unread bytes resets its connection.
func TestKilledWithUnreadBytes(t *testing.T) {
	var err error
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		c.WriteWait(p, []byte("never read"))
		_, err = readAll(p, c)
	}, func(w *world, p *kernel.Proc, c *stream.Conn) {
		p.Sleep(time.Second)
		w.nodes["b"].Kill()
	})
	w.run(time.Minute)
	if err != stream.Reset {
		t.Errorf("a sees %v", err)
	}
}

func TestCallbacks(t *testing.T) {
	w := newWorld(t, kernel.Config{Seed: 2}, simnet.Link{}, stream.Config{Buffer: 2000})
	var got []byte
	w.starts["b"] = func(_ *kernel.Node, h *stream.Host) {
		_, err := h.Listen("x", func(c *stream.Conn) {
			c.OnReady(func() {
				buf := make([]byte, 500)
				for {
					n, err := c.Read(buf)
					got = append(got, buf[:n]...)
					if err != nil {
						if err == io.EOF {
							c.Close()
						}
						return
					}
				}
			})
		})
		if err != nil {
			t.Error(err)
		}
		if _, err := h.Listen("x", nil); err != stream.InUse {
			t.Errorf("a second listener: %v", err)
		}
	}
	sent := pattern(20_000)
	w.starts["a"] = func(n *kernel.Node, h *stream.Host) {
		n.AfterFunc(10*ms, func() {
			h.Dial("b", "x", func(c *stream.Conn, err error) {
				if err != nil {
					t.Error(err)
					return
				}
				left := sent
				c.OnReady(func() {
					for len(left) > 0 {
						n, err := c.Write(left)
						left = left[n:]
						if err != nil {
							return
						}
					}
					c.CloseWrite()
				})
			})
		})
		if err := h.Dial("c", "x", nil); err == nil {
			t.Error("dialed a machine that is not there")
		}
	}
	w.run(time.Minute)
	if !bytes.Equal(got, sent) {
		t.Errorf("%d of %d bytes", len(got), len(sent))
	}
}

func TestShortReadsAndWrites(t *testing.T) {
	sent := pattern(3000)
	var got []byte
	small, e := 0, (*stream.Effect)(nil)
	w := pair(t, stream.Config{}, func(w *world, p *kernel.Proc, c *stream.Conn) {
		e = w.streams.Host("a").Begin(stream.Short)
		w.streams.Host("b").Begin(stream.Short)
		n, _ := c.Write(sent)
		if m, _ := c.WriteWait(p, sent[n:]); n+m != len(sent) {
			t.Error("not all was written")
		}
		if n < len(sent) {
			small++
		}
		c.Close()
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) { got, _ = readAll(p, c) })
	w.run(time.Minute)
	if !bytes.Equal(got, sent) || small == 0 || e.Met() == 0 {
		t.Errorf("%d bytes, short %d, met %d", len(got), small, e.Met())
	}
}

func TestBacklogIsBounded(t *testing.T) {
	w := newWorld(t, kernel.Config{}, simnet.Link{}, stream.Config{Backlog: 3, Timeout: 5 * time.Second})
	w.on("b", func(p *kernel.Proc, h *stream.Host) { h.Listen("x", nil); p.Sleep(time.Hour) })
	ok, timeouts := 0, 0
	w.on("a", func(p *kernel.Proc, h *stream.Host) {
		p.Sleep(10 * ms)
		for range 5 {
			p.Sleep(100 * ms)
			h.Dial("b", "x", func(_ *stream.Conn, err error) {
				if err == nil {
					ok++
				} else if err == stream.Timeout {
					timeouts++
				}
			})
		}
		p.Sleep(time.Hour)
	})
	w.run(time.Minute)
	if ok != 3 || timeouts != 2 {
		t.Errorf("%d connections, %d timeouts", ok, timeouts)
	}
}

// Copies of the segments of a connection that arrive after both ends have
// restarted open no connection, and carry no bytes.
func TestLateSegmentsReachNobody(t *testing.T) {
	first := 0
	for seed := range uint64(30) {
		w := newWorld(t, kernel.Config{Seed: seed}, simnet.Link{Late: 1_000_000, LateBy: 3 * time.Second}, stream.Config{})
		w.on("b", func(p *kernel.Proc, h *stream.Host) {
			l, _ := h.Listen("x", nil)
			for {
				if _, err := l.AcceptWait(p); err != nil {
					return
				}
				if first++; p.Node().Boot() > 1 {
					t.Fatalf("seed %d: a connection of an earlier incarnation was accepted", seed)
				}
			}
		})
		w.on("a", func(p *kernel.Proc, h *stream.Host) {
			if p.Sleep(10 * ms); p.Node().Boot() == 1 {
				c, _ := h.DialWait(p, "b", "x")
				c.WriteWait(p, []byte("hello"))
				p.Sleep(time.Hour)
			}
		})
		w.at(500*ms, func() {
			for _, n := range []*kernel.Node{w.nodes["a"], w.nodes["b"]} {
				n.PowerLoss()
				n.Start()
			}
		})
		w.run(20 * time.Second)
	}
	if first != 30 {
		t.Errorf("%d connections were accepted in 30 runs", first)
	}
}
