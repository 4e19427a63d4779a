package fault

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hmdsefi/faultline/kernel"
	"github.com/hmdsefi/faultline/simdisk"
	"github.com/hmdsefi/faultline/simnet"
	"github.com/hmdsefi/faultline/simnet/stream"
)

// System is what faults act on. All but Sim may be nil when the run has no
// network, disks or streams; faults of those kinds are then errors.
type System struct {
	Sim     *kernel.Sim     // the run
	Net     *simnet.Network // its network
	Disks   *simdisk.Disks  // its disks
	Streams *stream.Streams // its connections
}

// Injector makes planned faults happen in a run. Name the groups and roles,
// then arm it once, before the run.
type Injector struct {
	sys      System
	groups   map[string][]*kernel.Node
	roles    []role
	named    []string // points, by Points
	planned  []*planned
	points   []*planned // those that wait for a point
	ops      []*planned // those that wait for a disk operation
	out      map[*kernel.Node]int
	gone     map[*kernel.Node]absence // for good
	stopped  map[*kernel.Node]int     // faults that stop the monotonic clock
	states   []state
	waiting  []*planned // for a state
	mail     []*planned // that wait for a message
	versions []version
	stream   kernel.Stream
	syms     symbols
}

type role struct {
	name string
	has  func(n *kernel.Node) bool
}

type symbols struct {
	fire, end, skip, quiet                            kernel.Sym
	id, kind, nodes, peers, lasts, rate, amount, prof kernel.Sym
	why                                               kernel.Sym
}

// planned is a fault on its way.
type planned struct {
	Fault
	trait   trait
	in      *Injector
	stream  kernel.Stream
	limited bool    // the budget counts
	before  Outcome // as it was recorded
	matches int
	fired   bool // it will not fire any more
	began   bool // it has happened
	active  bool // it goes on
	undo    []func()
	met     []func() uint64
	changed bool // it changed something at once
	took    []*kernel.Node
	steps   uint64               // events of its own, see later
	seen    map[*kernel.Node]int // matches on each node, if it hits that
	holds   bool                 // its state was true after the last event
}

// Options says how faults are armed.
type Options struct {
	// Quiet is the virtual time at which every fault ends: what is cut is
	// healed, what is down starts, what is paused resumes, clocks run true.
	// 0 means never.
	Quiet time.Duration
	// End is when the run ends; 0 means that it is not known. A fault later than
	// that is an error.
	End time.Duration
	// Script are faults that happen beside those that are armed, without the
	// budget.
	Script []Fault
	// Budget skips a fault that would leave no majority of the group "servers"
	// up and connected (of one or two servers, one may go). Replays do as they
	// are told, without it.
	Budget bool
}

// NewInjector returns an injector for a system.
func NewInjector(sys System) *Injector {
	s := sys.Sim
	in := &Injector{
		sys:    sys,
		groups: map[string][]*kernel.Node{},
		out:    map[*kernel.Node]int{},
		gone:   map[*kernel.Node]absence{}, stopped: map[*kernel.Node]int{},
		stream: s.Stream("fault"),
	}
	y := &in.syms
	y.fire, y.end, y.skip, y.quiet = s.Sym("fault/fire"), s.Sym("fault/end"), s.Sym("fault/skip"), s.Sym("fault/quiet")
	y.id, y.kind, y.nodes, y.peers = s.Sym("fault"), s.Sym("kind"), s.Sym("nodes"), s.Sym("peers")
	y.lasts, y.rate, y.amount, y.prof, y.why = s.Sym("for"), s.Sym("rate"), s.Sym("amount"), s.Sym("profile"), s.Sym("why")
	return in
}

// canName reports whether something can have a name, see [kernel.CheckName], and
// that it cannot as a misuse.
func (in *Injector) canName(what, name string) bool {
	err := kernel.CheckName(name)
	if err != nil {
		in.sys.Sim.Misuse(fmt.Errorf("fault: %s cannot be called %q: %w", what, name, err))
	}
	return err == nil
}

// Group adds nodes to the group of that name, which targets can name. Here and
// below a name that [kernel.CheckName] does not take is a setup error.
func (in *Injector) Group(name string, nodes ...*kernel.Node) {
	if !in.canName("a group", name) {
		return
	}
	in.groups[name] = append(in.groups[name], nodes...)
}

