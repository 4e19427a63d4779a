package faultline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/hmdsefi/faultline/artifact"
	"github.com/hmdsefi/faultline/fault"
	"github.com/hmdsefi/faultline/history"
	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// World is one run: what the setup function of [Run] builds the system under
// test in. A world is new for each run of each seed and shares nothing with
// another. Mistakes in a setup do not stop it: they are collected and reported
// together before anything runs.
type World struct {
	opt      Options
	sim      *kernel.Sim
	net      *simnet.Network
	disks    *simdisk.Disks
	streams  *stream.Streams // nil without connections
	history  *history.History
	injector *fault.Injector
	rules    fault.Rules
	script   []fault.Fault
	replay   *fault.Schedule // faults and choices to use instead
	draw     bool            // only the faults of it
	drawn    []fault.Intensity
	said     []string // by Describe
	groups   []artifact.Group
	quiet    time.Duration
	nodes    map[*kernel.Node]*Node
	armed    bool // the run has begun

	load      load             // which operations clients carry out
	works     map[string]*work // of clients that have operations
	numbers   map[string]int   // by Draw
	calm      bool             // the network has no jitter
	recording bool             // the choices are kept
	next      next             // event before which the run has stopped
	redraw    kernel.Redraw    // from when on the run is another
	own       []kernel.Choice  // that were not given to a replay, and made
	texts     map[operation]string
	phase     atomic.Pointer[string] // the final check that is running, for the watchdog

	names      map[string]bool // of checks
	finals     []final
	verdict    error // of the final check that failed
	excused    []excuse
	eventually []*eventually
	properties []*property
	syms       symbols
}

type symbols struct {
	invoke, ret, attempt                        kernel.Sym
	op, function, input, output, status, target kernel.Sym
}

// newWorld makes the empty world of a run.
func newWorld(r recipe, cfg kernel.Config) *World {
	opt, replay := r.opt, r.replay
	w := &World{opt: opt, draw: r.draw, names: map[string]bool{}, nodes: map[*kernel.Node]*Node{}, replay: replay, quiet: opt.quiet(),
		load: loadOf(replay), works: map[string]*work{}, numbers: map[string]int{}, texts: map[operation]string{},
		recording: cfg.Level == kernel.LevelFull, redraw: cfg.Redraw}
	if replay != nil {
		w.quiet = replay.Quiet
	}
	if replay != nil && !r.draw {
		cfg.Replay = append([]kernel.Choice{}, replay.Choices...)
	}
	w.sim = kernel.New(cfg)
	if w.calm = replay != nil && w.given(pointJitter) != 0; w.calm {
		opt.Net.Link = calm(opt.Net.Link)
	}
	opt.Net.Contents = opt.Net.Contents || r.content
	var err error
	if w.net, err = simnet.New(w.sim, opt.Net); err != nil {
		w.sim.Misuse(err)
	}
	if w.disks, err = simdisk.New(w.sim, opt.Disk); err != nil {
		w.sim.Misuse(err)
	}
	w.history = history.New(func() (time.Duration, uint64) { return w.sim.Now().Sub(0), w.sim.Event() })
	w.history.OnMisuse(w.sim.Misuse)
	w.injector = fault.NewInjector(fault.System{Sim: w.sim, Net: w.net, Disks: w.disks})
	y, s := &w.syms, w.sim
	y.invoke, y.ret, y.attempt = s.Sym("op/invoke"), s.Sym("op/return"), s.Sym("op/attempt")
	y.op, y.function, y.input, y.output = s.Sym("op"), s.Sym("function"), s.Sym("input"), s.Sym("output")
	y.status, y.target = s.Sym("status"), s.Sym("target")
	return w
}

// Server adds a node to the group "servers", which random faults aim at. It
// has a network port and a disk; new makes its program at each start.
func (w *World) Server(name string, new func(n *Node) kernel.Handler) *Node {
	n := w.Node(name, new)
	w.Group("servers", n)
	return n
}

// Servers adds count servers called n1, n2, … that run the same program.
func (w *World) Servers(count int, new func(n *Node) kernel.Handler) []*Node {
	out := make([]*Node, 0, max(count, 0))
	if count < 1 {
		w.sim.Misuse(fmt.Errorf("faultline: Servers(%d): the number of servers must be at least 1", count))
	}
	for i := range count {
		out = append(out, w.Server(fmt.Sprintf("n%d", i+1), new))
	}
	return out
}

