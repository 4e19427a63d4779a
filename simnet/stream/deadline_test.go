package stream_test

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// A read whose deadline passes fails, at that time, and so do those after it, even
// if bytes have come; with another deadline they go on where they were.
func TestReadDeadline(t *testing.T) {
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		buf := make([]byte, 10)
		start := p.Sim().Now()
		c.SetReadDeadline(p.Node().Now().Add(300 * ms))
		n, err := c.ReadWait(p, buf)
		var late interface {
			Timeout() bool
			Temporary() bool
		}
		if n != 0 || err != stream.DeadlineExceeded || !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &late) || !late.Timeout() || !late.Temporary() {
			t.Errorf("the read returns %d, %v", n, err)
		}
		if took := p.Sim().Now().Sub(start); took != 300*ms {
			t.Errorf("the deadline passed after %v", took)
		}
		p.Sleep(time.Second) // the bytes come
		if n, err := c.Read(buf); n != 0 || err != stream.DeadlineExceeded || c.Err() != nil {
			t.Errorf("after the deadline there are %d bytes, %v; the connection: %v", n, err, c.Err())
		}
		if n, err := c.Write([]byte("still")); n != 5 || err != nil {
			t.Errorf("a write behind the deadline of reads: %d, %v", n, err)
		}
		c.SetReadDeadline(p.Node().Now().Add(time.Second))
		if n, err := c.ReadWait(p, buf); string(buf[:n]) != "late" || err != nil {
			t.Errorf("with a later deadline: %q, %v", buf[:n], err)
		}
		c.SetReadDeadline(time.Time{})
		if _, err := c.ReadWait(p, buf); err != io.EOF {
			t.Errorf("without a deadline: %v", err)
		}
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		p.Sleep(600 * ms)
		c.WriteWait(p, []byte("late"))
		c.ReadWait(p, make([]byte, 10))
		p.Sleep(5 * time.Second)
		c.Close()
	})
	w.run(time.Minute)
}

// A write that waits for room fails at its deadline, and says how much was taken;
// that, and no more, arrives.
func TestWriteDeadline(t *testing.T) {
	taken, got := 0, 0
	w := pair(t, stream.Config{Buffer: 1000}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		c.SetWriteDeadline(p.Node().Now().Add(300 * ms))
		var err error
		if taken, err = c.WriteWait(p, pattern(5000)); err != stream.DeadlineExceeded {
			t.Errorf("the write returns %d, %v", taken, err)
		}
		if _, err := c.Write([]byte("x")); err != stream.DeadlineExceeded {
			t.Errorf("the next write: %v", err)
		}
		c.Close()
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		p.Sleep(time.Second)
		b, _ := readAll(p, c)
		got = len(b)
	})
	w.run(time.Minute)
	if taken != 2000 || got != taken {
		t.Errorf("%d bytes were taken, %d arrived", taken, got)
	}
}

// A deadline that has passed when it is set ends a read that waits in another proc,
// and calls the function for readiness.
func TestDeadlineInThePast(t *testing.T) {
	var waiting error
	var ready []error
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		p.Node().Go("reader", func(p *kernel.Proc) { _, waiting = c.ReadWait(p, make([]byte, 1)) })
		p.Sleep(100 * ms)
		c.OnReady(func() {
			_, err := c.Read(make([]byte, 1))
			ready = append(ready, err)
		})
		p.Sleep(ms)
		c.SetDeadline(p.Node().Now().Add(200 * ms))
		c.SetDeadline(p.Node().Now())
		p.Sleep(time.Second)
		if waiting != stream.DeadlineExceeded {
			t.Errorf("the read that waits: %v", waiting)
		}
		if _, err := c.Write([]byte("x")); err != stream.DeadlineExceeded {
			t.Errorf("a write: %v", err)
		}
		c.Close()
		if err := c.SetDeadline(p.Node().Now()); err != stream.Closed {
			t.Errorf("a deadline of a closed connection: %v", err)
		}
	}, func(*world, *kernel.Proc, *stream.Conn) {})
	w.run(time.Minute)
	if len(ready) < 2 || ready[0] != stream.WouldBlock || ready[1] != stream.DeadlineExceeded {
		t.Errorf("the function for readiness saw %v", ready)
	}
	if s := story(w.sim); slices.Contains(s, "a deadline what=read") {
		t.Errorf("the deadline that was replaced passes too: %q", s)
	}
}