// Role names a role that a node has while has returns true, such as being the
// leader. It is asked when a fault fires. Node is up then.
func (in *Injector) Role(name string, has func(n *kernel.Node) bool) {
	if !in.canName("a role", name) {
		return
	}
	if has == nil {
		in.sys.Sim.Misuse(fmt.Errorf("fault: the role %q has no function that says who has it", name))
		return
	}
	in.roles = append(in.roles, role{name, has})
}

// Roles returns the names of the roles in the order in which they were added.
func (in *Injector) Roles() []string {
	var out []string
	for _, r := range in.roles {
		out = append(out, r.name)
	}
	return out
}

// Points names points in the nodes' code, see kernel.Node.Point, for rules that
// draw from them. When some are named, a trigger at another one is an error.
func (in *Injector) Points(names ...string) {
	for _, name := range names {
		if in.canName("a point", name) && !slices.Contains(in.named, name) {
			in.named = append(in.named, name)
		}
	}
}

// Known returns the names that rules draw from.
func (in *Injector) Known() Known { return Known{in.Roles(), slices.Clone(in.named)} }

// Active returns the faults that have happened and are not over, in the order in
// which they were armed.
func (in *Injector) Active() []Fault {
	var out []Fault
	for _, p := range in.planned {
		if p.active {
			out = append(out, p.Fault)
		}
	}
	return out
}

// Arm schedules the faults. The error names the first fault that makes no
// sense: an unknown kind, node, group or role, a time that is negative or never
// comes, a missing target, an ID that another one has; nothing is armed then.
func (in *Injector) Arm(faults []Fault, opt Options) error {
	if opt.Quiet < 0 {
		return fmt.Errorf("fault: the quiet phase begins at %v; it must not be negative", opt.Quiet)
	}
	var list []*planned
	ids, seen := map[string]int{}, map[string]bool{}
	for i, f := range append(slices.Clone(opt.Script), faults...) {
		if f.ID == "" {
			ids[string(f.Kind)]++
			f.ID = fmt.Sprintf("script/%s#%d", f.Kind, ids[string(f.Kind)])
		}
		err := f.possible(&Schedule{Quiet: opt.Quiet, Duration: opt.End})
		if err == nil {
			err = in.validate(f)
		}
		if err == nil && seen[f.ID] {
			err = fmt.Errorf("another fault has this ID; give each its own, or none")
		}
		if err != nil {
			return fmt.Errorf("fault: fault %d (%s): %w", i+1, f.ID, err)
		}
		seen[f.ID] = true
		t, _ := f.Kind.trait()
		p := &planned{Fault: f, trait: t, in: in, stream: in.stream.Derive(f.ID), limited: opt.Budget && i >= len(opt.Script), before: f.Outcome}
		p.Outcome = ""
		list = append(list, p)
	}
	for _, p := range list {
		in.schedule(p)
		if p.Kind == Corrupt && p.Profile == "stale" {
			in.keepOld()
		}
	}
	in.planned = list
	if len(in.points) > 0 {
		in.sys.Sim.OnPoint(in.onPoint)
	}
	if len(in.ops) > 0 {
		in.watchDisks()
	}
	if len(in.mail) > 0 {
		in.sys.Net.Watch(in.onMessage)
	}
	if len(in.waiting) > 0 {
		in.sys.Sim.AfterEvents(in.onEvent)
	}
	if opt.Quiet > 0 {
		if in.sys.Net != nil {
			in.sys.Net.SettleBy(kernel.Time(opt.Quiet))
		}
		tie := uint32(in.stream.Derive("quiet").At(0) >> 32)
		in.sys.Sim.ScheduleKeyed(kernel.Time(opt.Quiet), nil, kernel.Device, tie, kernel.Func(in.quiet))
	}
	return nil
}

