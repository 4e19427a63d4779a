package stream

import (
	"errors"
	"fmt"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simnet"
)

// Config says how connections behave. The zero value is usable.
type Config struct {
	// Segment is how many bytes one message carries at most; 0 is 1,400.
	Segment int
	// Buffer is how many bytes each end holds for its reader, and for its
	// writer; 0 is 65,536. A writer that is ahead by both must wait.
	Buffer int
	// Retransmit is after how long without an answer a segment is sent again; it
	// doubles each time, up to 16 times as much. 0 is 200 ms.
	Retransmit time.Duration
	// Timeout is after how long without any progress a connection or a dial is
	// given up; 0 is one minute.
	Timeout time.Duration
	// Backlog is how many connections a listener holds that nobody has accepted;
	// more are not answered. 0 is 16.
	Backlog int
}

// Error is how a connection or a call failed. With errors.Is it equals the
// error of package syscall that it stands for.
type Error uint8

// The errors.
const (
	Refused    Error = iota + 1 // nobody listens there (ECONNREFUSED)
	Reset                       // the other end or the network ended it (ECONNRESET)
	Timeout                     // no answer for too long (ETIMEDOUT)
	Closed                      // this end was closed, or its program has ended (EPIPE, fs.ErrClosed)
	WouldBlock                  // nothing to read, or no room to write, at the moment (EAGAIN)
	InUse                       // another one listens for that service (EADDRINUSE)

	// DeadlineExceeded: what the program has set has passed; the connection is as it
	// was (os.ErrDeadlineExceeded).
	DeadlineExceeded
)

// Streams are the connections of one network.
type Streams struct {
	net   *simnet.Network
	cfg   Config
	hosts []*Host
	of    map[string]*Host

	records records
}

// New returns the streams of a network. The error names a field of cfg that is
// negative.
func New(net *simnet.Network, cfg Config) (*Streams, error) {
	if net == nil {
		return nil, errors.New("stream: New needs a network, not nil")
	}
	if cfg.Segment < 0 || cfg.Buffer < 0 || cfg.Retransmit < 0 || cfg.Timeout < 0 || cfg.Backlog < 0 {
		return nil, fmt.Errorf("stream: Config is %+v; no field may be negative", cfg)
	}
	for _, f := range []struct {
		field *int
		value int
	}{{&cfg.Segment, 1400}, {&cfg.Buffer, 65536}, {&cfg.Backlog, 16}} {
		if *f.field == 0 {
			*f.field = f.value
		}
	}
	if cfg.Retransmit == 0 {
		cfg.Retransmit = 200 * time.Millisecond
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = time.Minute
	}
	return &Streams{net: net, cfg: cfg, of: map[string]*Host{}}, nil
}

// Attach gives a machine streams, for the whole run. The error says when its
// port has a transport already.
func (s *Streams) Attach(port *simnet.Port) (*Host, error) {
	h := newHost(s, port)
	if err := port.SetTransport(h); err != nil {
		return nil, err
	}
	port.Node().Watch(h)
	if len(s.hosts) == 0 {
		s.records.init(port.Node().Sim())
	}
	s.hosts = append(s.hosts, h)
	s.of[port.Name()] = h
	return h, nil
}

// Host returns the streams of the machine of that name, or nil.
func (s *Streams) Host(name string) *Host { return s.of[name] }

// Listen makes the running incarnation listen for a service. accept is called,
// in an event of it, for each connection; if it is nil, [Listener.Accept] returns
// them. The error is [InUse], or [Closed] when no process runs.
func (h *Host) Listen(service string, accept func(c *Conn)) (*Listener, error) {
	switch {
	case !h.node.Alive():
		return nil, Closed
	case h.listener(service) != nil:
		return nil, InUse
	}
	l := &Listener{host: h, service: service, accept: accept, boot: h.node.Boot()}
	h.listeners = append(h.listeners, l)
	return l, nil
}

// Dial asks for a connection. done is called, in an event of the running
// incarnation, with the connection, or with [Refused], [Timeout] or [Reset]. The
// error says that there is no such machine, or [Closed] that no process runs;
// done is not called then.
func (h *Host) Dial(to, service string, done func(c *Conn, err error)) error {
	_, err := h.dial(to, service, done)
	return err
}

// DialTimeout is Dial that gives up, with [DeadlineExceeded], when d has passed on
// the node's monotonic clock without an answer. A negative d counts as 0.
func (h *Host) DialTimeout(to, service string, d time.Duration, done func(c *Conn, err error)) error {
	c, err := h.dial(to, service, done)
	if err == nil {
		c.giveUp(d)
	}
	return err
}