// A deadline that is taken back does nothing, before it has passed and after.
func TestNoDeadline(t *testing.T) {
	w := pair(t, stream.Config{}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		buf := make([]byte, 1)
		c.SetReadDeadline(p.Node().Now().Add(time.Second))
		c.SetReadDeadline(time.Time{})
		if _, err := c.ReadWait(p, buf); err != nil || p.Sim().Now() < kernel.Time(2*time.Second) {
			t.Errorf("taken back before it passed: %v at %v", err, p.Sim().Now())
		}
		c.SetReadDeadline(p.Node().Now().Add(time.Second))
		c.SetReadDeadline(p.Node().Now())
		c.SetReadDeadline(time.Time{})
		if _, err := c.ReadWait(p, buf); err != nil {
			t.Errorf("taken back after it passed: %v", err)
		}
	}, func(_ *world, p *kernel.Proc, c *stream.Conn) {
		for range 2 {
			p.Sleep(3 * time.Second)
			c.WriteWait(p, []byte{1})
		}
	})
	w.run(time.Minute)
	if got, want := story(w.sim), []string{"a open", "b accept"}; !slices.Equal(got, want) {
		t.Errorf("the records are %q", got)
	}
}

// A deadline runs on the clock of the node that set it: it waits with a paused node,
// and a step of the wall clock does not move it.
func TestDeadlineFollowsTheNode(t *testing.T) {
	for _, row := range []struct {
		name string
		do   func(n *kernel.Node)
		want time.Duration
	}{
		{"nothing", func(*kernel.Node) {}, 500 * ms},
		{"a pause", func(n *kernel.Node) { n.Pause(); n.Sim().After(2*time.Second, n.Resume) }, 2200 * ms},
		{"a step", func(n *kernel.Node) { n.StepClock(time.Hour) }, 500 * ms},
	} {
		var took time.Duration
		w := pair(t, stream.Config{}, func(w *world, p *kernel.Proc, c *stream.Conn) {
			start := p.Sim().Now()
			w.sim.After(200*ms, func() { row.do(p.Node()) })
			c.SetReadDeadline(p.Node().Now().Add(500 * ms))
			c.ReadWait(p, make([]byte, 1))
			took = p.Sim().Now().Sub(start)
		}, func(*world, *kernel.Proc, *stream.Conn) {})
		w.run(time.Minute)
		if took != row.want {
			t.Errorf("%s: the deadline passed after %v, want %v", row.name, took, row.want)
		}
	}
}

// Deadlines end with their incarnation, and with their connection: nothing fires
// later.
func TestDeadlinesEnd(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(w *world, c *stream.Conn)
		want error
	}{
		{"closed", func(_ *world, c *stream.Conn) { c.Close() }, stream.Closed},
		{"reset", func(_ *world, c *stream.Conn) { c.Reset() }, stream.Closed},
		{"reset by a fault", func(w *world, _ *stream.Conn) { w.streams.Host("a").ResetAll() }, stream.Reset},
		{"killed", func(w *world, _ *stream.Conn) { w.nodes["a"].Kill(); w.nodes["a"].Start() }, stream.Closed},
		{"power loss", func(w *world, _ *stream.Conn) { w.nodes["a"].PowerLoss(); w.nodes["a"].Start() }, stream.Closed},
	} {
		var conn *stream.Conn
		w := pair(t, stream.Config{}, func(w *world, p *kernel.Proc, c *stream.Conn) {
			conn = c
			c.SetDeadline(p.Node().Now().Add(5 * time.Second))
			c.ReadWait(p, make([]byte, 1))
			p.Sleep(time.Hour)
		}, func(_ *world, p *kernel.Proc, _ *stream.Conn) { p.Sleep(time.Hour) })
		w.at(time.Second, func() { row.end(w, conn) })
		var err, set error
		w.at(10*time.Second, func() {
			_, err = conn.Read(make([]byte, 1))
			set = conn.SetReadDeadline(w.nodes["a"].Now().Add(time.Second))
		})
		w.run(time.Minute)
		for r := range w.sim.Records() {
			if r.Kind == "stream/deadline" || r.Kind == "inert" {
				t.Errorf("%s: there is a record of %s at %v", row.name, r.Kind, r.Time)
			}
		}
		if err != row.want || set != row.want {
			t.Errorf("%s: a read later returns %v, a deadline %v, want %v", row.name, err, set, row.want)
		}
	}
}

