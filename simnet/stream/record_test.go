package stream_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// story returns the records of connections, without their names.
func story(s *kernel.Sim) (list []string) {
	for r := range s.Records() {
		if what, ok := strings.CutPrefix(r.Kind, "stream/"); ok && what != "trouble" {
			text := r.Node + " " + what
			for _, a := range r.Attrs {
				if !slices.Contains([]string{"from", "to", "id", "service", "took"}, a.Key) {
					text += fmt.Sprintf(" %s=%s", a.Key, a.Value())
				}
			}
			list = append(list, text)
		}
	}
	return list
}

// Both ends of a connection tell how it began and how it ended, and what of its
// bytes nobody had read.
func TestRecords(t *testing.T) {
	five := func(p *kernel.Proc, c *stream.Conn) { c.WriteWait(p, []byte("bytes")) }
	for _, row := range []struct {
		name string
		end  func(w *world, p *kernel.Proc, a *stream.Conn) // at a, when b's end is open
		want []string
	}{
		{"both directions one by one", func(_ *world, _ *kernel.Proc, c *stream.Conn) { c.CloseWrite(); c.Close() },
			[]string{"a close-write", "a close unread=0 unacked=0 by=program"}},
		{"with bytes on their way", func(_ *world, p *kernel.Proc, c *stream.Conn) { five(p, c); c.Close() },
			[]string{"a close unread=0 unacked=5 by=program"}},
		{"a reset", func(_ *world, p *kernel.Proc, c *stream.Conn) { five(p, c); p.Sleep(time.Second); c.Reset() },
			[]string{"a reset unread=0 unacked=0 by=program", "b reset unread=5 unacked=0 by=peer"}},
		{"killed with unread bytes", func(w *world, p *kernel.Proc, c *stream.Conn) { five(p, c); p.Sleep(time.Second); w.nodes["b"].Kill() },
			[]string{"b reset unread=5 unacked=0 by=kill", "a reset unread=0 unacked=0 by=peer"}},
		{"killed", func(w *world, _ *kernel.Proc, _ *stream.Conn) { w.nodes["b"].Kill() },
			[]string{"b close unread=0 unacked=0 by=kill"}},
		{"power loss", func(w *world, _ *kernel.Proc, _ *stream.Conn) { w.nodes["b"].PowerLoss() },
			[]string{"b lost unread=0 unacked=0 by=power loss"}},
		{"forgotten", func(w *world, _ *kernel.Proc, _ *stream.Conn) { w.streams.Host("b").Forget() },
			[]string{"b lost unread=0 unacked=0 by=fault"}},
		{"a fault", func(w *world, _ *kernel.Proc, _ *stream.Conn) { w.streams.Host("b").ResetAll() },
			[]string{"b reset unread=0 unacked=0 by=fault", "a reset unread=0 unacked=0 by=peer"}},
		{"bytes for nobody", func(w *world, p *kernel.Proc, c *stream.Conn) {
			w.streams.Host("b").Conns()[0].Close()
			five(p, c)
		}, []string{"b close unread=0 unacked=0 by=program", "b reset unread=0 unacked=0 by=unwanted bytes", "a reset unread=0 unacked=5 by=peer"}},
		{"silence", func(w *world, p *kernel.Proc, c *stream.Conn) { w.net.Isolate("b"); five(p, c) },
			[]string{"a timeout unread=0 unacked=5"}},
		{"deadlines", func(_ *world, p *kernel.Proc, c *stream.Conn) {
			c.SetReadDeadline(p.Node().Now().Add(time.Second))
			c.SetWriteDeadline(p.Node().Now().Add(2 * time.Second))
		}, []string{"a deadline what=read", "a deadline what=write"}},
		{"power loss after the end", func(w *world, p *kernel.Proc, c *stream.Conn) {
			w.streams.Host("b").Conns()[0].Close()
			c.Close()
			p.Sleep(time.Second)
			w.nodes["b"].PowerLoss()
		}, []string{"b close unread=0 unacked=0 by=program", "a close unread=0 unacked=0 by=program"}},
		{"a short write", func(w *world, p *kernel.Proc, c *stream.Conn) {
			w.streams.Host("a").Begin(stream.Short)
			c.Write([]byte("bytes"))
		}, []string{"a short what=write moved=1 of=5"}},
	} {
		w := pair(t, stream.Config{Timeout: 5 * time.Second}, func(w *world, p *kernel.Proc, c *stream.Conn) {
			p.Sleep(100 * ms)
			row.end(w, p, c)
			p.Sleep(time.Hour)
		}, func(_ *world, p *kernel.Proc, _ *stream.Conn) { p.Sleep(time.Hour) })
		w.run(time.Minute)
		if got, want := story(w.sim), append([]string{"a open", "b accept"}, row.want...); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", row.name, got, want)
		}
		for r := range w.sim.Records() {
			if r.Kind == "stream/open" || r.Kind == "stream/accept" {
				from, _ := r.Get("from")
				to, _ := r.Get("to")
				service, _ := r.Get("service")
				if id, _ := r.Get("id"); from.Text != "a" || to.Text != "b" || service.Text != "x" || id.Num != 1 {
					t.Errorf("%s names the connection %v", r.Kind, r.Attrs)
				}
			}
		}
	}
}

// A dial that fails tells how.
func TestRecordsOfDials(t *testing.T) {
	w := newWorld(t, kernel.Config{Level: kernel.LevelFull}, simnet.Link{}, stream.Config{Timeout: 5 * time.Second})
	w.on("a", func(p *kernel.Proc, h *stream.Host) {
		h.DialWait(p, "b", "x")
		w.net.Isolate("b")
		h.DialWaitTimeout(p, "b", "x", time.Second)
		h.DialWait(p, "b", "x")
	})
	w.run(time.Minute)
	if got, want := story(w.sim), []string{"a refuse", "a deadline what=dial", "a timeout unread=0 unacked=0"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A function that takes connections has records of that too.
func TestRecordsOfAFunction(t *testing.T) {
	w := newWorld(t, kernel.Config{Level: kernel.LevelFull}, simnet.Link{}, stream.Config{})
	w.starts["b"] = func(_ *kernel.Node, h *stream.Host) { h.Listen("x", func(c *stream.Conn) { c.Reset() }) }
	w.on("a", func(p *kernel.Proc, h *stream.Host) {
		p.Sleep(10 * ms)
		h.DialWait(p, "b", "x")
		p.Sleep(time.Hour)
	})
	w.run(time.Minute)
	if got, want := story(w.sim), []string{"a open", "b accept", "b reset unread=0 unacked=0 by=program", "a reset unread=0 unacked=0 by=peer"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A connection that nobody takes before its listener closes is reset by that.
func TestRecordsOfAListener(t *testing.T) {
	w := newWorld(t, kernel.Config{Level: kernel.LevelFull}, simnet.Link{}, stream.Config{})
	w.on("b", func(p *kernel.Proc, h *stream.Host) {
		l, _ := h.Listen("x", nil)
		p.Sleep(time.Second)
		l.Close()
	})
	w.on("a", func(p *kernel.Proc, h *stream.Host) {
		p.Sleep(10 * ms)
		h.DialWait(p, "b", "x")
		p.Sleep(time.Hour)
	})
	w.run(time.Minute)
	if got, want := story(w.sim), []string{"a open", "b reset unread=0 unacked=0 by=listener", "a reset unread=0 unacked=0 by=peer"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
