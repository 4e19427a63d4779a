package kernel

// Handler is a node's program, written as callbacks. The simulator calls them
// one at a time; each must return without blocking. A handler belongs to one
// incarnation of its node: after a crash the node's [Factory] makes a new one,
// and what is to survive must be on the node's disk.
type Handler interface {
	// Start is called once, when the incarnation starts.
	Start()
	// Receive is called for each message. from is the sender's name. The
	// message is shared with the sender and must not be changed.
	Receive(from string, msg any)
	// Timer is called when a timer made by [Node.NewTimer] fires.
	Timer(t *Timer)
}

// Factory makes the program of a node each time that it starts.
type Factory func(n *Node) Handler

// Idle is a [Handler] that does nothing. Embed it to write only the callbacks
// that a program needs.
type Idle struct{}

// Start does nothing.
func (Idle) Start() {}

// Receive ignores the message.
func (Idle) Receive(string, any) {}

// Timer does nothing.
func (Idle) Timer(*Timer) {}

// Main makes a [Factory] of a node that is one sequential program: f runs as a
// proc called "main" from the start of each incarnation, and messages wait for
// its [Proc.Recv].
func Main(f func(p *Proc)) Factory {
	return func(n *Node) Handler { return &mainHandler{node: n, f: f} }
}

type mainHandler struct {
	Idle
	node *Node
	f    func(p *Proc)
	proc *Proc
}

// Start starts the proc.
func (m *mainHandler) Start() { m.proc = m.node.Go("main", m.f) }

// Receive hands the message to the proc.
func (m *mainHandler) Receive(from string, msg any) { m.proc.Deliver(from, msg) }