// A dial without an answer fails when its time is over, and no connection is left
// at either end; one with an answer is not touched by it.
func TestDialTimeout(t *testing.T) {
	for _, row := range []struct {
		name  string
		setup func(w *world)
		limit time.Duration
		want  error
		took  time.Duration
	}{
		{"hang", func(w *world) { w.streams.Host("b").Begin(stream.Hanging) }, 300 * ms, stream.DeadlineExceeded, 300 * ms},
		{"cut", func(w *world) { w.net.Isolate("b") }, 300 * ms, stream.DeadlineExceeded, 300 * ms},
		{"no time at all", func(*world) {}, -ms, stream.DeadlineExceeded, 0},
		{"the answer is late", func(*world) {}, 15 * ms, stream.DeadlineExceeded, 15 * ms},
		{"refused", func(w *world) { w.streams.Host("b").Begin(stream.Refusing) }, 300 * ms, stream.Refused, 20 * ms},
		{"the transport gives up first", func(w *world) { w.net.Isolate("b") }, time.Hour, stream.Timeout, 6200 * ms},
		{"granted", func(*world) {}, 300 * ms, nil, 20 * ms},
	} {
		for _, calls := range []bool{false, true} {
			w := newWorld(t, kernel.Config{}, simnet.Link{Latency: 10 * ms}, stream.Config{Timeout: 5 * time.Second})
			w.on("b", echo)
			var errs []error
			var took time.Duration
			w.at(5*ms, func() { row.setup(w) })
			w.on("a", func(p *kernel.Proc, h *stream.Host) {
				p.Sleep(20 * ms)
				start := p.Sim().Now()
				note := func(c *stream.Conn, err error) {
					errs, took = append(errs, err), p.Sim().Now().Sub(start)
					if (c == nil) != (err != nil) {
						t.Errorf("%s: connection %v, error %v", row.name, c, err)
					}
				}
				if calls {
					h.DialTimeout("b", "echo", row.limit, note)
				} else {
					note(h.DialWaitTimeout(p, "b", "echo", row.limit))
				}
				p.Sleep(8 * time.Second)
				left := len(w.streams.Host("a").Conns()) + len(w.streams.Host("b").Conns())
				if (left == 2) != (row.want == nil) || left%2 != 0 {
					t.Errorf("%s: %d ends are left", row.name, left)
				}
			})
			w.run(time.Minute)
			if len(errs) != 1 || errs[0] != row.want || took != row.took {
				t.Errorf("%s, callback %v: %v after %v, want %v after %v", row.name, calls, errs, took, row.want, row.took)
			}
		}
	}
}

// Close ends a read that waits in another proc, at once, whatever the other end does.
func TestCloseEndsAReadThatWaits(t *testing.T) {
	err := io.ErrUnexpectedEOF
	w := pair(t, stream.Config{}, func(w *world, p *kernel.Proc, c *stream.Conn) {
		p.Node().Go("reader", func(p *kernel.Proc) { _, err = c.ReadWait(p, make([]byte, 1)) })
		p.Sleep(100 * ms)
		w.net.Isolate("b")
		c.Close()
		if p.Sleep(ms); err != stream.Closed {
			t.Errorf("just after it was closed the read has returned %v", err)
		}
	}, func(_ *world, p *kernel.Proc, _ *stream.Conn) { p.Sleep(time.Hour) })
	w.run(time.Minute)
}
