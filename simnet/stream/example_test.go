package stream_test

import (
	"bufio"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// connect makes two machines, whose programs are given their hosts.
func connect(server, client func(p *kernel.Proc, h *stream.Host)) *kernel.Sim {
	sim := kernel.New(kernel.Config{Seed: 1})
	net, err := simnet.New(sim, simnet.Config{Link: simnet.Link{Latency: 10 * time.Millisecond}})
	if err != nil {
		panic(err)
	}
	streams, err := stream.New(net, stream.Config{})
	if err != nil {
		panic(err)
	}
	for _, m := range []struct {
		name    string
		program func(p *kernel.Proc, h *stream.Host)
	}{{"server", server}, {"client", client}} {
		node := sim.AddNode(m.name, kernel.Main(func(p *kernel.Proc) { m.program(p, streams.Host(m.name)) }))
		port, err := net.Attach(node)
		if err == nil {
			_, err = streams.Attach(port)
		}
		if err != nil {
			panic(err)
		}
	}
	return sim
}

// upper answers what it is sent, once for each connection.
func upper(p *kernel.Proc, h *stream.Host) {
	listener, err := h.Listen("upper", nil)
	for err == nil {
		var c *stream.Conn
		if c, err = listener.AcceptWait(p); err == nil {
			buf := make([]byte, 100)
			n, _ := c.ReadWait(p, buf)
			_, err = c.WriteWait(p, append([]byte("got "), buf[:n]...))
			c.Close()
		}
	}
}

// A proc dials, writes and reads, as with a connection of package net.
func ExampleConn() {
	connect(upper, func(p *kernel.Proc, h *stream.Host) {
		c, err := h.DialWait(p, "server", "upper")
		if err != nil {
			fmt.Println(err)
			return
		}
		_, err = c.WriteWait(p, []byte("hello"))
		buf := make([]byte, 100)
		n, _ := c.ReadWait(p, buf)
		fmt.Println(p.Sim().Now(), string(buf[:n]), err)
		_, err = c.ReadWait(p, buf)
		fmt.Println(err)
	}).RunFor(time.Minute)
	// Output:
	// 0.04s got hello <nil>
	// EOF
}

// A service that nobody listens for refuses the connection.
func ExampleHost() {
	connect(upper, func(p *kernel.Proc, h *stream.Host) {
		_, err := h.DialWait(p, "server", "lower")
		fmt.Println(p.Sim().Now(), err)
	}).RunFor(time.Minute)
	// Output:
	// 0.02s stream: connection refused
}

// A listener of state machines has a function that is called with each
// connection, in place of a proc that waits.
func ExampleListener() {
	greet := func(p *kernel.Proc, h *stream.Host) {
		_, err := h.Listen("greet", func(c *stream.Conn) {
			_, _ = c.Write([]byte("hello " + c.Remote()))
			c.Close()
		})
		if err != nil {
			fmt.Println(err)
		}
	}
	connect(greet, func(p *kernel.Proc, h *stream.Host) {
		c, err := h.DialWait(p, "server", "greet")
		if err != nil {
			fmt.Println(err)
			return
		}
		buf := make([]byte, 100)
		n, err := c.ReadWait(p, buf)
		fmt.Println(string(buf[:n]), err)
	}).RunFor(time.Minute)
	// Output:
	// hello client <nil>
}

// A proc reads whole lines, however they come, and gives up when none comes for a
// while. The connection can be used after that.
func ExampleProcConn() {
	slow := func(p *kernel.Proc, h *stream.Host) {
		l, err := h.Listen("lines", nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		c, err := l.AcceptWait(p)
		if err != nil {
			return
		}
		for _, piece := range []string{"fir", "st\nsec", "ond\n"} {
			_, err = fmt.Fprint(c.In(p), piece)
			p.Sleep(time.Second)
		}
	}
	connect(slow, func(p *kernel.Proc, h *stream.Host) {
		c, err := h.DialWait(p, "server", "lines")
		if err != nil {
			fmt.Println(err)
			return
		}
		lines := bufio.NewReader(c.In(p))
		for range 3 {
			_ = c.SetReadDeadline(p.Node().Now().Add(1500 * time.Millisecond))
			line, err := lines.ReadString('\n')
			fmt.Printf("%v %q %v\n", p.Sim().Now(), line, err)
		}
	}).RunFor(time.Minute)
	// Output:
	// 1.04s "first\n" <nil>
	// 2.04s "second\n" <nil>
	// 3.54s "" stream: deadline exceeded
}