func (in *Injector) schedule(p *planned) {
	switch {
	case p.When.Point != "":
		in.points = append(in.points, p)
	case p.When.State != "":
		in.waiting = append(in.waiting, p)
	case p.When.ofMessage():
		in.mail = append(in.mail, p)
	case p.When.Op != "":
		in.ops = append(in.ops, p)
	default:
		in.sys.Sim.ScheduleKeyed(kernel.Time(p.At), nil, kernel.Device, p.tie(0), kernel.Func(func() { in.fire(p, nil) }))
	}
}

// tie places the fault's own events among those of the same instant.
func (p *planned) tie(n uint64) uint32 { return uint32(p.stream.At(n) >> 32) }

// fire makes the fault happen; at is the node on which its trigger matched.
func (in *Injector) fire(p *planned, at *kernel.Node) {
	p.fired = true
	if p.before == Skipped || p.before == NoTarget {
		p.Outcome = p.before
		in.record(in.syms.skip, p)
		return
	}
	nodes := in.resolve(p, at)
	switch {
	case len(nodes) == 0 && !p.everywhere():
		p.Outcome = NoTarget
	case p.limited && p.trait.takes && in.exhausted(in.taken(p, nodes)):
		p.Outcome = Skipped
	}
	p.Nodes = names(nodes)
	if p.Kind == OneWay && p.Count > 0 && len(nodes) == 1 {
		p.Peers = names(p.some(nodes[0])) // for the record
	}
	if p.Outcome != "" {
		in.record(in.syms.skip, p)
		return
	}
	in.record(in.syms.fire, p)
	p.began, p.active = true, true
	if p.trait.takes {
		p.took = in.taken(p, nodes)
		for _, n := range p.took {
			in.out[n]++
		}
	}
	p.apply(nodes)
	switch {
	case p.trait.instant:
		p.end()
	case p.For > 0:
		s := in.sys.Sim
		s.ScheduleKeyed(s.Now().Add(p.For), nil, kernel.Device, p.tie(1), kernel.Func(func() {
			if p.active {
				in.record(in.syms.end, p)
				p.end()
			}
		}))
	}
}

// everywhere reports whether the fault hits every link.
func (p *planned) everywhere() bool {
	return p.trait.links && len(p.Fault.Nodes) == 0 && len(p.Target.Nodes) == 0 && p.Target.Group == ""
}

// end undoes what the fault does.
func (p *planned) end() {
	if !p.active {
		return
	}
	p.active = false
	if !p.trait.forever {
		for _, n := range p.took {
			p.in.out[n]--
		}
	}
	for _, f := range p.undo {
		f()
	}
}

// quiet ends every fault and brings every node back.
func (in *Injector) quiet() {
	s := in.sys.Sim
	s.Emit(in.syms.quiet).Done()
	for _, p := range in.planned {
		p.end()
		p.fired = true // nothing fires from here on
	}
	for _, n := range s.Nodes() {
		switch n.State() {
		case kernel.Paused:
			n.Resume()
		case kernel.Down:
			in.restart(n)
		}
	}
}

func (in *Injector) record(kind kernel.Sym, p *planned) {
	y := &in.syms
	e := in.sys.Sim.Emit(kind).On(nil).Str(y.id, p.ID).Str(y.kind, string(p.Kind))
	if len(p.Nodes) > 0 {
		e = e.Str(y.nodes, strings.Join(p.Nodes, " "))
	}
	if kind == in.syms.skip {
		e.Str(y.why, string(p.Outcome)).Done()
		return
	}
	if kind == in.syms.fire {
		if len(p.Peers) > 0 {
			e = e.Str(y.peers, strings.Join(p.Peers, " "))
		}
		if p.For > 0 {
			e = e.Dur(y.lasts, p.For)
		}
		if p.Rate != 0 {
			e = e.Int(y.rate, p.Rate)
		}
		if p.Amount != 0 {
			e = e.Dur(y.amount, p.Amount)
		}
		if p.Profile != "" {
			e = e.Str(y.prof, p.Profile)
		}
		if p.Count != 0 {
			e = e.Int(in.sys.Sim.Sym("count"), p.Count)
		}
		if p.Message != "" {
			e = e.Str(in.sys.Sim.Sym("message"), p.Message)
		}
		if p.File != "" {
			e = e.Str(in.sys.Sim.Sym("file"), p.File)
		}
	}
	e.Done()
}