// Node adds a node that is in no group: random faults leave it alone, scripts
// and the network's faults reach it by name.
func (w *World) Node(name string, new func(n *Node) kernel.Handler) *Node {
	w.before("Node")
	n := &Node{world: w}
	w.attach(n, w.sim.AddNode(name, n.factory(new)))
	return n
}

// Spare adds a node to the group "spares" that is not started: a fault of kind
// [fault.Join] starts it at run time.
func (w *World) Spare(name string, new func(n *Node) kernel.Handler) *Node {
	w.before("Spare")
	n := &Node{world: w}
	w.attach(n, w.sim.AddMachine(name, n.factory(new)))
	w.Group("spares", n)
	return n
}

// Version names another version of the nodes' program, such as "v2" or "small
// batches", for faults of kind [fault.Upgrade].
func (w *World) Version(name string, new func(n *Node) kernel.Handler, nodes ...*Node) {
	w.before("Version")
	for _, n := range nodes {
		if w.made("Version", name, n) {
			w.injector.Version(name, n.Node, n.factory(new))
		}
	}
}

// State names a predicate over the cluster, such as "two leaders", at which
// faults can be triggered. It is asked after every event while one waits for it,
// in replays too, and must only look.
func (w *World) State(name string, holds func() bool) {
	w.before("State")
	w.injector.State(name, holds)
}

// Points names points in the nodes' code, see [kernel.Node.Point]: random faults
// then strike when one is reached. Without it points are for scripts only. When
// some are named, a trigger at another one is an error.
func (w *World) Points(names ...string) {
	w.before("Points")
	w.injector.Points(names...)
}

// Active returns the faults that go on now, for checks that hold under some
// faults only: "puts go on while nothing but a link is cut". It is the same in a
// replay. It is not cheap: ask it in checks that run now and then.
func (w *World) Active() []fault.Fault { return w.injector.Active() }

// Client adds a client: a node in the group "clients" whose program is the
// function f, run as a proc. Random faults do not aim at clients; their links
// suffer like all others. A client that f returns from is done.
func (w *World) Client(name string, f func(c *Client)) *Node {
	w.before("Client")
	n := &Node{world: w}
	var program kernel.Factory
	if f != nil {
		program = kernel.Main(func(p *kernel.Proc) { f(newClient(w, n, p)) })
	}
	w.attach(n, w.sim.AddNode(name, program))
	w.Group("clients", n)
	return n
}

// attach gives a machine its network port and its disk.
func (w *World) attach(n *Node, machine *kernel.Node) {
	n.Node = machine
	w.nodes[machine] = n
	if w.sim.Node(machine.Name()) != machine {
		return // a setup error, reported already
	}
	var err error
	if n.net, err = w.net.Attach(machine); err != nil {
		w.sim.Misuse(err)
	}
	if n.disk, err = w.disks.Attach(machine); err != nil {
		w.sim.Misuse(err)
	}
	w.connect(n)
}

// Group adds nodes to the group of that name, for the targets of faults.
func (w *World) Group(name string, nodes ...*Node) {
	w.before("Group")
	for _, n := range nodes {
		if w.made("Group", name, n) {
			w.injector.Group(name, n.Node)
			w.noteGroup(name, n.Name())
		}
	}
}

// made reports whether the world has made a node that a call was given.
func (w *World) made(call, name string, n *Node) bool {
	if n == nil || n.Node == nil || n.world != w {
		w.sim.Misuse(fmt.Errorf("faultline: %s(%q) is given a node that this World has not made", call, name))
		return false
	}
	return true
}

// noteGroup keeps a member of a group for the report.
func (w *World) noteGroup(name, node string) {
	i := slices.IndexFunc(w.groups, func(g artifact.Group) bool { return g.Name == name })
	if i < 0 {
		i = len(w.groups)
		w.groups = append(w.groups, artifact.Group{Name: name})
	}
	w.groups[i].Nodes = append(w.groups[i].Nodes, node)
}

// Role names a role, such as "leader", that a server has while has returns
// true for its program. A third of the random faults that hit servers aim at a
// role. has must only look: it is asked when a fault fires, and not at all when a
// recorded schedule is replayed.
func (w *World) Role(name string, has func(n *Node) bool) {
	w.before("Role")
	switch {
	case slices.Contains(w.injector.Roles(), name):
		w.sim.Misuse(fmt.Errorf("faultline: two roles are called %q; names must be unique", name))
		return
	case has == nil:
		w.sim.Misuse(fmt.Errorf("faultline: Role(%q) is given no function", name))
		return
	}
	w.injector.Role(name, func(k *kernel.Node) bool {
		n := w.node(k)
		return n != nil && has(n)
	})
}

