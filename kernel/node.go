package kernel

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// State is what a node is doing.
type State uint8

const (
	// Down nodes have no process: not started yet, or crashed.
	Down State = iota
	// Up nodes run.
	Up
	// Paused nodes have a process that does not run: its messages and timers
	// wait.
	Paused
)

// String returns "down", "up" or "paused".
func (st State) String() string { return [...]string{"down", "up", "paused"}[st] }

// Node is a simulated machine with one process on it. The machine (its name,
// clocks, network port and disk) lasts for the whole run; the process is
// replaced at each start and numbered by its boot, from 1.
type Node struct {
	sim      *Sim
	name     string
	sym      Sym
	index    int
	factory  Factory
	handler  Handler
	state    State
	boot     uint32
	order    Seq
	wall     clock
	mono     clock
	timers   []*Timer
	procs    []*Proc
	backlog  []slot // what waits for the end of a pause, or for a slow node
	blocked  bool   // what comes up waits in the backlog
	slow     slow
	odd      oddClock
	starting bool
	rng      *rand.Rand
	watch    []Lifecycle
}

// AddNode adds a node that starts at once, as an event of its own: factory
// makes its program and [Handler.Start] is called. A name that [CheckName] does
// not take, that has white space, '/', '>' or '*' in it, or that is already used is
// a setup error, see [Sim.Err]; the node returned then is never started.
func (s *Sim) AddNode(name string, factory Factory) *Node {
	n := s.AddMachine(name, factory)
	if s.byName[name] == n && factory != nil {
		n.Start()
	}
	return n
}

// AddMachine is [Sim.AddNode] without starting the process; [Node.Start] does
// that. Modules attach themselves to the machine in between.
func (s *Sim) AddMachine(name string, factory Factory) *Node {
	n := &Node{sim: s, name: name, index: len(s.nodes), factory: factory}
	n.sym = s.Sym(name)
	n.order = Seq{Stream: s.Stream("sched/" + name)}
	n.wall.base, n.mono.base = s.now, s.now
	n.wall.value = s.now.Sub(0)
	err := CheckName(name)
	switch {
	case !validName(name):
		s.Misuse(fmt.Errorf("kernel: a node cannot be called %q; use at least one letter or digit, and no space, control character, /, > or *", name))
	case err != nil:
		s.Misuse(fmt.Errorf("kernel: a node cannot be called %q: %w", name, err))
	case s.byName[name] != nil:
		s.Misuse(fmt.Errorf("kernel: two nodes are called %q; names must be unique", name))
	case factory == nil:
		s.Misuse(fmt.Errorf("kernel: node %q has no factory", name))
		s.byName[name] = n
	default:
		s.byName[name] = n
	}
	s.nodes = append(s.nodes, n)
	return n
}

// validName reports whether a node can have that name. It becomes part of the
// names of streams and of lists of nodes, so it must not hold what separates
// those.
func validName(name string) bool {
	bad := func(r rune) bool { return r <= ' ' || r == 0x7f || r == '/' || r == '>' || r == '*' }
	return name != "" && strings.IndexFunc(name, bad) < 0
}

// Node returns the node with that name, or nil.
func (s *Sim) Node(name string) *Node { return s.byName[name] }

// Nodes returns all nodes in the order in which they were added.
func (s *Sim) Nodes() []*Node { return s.nodes }

// Name returns the node's name.
func (n *Node) Name() string { return n.name }

// Index returns the node's place in [Sim.Nodes].
func (n *Node) Index() int { return n.index }

// Sim returns the simulator that the node belongs to.
func (n *Node) Sim() *Sim { return n.sim }

// State returns what the node is doing.
func (n *Node) State() State { return n.state }

// Alive reports whether the node has a process, running or paused.
func (n *Node) Alive() bool { return n.state != Down }

// Boot returns the number of the node's current or last incarnation, from 1,
// or 0 before the first start.
func (n *Node) Boot() int { return int(n.boot) }

// Handler returns the running program, or nil while the node is down. Checks
// use it to look into the node's state.
func (n *Node) Handler() Handler { return n.handler }

// Factory returns what makes the node's program at its next start.
func (n *Node) Factory() Factory { return n.factory }

// SetFactory replaces the node's program from its next start on, for example
// with another version of the code.
func (n *Node) SetFactory(f Factory) {
	if f == nil {
		n.sim.Misuse(fmt.Errorf("kernel: SetFactory of node %q was given no factory", n.name))
		return
	}
	n.factory = f
}

// Stream returns a stream of choices that belongs to this incarnation of the
// node: its name is proc/<node>/<boot>/<path>.
func (n *Node) Stream(path string) Stream {
	return n.sim.Stream("proc/" + n.name + "/" + strconv.Itoa(n.Boot()) + "/" + path)
}

// Rand returns the generator of this incarnation of the node, for its own
// random decisions.
func (n *Node) Rand() *rand.Rand {
	if n.rng == nil {
		n.rng = n.Stream("rand").Rand()
	}
	return n.rng
}

// Log adds a record of the user's own kind to the trace. kind should be short
// and without a slash; kinds with one belong to faultline's modules. attrs are
// made by [Int], [Str], [Dur] and [Bool].
func (n *Node) Log(kind string, attrs ...Attr) {
	n.sim.log(n, kind, attrs)
}

// Point marks a named place in the node's code. It is traced, and faults can
// be aimed at it: if one crashes the node here, everything that this event
// still asks of the simulator is inert.
func (n *Node) Point(name string) {
	s := n.sim
	if !n.Alive() {
		return
	}
	s.Emit(s.syms.point).On(n).Sym(s.syms.name, s.Sym(name)).Done()
	for _, f := range s.onPoint {
		f(n, name)
	}
}

// OnPoint calls f at every [Node.Point] of every node.
func (s *Sim) OnPoint(f func(n *Node, point string)) { s.onPoint = append(s.onPoint, f) }

// Deliver hands a message to the node's program, within the current event. It
// reports whether there was one; network modules call it.
func (n *Node) Deliver(from string, msg any) bool {
	if n.state != Up || n.handler == nil {
		return false
	}
	n.handler.Receive(from, msg)
	return true
}