// DialWait is Dial for a proc, which waits for the outcome.
func (h *Host) DialWait(p *kernel.Proc, to, service string) (*Conn, error) {
	c, err := h.dial(to, service, nil)
	return c.dialedBy(p, err)
}

// DialWaitTimeout is DialTimeout for a proc, which waits for the outcome.
func (h *Host) DialWaitTimeout(p *kernel.Proc, to, service string, d time.Duration) (*Conn, error) {
	c, err := h.dial(to, service, nil)
	if err == nil {
		c.giveUp(d)
	}
	return c.dialedBy(p, err)
}

// dialedBy waits for the outcome of a dial.
func (c *Conn) dialedBy(p *kernel.Proc, err error) (*Conn, error) {
	if err != nil {
		return nil, err
	}
	for c.state == dialing {
		if !c.wait(p) {
			c.Reset()
			return nil, Closed
		}
	}
	if c.err != 0 {
		return nil, c.err
	}
	return c, nil
}

// Listener takes connections for a service. It ends with its incarnation.
type Listener struct {
	host    *Host
	service string
	accept  func(c *Conn)
	boot    int
	queue   []*Conn
	waiters []*kernel.Signal
	closed  bool
}

// Accept returns the next connection that nobody has taken, or [WouldBlock], or
// [Closed].
func (l *Listener) Accept() (*Conn, error) {
	switch {
	case l.closed:
		return nil, Closed
	case len(l.queue) == 0:
		return nil, WouldBlock
	}
	c := l.queue[0]
	l.queue = l.queue[1:]
	c.record(l.host.streams.records.accept)
	return c, nil
}

// AcceptWait is Accept for a proc, which waits for a connection.
func (l *Listener) AcceptWait(p *kernel.Proc) (*Conn, error) {
	for {
		c, err := l.Accept()
		if err != WouldBlock {
			return c, err
		}
		g := &kernel.Signal{}
		l.waiters = append(l.waiters, g)
		if p.Wait(g); !g.IsSet() {
			return nil, Closed
		}
	}
}

// Close ends the listener. Connections that nobody has taken are reset.
func (l *Listener) Close() { l.host.unlisten(l) }

// OnReady sets the function that is called, in an event of its own, whenever
// more can be read or written than before, a deadline has passed, or the connection
// has failed. Call [Conn.Read] and [Conn.Write] from it until they return
// [WouldBlock] or another error.
func (c *Conn) OnReady(f func()) {
	c.ready = f
	c.notify()
}

// Read reads what is there, without waiting: up to len(b) bytes, often fewer. It
// returns [io.EOF] after the last byte of a direction that has ended,
// [WouldBlock] when nothing is there, [DeadlineExceeded], and how the connection
// failed. Where one read ends and the next begins says nothing about how the bytes
// were written: it can be at any byte.
func (c *Conn) Read(b []byte) (int, error) { return c.read(b) }

// Write hands over as much of b as there is room for, without waiting; it is not
// an error to take less. It returns [WouldBlock] when there is no room,
// [DeadlineExceeded], and how the connection failed.
func (c *Conn) Write(b []byte) (int, error) { return c.write(b) }

// ReadWait is Read for a proc, which waits until something is there.
func (c *Conn) ReadWait(p *kernel.Proc, b []byte) (int, error) {
	for {
		n, err := c.read(b)
		if err != WouldBlock {
			return n, err
		}
		if !c.wait(p) {
			return 0, Closed
		}
	}
}

// WriteWait writes all of b for a proc, which waits for room. After an error it
// says how much was taken.
func (c *Conn) WriteWait(p *kernel.Proc, b []byte) (int, error) {
	done := 0
	for done < len(b) {
		n, err := c.write(b[done:])
		done += n
		switch {
		case err == WouldBlock && !c.wait(p):
			return done, Closed
		case err != nil && err != WouldBlock:
			return done, err
		}
	}
	return done, nil
}

// CloseWrite ends what this end writes. The error is how the connection failed.
func (c *Conn) CloseWrite() error { return c.closeWrite() }

// Close ends both directions, after what was written. Reads and writes that wait
// return [Closed]. Closing again does nothing.
func (c *Conn) Close() { c.close() }

// Reset ends the connection at once, for both ends.
func (c *Conn) Reset() {
	if c.alive() {
		c.abort(Closed, byProgram)
	}
}

// Local and Remote return the names of the machines at this end and the other.
func (c *Conn) Local() string { return c.host.name }

// Remote returns the name of the machine at the other end.
func (c *Conn) Remote() string { return c.peer }

// Service returns the name of the service that was dialed.
func (c *Conn) Service() string { return c.service }

// Err returns how the connection has failed, or nil.
func (c *Conn) Err() error {
	if c.err == 0 {
		return nil
	}
	return c.err
}