// Faults makes the world draw its faults at random from rules, such as
// [fault.Default]. They happen before the quiet phase. Called again, it adds
// rules.
func (w *World) Faults(rules fault.Rules) {
	w.before("Faults")
	w.rules = append(w.rules, rules...)
}

// Script makes exactly these faults happen, beside the random ones and outside
// of their budget.
func (w *World) Script(faults ...fault.Fault) {
	w.before("Script")
	w.script = append(w.script, faults...)
}

// before reports a call that has no effect once the run has begun.
func (w *World) before(call string) {
	if w.armed {
		w.sim.Misuse(fmt.Errorf("faultline: World.%s was called after the run had begun; call it in the setup", call))
	}
}

// Link sets the link from one node to another, in this direction only.
func (w *World) Link(from, to string, l simnet.Link) {
	if w.calm {
		l = calm(l)
	}
	if err := w.net.SetLink(from, to, l); err != nil {
		w.sim.Misuse(err)
	}
}

// Sim returns the run's simulator.
func (w *World) Sim() *kernel.Sim { return w.sim }

// Net returns the run's network.
func (w *World) Net() *simnet.Network { return w.net }

// Disks returns the run's disks.
func (w *World) Disks() *simdisk.Disks { return w.disks }

// History returns what the clients did and saw.
func (w *World) History() *history.History { return w.history }

// Seed returns the seed of the run.
func (w *World) Seed() uint64 { return w.sim.Seed() }

// Rand returns the generator of that name for the setup's own random
// decisions, such as the size of the cluster.
func (w *World) Rand(name string) *rand.Rand { return w.sim.Stream("setup/" + name).Rand() }

// Describe adds a text on what the setup has drawn from the seed, such as
// "5 servers, batches of 64". It is shown beside the seed when the run fails.
func (w *World) Describe(text string) { w.said = append(w.said, text) }

// QuietAt returns the virtual time at which the quiet phase begins, and false
// if the run has none.
func (w *World) QuietAt() (time.Duration, bool) { return w.quiet, w.quiet > 0 }

// Fail fails the run after the current event, in the name of a check of the
// user's own.
func (w *World) Fail(check, format string, args ...any) {
	w.sim.Fail(kernel.Failure{Kind: KindUser, Check: check, Message: fmt.Sprintf(format, args...)})
}

// arm plans the faults and the deadlines. Everything it draws is fixed by the
// seed before the first event.
func (w *World) arm() {
	w.armed = true
	faults, script := []fault.Fault(nil), w.script
	var err error
	switch {
	case w.replay == nil:
		faults, w.drawn, err = w.plan(w.sim.Stream("plan"))
	case w.redraw.Salt != 0:
		faults, script, err = w.planAnew()
	default:
		faults, script = w.replay.Faults, nil
	}
	if err != nil {
		w.sim.Misuse(err)
		return
	}
	budget := (w.replay == nil || w.redraw.Salt != 0 || w.draw) && !w.opt.Unrestricted
	if err := w.injector.Arm(faults, fault.Options{Quiet: w.quiet, End: w.opt.Duration, Script: script, Budget: budget}); err != nil {
		w.sim.Misuse(err)
		return
	}
	w.armEventually()
}

// plan draws random faults from the world's rules.
func (w *World) plan(from kernel.Stream) ([]fault.Fault, []fault.Intensity, error) {
	phase := w.opt.Duration
	if w.quiet > 0 {
		phase = w.quiet
	}
	return fault.Plan(from, w.rules, phase, w.injector.Known())
}

// planAnew returns the given faults up to the moment from which on the run is
// another, as a script, and those that are drawn anew after it.
func (w *World) planAnew() (drawn, script []fault.Fault, err error) {
	at := w.redraw.At.Sub(0)
	planned, _, err := w.plan(w.sim.Stream("plan").Derive(strconv.FormatUint(w.redraw.Salt, 10)))
	for _, f := range planned {
		if f.At >= at {
			f.ID = "anew/" + f.ID
			drawn = append(drawn, f)
		}
	}
	for _, f := range w.replay.Faults {
		if f.At < at {
			script = append(script, f)
		}
	}
	return drawn, script, err
}

// schedule returns everything random that has happened in the run.
func (w *World) schedule() *fault.Schedule {
	return &fault.Schedule{
		Seed:     w.Seed(),
		Duration: w.opt.Duration,
		Quiet:    w.quiet,
		Shrunk:   w.replay != nil && w.replay.Shrunk,
		Faults:   w.injector.Faults(),
		Choices:  w.choices(),
	}
}
